public import StateRestoration

/// A view that shows part of its content, which can be larger than the view.
///
/// A scroll view preserves which part is visible (V1).
///
/// The subviews draw the content, or a subclass draws it in ``drawContent(lines:on:)``. ``contentSize`` is the size of
/// the content, and ``visibleSize`` is the size of the visible part. Setting a property of the view to a value that is
/// not finite has no effect.
open class ScrollView: View, Scrollable, Zoomable {
    /// Size of the content before zooming.
    ///
    /// The size is never negative.
    public var contentSize = Size.zero {
        didSet {
            if !contentSize.isValidSize { contentSize = oldValue }
            if contentSize != oldValue { keepWithinBounds() }
        }
    }

    /// Size of the visible part, in columns and lines.
    ///
    /// The size is never negative.
    public var visibleSize = Size(width: 36, height: 8) {
        didSet {
            if !visibleSize.isValidSize { visibleSize = oldValue }
            guard visibleSize != oldValue else { return }
            visibleSizeDidChange()
            keepWithinBounds()
        }
    }

    /// Empty space around the content.
    public var contentInset = EdgeInsets.zero {
        didSet {
            if !contentInset.isFinite { contentInset = oldValue }
            guard contentInset != oldValue else { return }
            keepWithinBounds()
            restorableStateDidChange()
        }
    }

    /// The point in the zoomed content that is shown in the upper-left corner.
    ///
    /// If you set a point outside ``offsetBounds``, the nearest point within the bounds is used.
    public var contentOffset: Point {
        get { offset }
        set {
            guard newValue.isFinite else { return }
            let bounds = offsetBounds
            let clampedOffset = Point(
                x: newValue.x.clamped(bounds.smallest.x, bounds.largest.x),
                y: newValue.y.clamped(bounds.smallest.y, bounds.largest.y))
            guard clampedOffset != offset else { return }
            offset = clampedOffset
            contentOffsetDidChange()
            restorableStateDidChange()
        }
    }

    /// The current zoom scale, from ``minimumZoomScale`` to ``maximumZoomScale``.
    public var zoomScale: Double {
        get { scale }
        set {
            guard newValue.isValidZoomScale else { return }
            let clampedScale = newValue.clamped(minimumZoomScale, maximumZoomScale)
            guard clampedScale != scale else { return }
            scale = clampedScale
            contentOffset = offset
            restorableStateDidChange()
        }
    }

    /// The minimum zoom scale.
    ///
    /// The scale is always greater than 0.
    public var minimumZoomScale = 1.0 {
        didSet {
            if !minimumZoomScale.isValidZoomScale { minimumZoomScale = oldValue }
            keepWithinBounds()
        }
    }

    /// The maximum zoom scale.
    ///
    /// If the minimum is greater, the minimum applies.
    public var maximumZoomScale = 1.0 {
        didSet {
            if !maximumZoomScale.isValidZoomScale { maximumZoomScale = oldValue }
            keepWithinBounds()
        }
    }

    /// Storage of ``contentOffset``.
    private var offset = Point.zero
    /// Storage of ``zoomScale``.
    private var scale = 1.0
    /// The layout with which the content is currently being drawn, or `nil` to draw it with the view's own layout.
    var drawnLayout: TextLayout?
    /// Whether the offset and the zoom scale have been restored but their bounds can still change.
    private var isRestoring = false

    /// The smallest and the largest content offset.
    ///
    /// The largest offset is never less than the smallest offset.
    public var offsetBounds: (smallest: Point, largest: Point) {
        offsetBounds(of: contentSize, in: visibleSize)
    }

    /// Returns the smallest and the largest offset for content of the given size before zooming.
    func offsetBounds(
        of contentSize: Size, in visibleSize: Size
    ) -> (smallest: Point, largest: Point) {
        let smallest = Point(x: -contentInset.left, y: -contentInset.top)
        let largest = Point(
            x: contentSize.width * scale + contentInset.right - visibleSize.width,
            y: contentSize.height * scale + contentInset.bottom - visibleSize.height)
        return (smallest, Point(x: max(smallest.x, largest.x), y: max(smallest.y, largest.y)))
    }

    /// Adjusts the zoom scale and the offset to the nearest values within their bounds.
    public func keepWithinBounds() {
        guard !isRestoring else { return }
        zoomScale = scale
        contentOffset = offset
    }

    /// Returns the elements of the content. If the user can zoom, the elements are inside a group that has the zoom
    /// action.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        let elements = super.accessibilityElements(maximumRows: maximumRows)
        guard minimumZoomScale < maximumZoomScale else { return elements }
        var group = AccessibilityElement(.group, target: self)
        group.number = (zoomScale, minimumZoomScale, maximumZoomScale)
        group.actions = [.zoom]
        group.children = elements
        return [group]
    }

    /// Called after ``contentOffset`` has changed.
    ///
    /// The default implementation does nothing.
    open func contentOffsetDidChange() {}

    /// Called after ``visibleSize`` has changed.
    ///
    /// The default implementation does nothing.
    open func visibleSizeDidChange() {}

    // MARK: User operations

    /// The value of ``contentOffset``, which is the point in the zoomed content that is shown in the upper-left corner.
    public var visibleOrigin: Point { contentOffset }

    /// Scrolls on behalf of the user.
    open func scroll(to point: Point) throws(OperationError) {
        guard point.isFinite else { throw .notPossible("both coordinates must be finite numbers") }
        contentOffset = point
    }

    /// Zooms on behalf of the user.
    ///
    /// The content in the middle of the visible part stays in the middle.
    open func zoom(to scale: Double) throws(OperationError) {
        guard scale.isValidZoomScale else {
            throw .notPossible("the zoom scale must be a finite number above 0")
        }
        guard minimumZoomScale < maximumZoomScale else {
            throw .notPossible("its zoom scale is fixed at \(zoomScale)")
        }
        let visibleCenter = Point(
            x: (offset.x + visibleSize.width / 2) / zoomScale,
            y: (offset.y + visibleSize.height / 2) / zoomScale)
        zoomScale = scale
        contentOffset = Point(
            x: visibleCenter.x * zoomScale - visibleSize.width / 2,
            y: visibleCenter.y * zoomScale - visibleSize.height / 2)
    }

    // MARK: Drawing

    /// Draws the visible part of the content.
    ///
    /// Unless all of the content is visible at its natural size, a line below it states the visible range and the zoom
    /// scale.
    open override func draw(on canvas: inout TextCanvas) {
        drawVisiblePart(on: &canvas)
    }

    override var fillsHeight: Bool { true }

    override func contentHeight(columns: Int) -> Int {
        lineMapping(columns: contentColumns(in: columns))?.drawnLayout.lines.count
            ?? Int(flooring: contentSize.height)
    }

    /// Returns the mapping to the lines of a drawing with the given width, or `nil` if the content is not wrapped text.
    func lineMapping(columns: Int) -> LineMapping? { nil }

    /// Returns the width of the content when the view is drawn with the given width.
    func contentColumns(in columns: Int) -> Int { columns }

    /// Returns the line that must be visible in the given layout, or `nil` if there is none.
    func lineToShow(in layout: TextLayout) -> Int? { nil }

    /// Draws lines of the content.
    ///
    /// The default implementation draws all subviews and extracts the lines from the result.
    ///
    /// - Parameters:
    ///   - lines: The zero-based range of visible lines, which can extend beyond the end of the content.
    ///   - canvas: An empty canvas that is as wide as the content or the visible part, whichever is wider.
    open func drawContent(lines: Range<Int>, on canvas: inout TextCanvas) {
        var content = TextCanvas(width: canvas.width)
        super.draw(on: &content)
        canvas.append(content.part(columns: 0..<content.width, lines: lines))
    }

    // MARK: Storyboard

    /// The content size, the visible size, the insets, and the zoom limits.
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

    /// Encodes the offset, the zoom scale and the inset (V1).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(contentOffset, forKey: "contentOffset")
        coder.encode(zoomScale, forKey: "zoomScale")
        coder.encode(contentInset, forKey: "contentInset")
    }

    /// Decodes the offset, the zoom scale and the inset.
    ///
    /// Until every object has decoded its state, the offset and the zoom scale can be outside their bounds.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        isRestoring = true
        if let inset = try coder.decode(EdgeInsets.self, forKey: "contentInset") {
            contentInset = inset
        }
        if let value = try coder.decode(Double.self, forKey: "zoomScale"), value.isValidZoomScale {
            scale = value
        }
        if let point = try coder.decode(Point.self, forKey: "contentOffset"), point.isFinite {
            offset = point
        }
    }

    /// Limits the zoom scale and the offset to their bounds.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        isRestoring = false
        keepWithinBounds()
    }
}
