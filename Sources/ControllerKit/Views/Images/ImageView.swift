public import StateRestoration

/// A view that shows a picture that the user can zoom and scroll.
///
/// An image view preserves its bounds, center and transform (V5). It does not preserve the picture itself, which its
/// controller can encode as ``Image/data``.
///
/// The picture fills ``bounds``, to which ``transform`` is applied. ``center`` is the position of the bounds' center in
/// the visible area.
open class ImageView: View, Zoomable, Scrollable {
    /// The picture, or `nil` if there is none.
    ///
    /// If the size of a new picture differs from the bounds, the picture is centered and the zoom scale is reset.
    public var image: Image? {
        didSet {
            guard image != oldValue else { return }
            if let image, image.size != bounds.size { fit(image) }
            restorableStateDidChange()
        }
    }

    /// Size of the view's visible area, in columns and lines.
    ///
    /// When the size changes, the part of the picture in the middle of the visible area stays in the middle.
    public var visibleSize = Size(width: 36, height: 8) {
        didSet {
            guard visibleSize != oldValue else { return }
            center.x += (visibleSize.width - oldValue.width) / 2
            center.y += (visibleSize.height - oldValue.height) / 2
        }
    }

    /// The rectangle that the picture fills, before the transform is applied.
    ///
    /// Setting a rectangle with a negative width or height, or with a component that is not finite, has no effect.
    public var bounds = Rect.zero {
        didSet {
            if !Self.isUsable(bounds) {
                bounds = oldValue
            } else {
                invalidateIfChanged(bounds, oldValue)
            }
        }
    }

    /// Position of the center of the bounds, in columns and lines from the upper-left corner of the visible area.
    ///
    /// Setting a point that is not finite has no effect.
    public var center = Point(x: 18, y: 4) {
        didSet {
            if !center.isFinite { center = oldValue } else { invalidateIfChanged(center, oldValue) }
        }
    }

    /// The transform that is applied to the bounds, relative to the center of the bounds.
    ///
    /// Setting a transform that is not finite has no effect.
    public var transform = AffineTransform.identity {
        didSet {
            if !transform.isFinite {
                transform = oldValue
            } else {
                invalidateIfChanged(transform, oldValue)
            }
        }
    }

    /// The minimum scale to which the user can zoom.
    ///
    /// The scale is always greater than 0.
    public var minimumZoomScale = 0.25 {
        didSet { if !minimumZoomScale.isValidZoomScale { minimumZoomScale = oldValue } }
    }

    /// The maximum scale to which the user can zoom.
    ///
    /// If the minimum is greater, the minimum applies.
    public var maximumZoomScale = 8.0 {
        didSet { if !maximumZoomScale.isValidZoomScale { maximumZoomScale = oldValue } }
    }

    /// The current zoom scale of the picture.
    public var zoomScale: Double { transform.scale }

    private func invalidateIfChanged<Value: Equatable>(_ value: Value, _ oldValue: Value) {
        if value != oldValue { restorableStateDidChange() }
    }

    private static func isUsable(_ bounds: Rect) -> Bool {
        bounds.origin.isFinite && bounds.size.isValidSize
    }

    private func fit(_ image: Image) {
        bounds = Rect(origin: .zero, size: image.size)
        center = Point(x: visibleSize.width / 2, y: visibleSize.height / 2)
        transform = .identity
    }

    // MARK: User operations

    /// The point in the zoomed picture that is shown in the upper-left corner of the visible area, in columns and
    /// lines.
    public var visibleOrigin: Point {
        let size = transform.applied(to: bounds.size)
        return Point(x: size.width / 2 - center.x, y: size.height / 2 - center.y)
    }

    /// Scrolls on behalf of the user.
    ///
    /// The picture cannot be scrolled beyond its edges. A picture that is smaller than the visible area is centered.
    open func scroll(to point: Point) throws(OperationError) {
        guard image != nil else { throw .notPossible("it has no picture") }
        guard point.isFinite else { throw .notPossible("both coordinates must be finite numbers") }
        center = try center(showing: point, of: transform.applied(to: bounds.size))
    }

    /// Returns the center that moves a point of the zoomed picture to the upper-left corner, or as close to the corner
    /// as the picture's edges allow.
    private func center(showing origin: Point, of size: Size) throws(OperationError) -> Point {
        func center(_ origin: Double, _ length: Double, _ visibleLength: Double) -> Double {
            guard length > visibleLength else { return visibleLength / 2 }
            return length / 2 - origin.clamped(0, length - visibleLength)
        }
        let center = Point(
            x: center(origin.x, size.width, visibleSize.width),
            y: center(origin.y, size.height, visibleSize.height))
        guard center.isFinite else { throw .notPossible("the picture would be too large") }
        return center
    }

    /// Zooms on behalf of the user.
    ///
    /// The part of the picture in the middle of the visible area stays in the middle, unless the picture's edges
    /// prevent this.
    open func zoom(to scale: Double) throws(OperationError) {
        guard image != nil else { throw .notPossible("it has no picture") }
        guard scale.isValidZoomScale else {
            throw .notPossible("the zoom scale must be a finite number above 0")
        }
        let newScale = scale.clamped(minimumZoomScale, maximumZoomScale)
        let factor = newScale / zoomScale
        var transform = transform.scaled(by: factor)
        var center = center
        if factor.isFinite, factor > 0, transform.isFinite {
            let middle = Point(x: visibleSize.width / 2, y: visibleSize.height / 2)
            center.x = middle.x + (center.x - middle.x) * factor
            center.y = middle.y + (center.y - middle.y) * factor
        } else {
            transform = AffineTransform(scale: newScale)
        }
        let size = transform.applied(to: bounds.size)
        let origin = Point(x: size.width / 2 - center.x, y: size.height / 2 - center.y)
        center = try self.center(showing: origin, of: size)
        self.transform = transform
        self.center = center
    }

    // MARK: Appearance

    /// Draws the visible part of the picture in shaded characters, or an empty frame if there is no picture.
    open override func draw(on canvas: inout TextCanvas) {
        ShadedPicture(self).draw(on: &canvas)
        super.draw(on: &canvas)
    }

    /// Returns an image element whose value is the drawing, followed by the elements of the subviews.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var canvas = TextCanvas(width: Int(flooring: visibleSize.width).clamped(1, 200))
        ShadedPicture(self).draw(on: &canvas)
        var element = AccessibilityElement(.image, target: self)
        element.value = canvas.lines.joined(separator: "\n")
        element.visibleOrigin = visibleOrigin
        if image != nil {
            element.actions = [.scroll]
            if minimumZoomScale < maximumZoomScale {
                element.number = (zoomScale, minimumZoomScale, maximumZoomScale)
                element.actions.append(.zoom)
            }
        }
        return [element] + accessibilityElements(of: subviews, maximumRows: maximumRows)
    }

    /// The visible size, the zoom limits, the zoom scale, and the picture's size.
    ///
    /// Storyboards can set the visible size and the zoom limits. Commands can show the zoom scale and the picture's
    /// size.
    open override var properties: [Property] {
        [
            Property("visibleSize", of: self, \.visibleSize, isShown: false),
            Property(
                "minimumZoomScale", of: self, \.minimumZoomScale, above: 0, isShown: false),
            Property(
                "maximumZoomScale", of: self, \.maximumZoomScale, above: 0, isShown: false),
            Property("zoomScale", .double(self.zoomScale)),
            Property(
                "imageSize",
                self.image.map { .array([$0.width.inspectionValue, $0.height.inspectionValue]) }),
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
    /// Invalid values are ignored.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let bounds = try coder.decode(Rect.self, forKey: "bounds") { self.bounds = bounds }
        if let center = try coder.decode(Point.self, forKey: "center") { self.center = center }
        if let transform = try coder.decode(AffineTransform.self, forKey: "transform") {
            self.transform = transform
        }
    }
}
