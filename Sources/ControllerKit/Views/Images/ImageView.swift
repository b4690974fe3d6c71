public import StateRestoration

/// A view that shows a picture, which the user can zoom and move.
///
/// It preserves its bounds, center and transform (V5). The controller encodes the picture, as ``Image/data``.
///
/// The picture fills ``bounds``. The ``transform`` is applied to the bounds, and their middle is at ``center`` of
/// the view's visible part.
open class ImageView: View, Zoomable, Scrollable {
    /// The picture, or `nil` if there is none.
    ///
    /// If its size differs from the bounds, the picture is centered and its zoom is reset.
    public var image: Image? {
        didSet {
            guard image != oldValue else { return }
            if let image, image.size != bounds.size { fit(image) }
            restorableStateDidChange()
        }
    }

    /// Size of the visible part in columns and lines.
    ///
    /// When it changes, the middle of the visible part stays in the middle.
    public var visibleSize = Size(width: 36, height: 8) {
        didSet {
            guard visibleSize != oldValue else { return }
            center.x += (visibleSize.width - oldValue.width) / 2
            center.y += (visibleSize.height - oldValue.height) / 2
        }
    }

    /// The rectangle that the picture fills, before the transform is applied.
    ///
    /// Setting a rectangle with an infinite or NaN component, or with a negative size, changes nothing.
    public var bounds = Rect.zero {
        didSet {
            if !Self.isUsable(bounds) {
                bounds = oldValue
            } else {
                invalidateIfChanged(bounds, oldValue)
            }
        }
    }

    /// Position of the middle of the bounds, in columns and lines from the upper-left corner of the visible part.
    ///
    /// Setting a point with an infinite or NaN component changes nothing.
    public var center = Point(x: 18, y: 4) {
        didSet {
            if !center.isFinite { center = oldValue } else { invalidateIfChanged(center, oldValue) }
        }
    }

    /// The transform that is applied to the bounds, around their middle.
    ///
    /// Setting a transform that is not finite changes nothing.
    public var transform = AffineTransform.identity {
        didSet {
            if !transform.isFinite {
                transform = oldValue
            } else {
                invalidateIfChanged(transform, oldValue)
            }
        }
    }

    /// The minimum zoom scale for zooming by the user.
    ///
    /// It is greater than 0.
    public var minimumZoomScale = 0.25 {
        didSet { if !minimumZoomScale.isScale { minimumZoomScale = oldValue } }
    }

    /// The maximum zoom scale for zooming by the user.
    ///
    /// If the minimum is greater, the minimum applies.
    public var maximumZoomScale = 8.0 {
        didSet { if !maximumZoomScale.isScale { maximumZoomScale = oldValue } }
    }

    /// The current zoom scale of the picture.
    public var zoomScale: Double { transform.scale }

    private func invalidateIfChanged<Value: Equatable>(_ value: Value, _ oldValue: Value) {
        if value != oldValue { restorableStateDidChange() }
    }

    private static func isUsable(_ bounds: Rect) -> Bool {
        bounds.origin.isFinite && bounds.size.isExtent
    }

    private func fit(_ image: Image) {
        bounds = Rect(origin: .zero, size: image.size)
        center = Point(x: visibleSize.width / 2, y: visibleSize.height / 2)
        transform = .identity
    }

    // MARK: User operations

    /// The point of the zoomed picture in the upper-left corner of the visible part, in columns and lines.
    public var visibleOrigin: Point {
        let size = transform.applied(to: bounds.size)
        return Point(x: size.width / 2 - center.x, y: size.height / 2 - center.y)
    }

    /// Handles scrolling by the user.
    ///
    /// The picture can be moved as far as its edges, and a smaller picture is centered.
    open func scroll(to point: Point) throws(OperationError) {
        guard image != nil else { throw .notPossible("it has no picture") }
        guard point.isFinite else { throw .notPossible("a place has two finite numbers") }
        center = try center(showing: point, of: transform.applied(to: bounds.size))
    }

    /// Returns the center that shows a point of the zoomed picture in the upper-left corner, limited by the
    /// picture's edges.
    private func center(showing origin: Point, of size: Size) throws(OperationError) -> Point {
        func center(_ origin: Double, _ length: Double, _ visible: Double) -> Double {
            guard length > visible else { return visible / 2 }
            return length / 2 - origin.clamped(0, length - visible)
        }
        let center = Point(
            x: center(origin.x, size.width, visibleSize.width),
            y: center(origin.y, size.height, visibleSize.height))
        guard center.isFinite else { throw .notPossible("the picture would be too large") }
        return center
    }

    /// Handles zooming by the user.
    ///
    /// The point in the middle stays there, unless the picture's edges prevent this.
    open func zoom(to scale: Double) throws(OperationError) {
        guard image != nil else { throw .notPossible("it has no picture") }
        guard scale.isScale else { throw .notPossible("a zoom scale is finite and above 0") }
        let wanted = scale.clamped(minimumZoomScale, maximumZoomScale)
        let factor = wanted / zoomScale
        var transform = transform.scaled(by: factor)
        var center = center
        if factor.isFinite, factor > 0, transform.isFinite {
            let middle = Point(x: visibleSize.width / 2, y: visibleSize.height / 2)
            center.x = middle.x + (center.x - middle.x) * factor
            center.y = middle.y + (center.y - middle.y) * factor
        } else {
            transform = AffineTransform(scale: wanted)
        }
        let size = transform.applied(to: bounds.size)
        let origin = Point(x: size.width / 2 - center.x, y: size.height / 2 - center.y)
        center = try self.center(showing: origin, of: size)
        self.transform = transform
        self.center = center
    }

    // MARK: Appearance

    /// Draws the visible part of the picture in shades, or an empty frame if there is no picture.
    open override func draw(on canvas: inout TextCanvas) {
        ShadedPicture(self).draw(on: &canvas)
        super.draw(on: &canvas)
    }

    /// The visible size and the zoom limits (for storyboards), and the zoom scale and the picture's size (for
    /// commands).
    open override var properties: [Property] {
        [
            Property("visibleSize", of: self, \.visibleSize, isShown: false),
            Property(
                "minimumZoomScale", of: self, \.minimumZoomScale, above: 0, isShown: false),
            Property(
                "maximumZoomScale", of: self, \.maximumZoomScale, above: 0, isShown: false),
            Property("zoomScale", .double(self.zoomScale)),
            Property(
                "imageSize", self.image.map { .array([$0.width.inspected, $0.height.inspected]) }),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the bounds, center and transform (V5).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(bounds, forKey: "bounds")
        coder.encode(center, forKey: "center")
        coder.encode(transform, forKey: "transform")
    }

    /// Decodes the bounds, center and transform.
    ///
    /// Values that are not finite are ignored.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let bounds = try coder.decode(Rect.self, forKey: "bounds") { self.bounds = bounds }
        if let center = try coder.decode(Point.self, forKey: "center") { self.center = center }
        if let transform = try coder.decode(AffineTransform.self, forKey: "transform") {
            self.transform = transform
        }
    }
}
