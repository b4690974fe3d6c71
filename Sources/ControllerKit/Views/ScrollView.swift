public import StateRestoration

/// Shows a part of something larger. Preserves which part (V1).
///
/// The content is what the subviews draw, or what a subclass draws in ``drawContent(lines:on:)``;
/// ``contentSize`` tells how large it is, ``visibleSize`` how much of it is seen. What is no finite
/// number is not taken for any of the view's properties.
open class ScrollView: View, Scrollable, Zoomable {
    /// How large the content is, not zoomed; never negative.
    public var contentSize = Size.zero {
        didSet {
            if !contentSize.isExtent { contentSize = oldValue }
            if contentSize != oldValue { keepWithinBounds() }
        }
    }

    /// How much is seen: columns and lines; never negative.
    public var visibleSize = Size(width: 36, height: 8) {
        didSet {
            if !visibleSize.isExtent { visibleSize = oldValue }
            guard visibleSize != oldValue else { return }
            visibleSizeDidChange()
            keepWithinBounds()
        }
    }

    /// Room around the content, in which nothing is.
    public var contentInset = EdgeInsets.zero {
        didSet {
            if !contentInset.isFinite { contentInset = oldValue }
            guard contentInset != oldValue else { return }
            keepWithinBounds()
            restorableStateDidChange()
        }
    }

    /// The point of the zoomed content in the upper left corner. Setting it beyond the
    /// bounds goes as far as they reach.
    public var contentOffset: Point {
        get { offset }
        set {
            guard newValue.isFinite else { return }
            let bounds = offsetBounds
            let within = Point(
                x: newValue.x.clamped(bounds.smallest.x, bounds.largest.x),
                y: newValue.y.clamped(bounds.smallest.y, bounds.largest.y))
            guard within != offset else { return }
            offset = within
            contentOffsetDidChange()
            restorableStateDidChange()
        }
    }

    /// How much the content is enlarged; within ``minimumZoomScale`` and ``maximumZoomScale``.
    public var zoomScale: Double {
        get { scale }
        set {
            guard newValue.isScale else { return }
            let within = newValue.clamped(minimumZoomScale, maximumZoomScale)
            guard within != scale else { return }
            scale = within
            contentOffset = offset
            restorableStateDidChange()
        }
    }

    /// The smallest zoom scale; above 0.
    public var minimumZoomScale = 1.0 {
        didSet {
            if !minimumZoomScale.isScale { minimumZoomScale = oldValue }
            keepWithinBounds()
        }
    }

    /// The largest zoom scale; the smallest one counts if that is larger.
    public var maximumZoomScale = 1.0 {
        didSet {
            if !maximumZoomScale.isScale { maximumZoomScale = oldValue }
            keepWithinBounds()
        }
    }

    private var offset = Point.zero
    private var scale = 1.0
    /// Whether offset and scale were just restored, and what bounds them may still change.
    private var isRestoring = false

    /// Where the content offset can be: the largest is never less than the smallest.
    public var offsetBounds: (smallest: Point, largest: Point) {
        let smallest = Point(x: -contentInset.left, y: -contentInset.top)
        let largest = Point(
            x: contentSize.width * scale + contentInset.right - visibleSize.width,
            y: contentSize.height * scale + contentInset.bottom - visibleSize.height)
        return (smallest, Point(x: max(smallest.x, largest.x), y: max(smallest.y, largest.y)))
    }

    /// The bounds may be others: zoom scale and offset stay as near to where they are as they can.
    public func keepWithinBounds() {
        guard !isRestoring else { return }
        zoomScale = scale
        contentOffset = offset
    }

    /// The content offset is another. The default does nothing.
    open func contentOffsetDidChange() {}

    /// The visible size is another. The default does nothing.
    open func visibleSizeDidChange() {}

    // MARK: What a person does

    /// The point in the upper left corner: ``contentOffset``.
    public var visibleOrigin: Point { contentOffset }

    /// A person scrolls.
    open func scroll(to point: Point) throws(OperationError) {
        guard point.isFinite else { throw .notPossible("a place has two finite numbers") }
        contentOffset = point
    }

    /// A person zooms. What is in the middle stays there.
    open func zoom(to scale: Double) throws(OperationError) {
        guard scale.isScale else { throw .notPossible("a zoom scale is finite and above 0") }
        guard minimumZoomScale < maximumZoomScale else {
            throw .notPossible("its zoom scale is fixed at \(zoomScale)")
        }
        let middle = Point(
            x: (offset.x + visibleSize.width / 2) / zoomScale,
            y: (offset.y + visibleSize.height / 2) / zoomScale)
        zoomScale = scale
        contentOffset = Point(
            x: middle.x * zoomScale - visibleSize.width / 2,
            y: middle.y * zoomScale - visibleSize.height / 2)
    }

    // MARK: Drawing

    /// The part of the content that is seen, and below it which part that is, unless it is all.
    open override func draw(on canvas: inout TextCanvas) {
        drawSeenPart(on: &canvas)
    }

    /// Draws lines of the content. The default cuts them out of what the subviews draw.
    ///
    /// - Parameters:
    ///   - lines: those that are seen, counted from 0, however many there are.
    ///   - canvas: an empty one, as wide as the content, or as what is seen if that is wider.
    open func drawContent(lines: Range<Int>, on canvas: inout TextCanvas) {
        var content = TextCanvas(width: canvas.width)
        super.draw(on: &content)
        canvas.append(content.part(columns: 0..<content.width, lines: lines))
    }

    // MARK: Storyboard

    /// Content and visible size, insets, and the limits of the zoom scale.
    open override var properties: [Property] {
        [
            Property("contentSize", of: self, \.contentSize),
            Property("visibleSize", of: self, \.visibleSize),
            Property("contentInset", of: self, \.contentInset, isShown: false),
            Property("minimumZoomScale", of: self, \.minimumZoomScale, above: 0),
            Property("maximumZoomScale", of: self, \.maximumZoomScale, above: 0),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores offset, zoom scale and inset (V1).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(contentOffset, forKey: "contentOffset")
        coder.encode(zoomScale, forKey: "zoomScale")
        coder.encode(contentInset, forKey: "contentInset")
    }

    /// Takes offset, zoom scale and inset back. Until every object has its state, offset and scale
    /// may lie outside of what there is yet.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        isRestoring = true
        if let inset = try coder.decode(EdgeInsets.self, forKey: "contentInset") {
            contentInset = inset
        }
        if let value = try coder.decode(Double.self, forKey: "zoomScale"), value.isScale {
            scale = value
        }
        if let point = try coder.decode(Point.self, forKey: "contentOffset"), point.isFinite {
            offset = point
        }
    }

    /// Everything is there again: scale and offset keep within it.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        isRestoring = false
        keepWithinBounds()
    }
}
