public import StateRestoration

/// Shows a picture, which a person enlarges and moves. Preserves its bounds, center and transform
/// (V5); the picture itself is the controller's to encode, as ``Image/data``.
///
/// The picture fills ``bounds``. These are enlarged by ``transform``, and their middle lies at
/// ``center`` of the view's visible part.
open class ImageView: View, Zoomable, Scrollable {
    /// The picture. One of another size than the bounds is shown as it is, in the middle.
    public var image: Image? {
        didSet {
            guard image != oldValue else { return }
            if let image, image.size != bounds.size { fit(image) }
            restorableStateDidChange()
        }
    }

    /// How much is seen: columns and lines. What is in the middle stays there.
    public var visibleSize = Size(width: 36, height: 8) {
        didSet {
            guard visibleSize != oldValue else { return }
            center.x += (visibleSize.width - oldValue.width) / 2
            center.y += (visibleSize.height - oldValue.height) / 2
        }
    }

    /// The rectangle that the picture fills, not enlarged. Setting what is no number, or has no
    /// size, changes nothing.
    public var bounds = Rect.zero {
        didSet { if !Self.isUsable(bounds) { bounds = oldValue } else { note(bounds, oldValue) } }
    }

    /// Where the middle of the bounds is: columns and lines from the upper left corner of what is
    /// seen. Setting what is no number changes nothing.
    public var center = Point(x: 18, y: 4) {
        didSet { if !center.isFinite { center = oldValue } else { note(center, oldValue) } }
    }

    /// How the bounds are enlarged and turned around their middle; finite, or it is not set.
    public var transform = AffineTransform.identity {
        didSet {
            if !transform.isFinite { transform = oldValue } else { note(transform, oldValue) }
        }
    }

    /// The smallest scale that a person gets by zooming; above 0.
    public var minimumZoomScale = 0.25 {
        didSet { if !minimumZoomScale.isScale { minimumZoomScale = oldValue } }
    }

    /// The largest scale that a person gets by zooming; the smallest one counts if that is larger.
    public var maximumZoomScale = 8.0 {
        didSet { if !maximumZoomScale.isScale { maximumZoomScale = oldValue } }
    }

    /// How much the picture is enlarged.
    public var zoomScale: Double { transform.scale }

    private func note<Value: Equatable>(_ value: Value, _ oldValue: Value) {
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

    // MARK: What a person does

    /// The point of the enlarged picture in the upper left corner: columns and lines.
    public var visibleOrigin: Point {
        let size = transform.applied(to: bounds.size)
        return Point(x: size.width / 2 - center.x, y: size.height / 2 - center.y)
    }

    /// A person moves the picture, as far as its edge; a small one stays in the middle.
    open func scroll(to point: Point) throws(OperationError) {
        guard image != nil else { throw .notPossible("it has no picture") }
        guard point.isFinite else { throw .notPossible("a place has two finite numbers") }
        center = try center(showing: point, of: transform.applied(to: bounds.size))
    }

    /// Where the middle of the enlarged picture is while a point of it is in the upper left corner,
    /// as far as its edges permit.
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

    /// A person enlarges the picture, or makes it smaller. What is in the middle stays there, as
    /// far as the edges of the picture permit.
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

    /// The visible part of the picture, in shades; an empty frame without one.
    open override func draw(on canvas: inout TextCanvas) {
        ShadedPicture(self).draw(on: &canvas)
        super.draw(on: &canvas)
    }

    /// The visible size and the limits of the zoom scale, for storyboards; the scale and the
    /// picture's size, for commands.
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

    /// Stores bounds, center and transform (V5).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(bounds, forKey: "bounds")
        coder.encode(center, forKey: "center")
        coder.encode(transform, forKey: "transform")
    }

    /// Takes bounds, center and transform back. What is no number is left as it is.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let bounds = try coder.decode(Rect.self, forKey: "bounds") { self.bounds = bounds }
        if let center = try coder.decode(Point.self, forKey: "center") { self.center = center }
        if let transform = try coder.decode(AffineTransform.self, forKey: "transform") {
            self.transform = transform
        }
    }
}
