public import StateRestoration

/// Shows a part of something larger. Preserves which part (V1).
///
/// The content is what the subviews draw, or what a subclass draws; ``contentSize`` tells how large
/// it is, ``visibleSize`` how much of it is seen.
open class ScrollView: View, Scrollable, Zoomable {
    /// How large the content is, not zoomed.
    public var contentSize = Size.zero {
        didSet { if contentSize != oldValue { keepWithinBounds() } }
    }

    /// How much is seen: columns and lines.
    public var visibleSize = Size(width: 36, height: 8) {
        didSet { if visibleSize != oldValue { keepWithinBounds() } }
    }

    /// Room around the content, in which nothing is.
    public var contentInset = EdgeInsets.zero {
        didSet {
            guard contentInset != oldValue else { return }
            keepWithinBounds()
            restorableStateDidChange()
        }
    }

    /// What of the content is in the upper left corner. Setting it beyond the bounds goes as far as
    /// they reach.
    public var contentOffset: Point {
        get { offset }
        set { setOffset(newValue) }
    }

    /// How much the content is enlarged; within ``minimumZoomScale`` and ``maximumZoomScale``.
    public var zoomScale: Double {
        get { scale }
        set { setScale(newValue) }
    }

    /// The smallest zoom scale; above 0.
    public var minimumZoomScale = 1.0 { didSet { setScale(scale) } }
    /// The largest zoom scale.
    public var maximumZoomScale = 1.0 { didSet { setScale(scale) } }

    private var offset = Point.zero
    private var scale = 1.0
    /// Whether the offset was just restored, and what it leads into may still change.
    private var isRestoring = false

    /// Where the content offset can be: the largest is never less than the smallest.
    public var offsetBounds: (smallest: Point, largest: Point) {
        let smallest = Point(x: -contentInset.left, y: -contentInset.top)
        let largest = Point(
            x: contentSize.width * scale + contentInset.right - visibleSize.width,
            y: contentSize.height * scale + contentInset.bottom - visibleSize.height)
        return (smallest, Point(x: max(smallest.x, largest.x), y: max(smallest.y, largest.y)))
    }

    private func setOffset(_ point: Point) {
        guard point.isFinite else { return }
        let bounds = offsetBounds
        let within = Point(
            x: min(max(point.x, bounds.smallest.x), bounds.largest.x),
            y: min(max(point.y, bounds.smallest.y), bounds.largest.y))
        guard within != offset else { return }
        offset = within
        contentOffsetDidChange()
        restorableStateDidChange()
    }

    private func setScale(_ value: Double) {
        guard value.isFinite else { return }
        let within = min(max(value, minimumZoomScale), max(minimumZoomScale, maximumZoomScale))
        guard within != scale else { return }
        scale = within
        keepWithinBounds()
        restorableStateDidChange()
    }

    /// Something else than before may be within reach.
    public func keepWithinBounds() {
        if !isRestoring { setOffset(offset) }
    }

    /// The content offset is another. The default does nothing.
    open func contentOffsetDidChange() {}

    /// Sets `contentSize` or `visibleSize` (width, height), `contentInset` (top, left, bottom,
    /// right), `minimumZoomScale` or `maximumZoomScale`.
    open override func setProperty(
        _ name: String, to value: PropertyValue
    ) throws(PropertyError) {
        switch name {
        case "contentSize": contentSize = try value.size()
        case "visibleSize": visibleSize = try value.size()
        case "contentInset": contentInset = try value.insets()
        case "minimumZoomScale": minimumZoomScale = try value.double(above: 0)
        case "maximumZoomScale": maximumZoomScale = try value.double(above: 0)
        default:
            let known = [
                "contentSize", "visibleSize", "contentInset", "minimumZoomScale",
                "maximumZoomScale",
            ]
            try inherited(known) { () throws(PropertyError) in
                try super.setProperty(name, to: value)
            }
        }
    }

    // MARK: What a person does

    /// A person scrolls.
    open func scroll(to point: Point) throws(OperationError) {
        contentOffset = point
    }

    /// A person zooms.
    open func zoom(to scale: Double) throws(OperationError) {
        guard minimumZoomScale < maximumZoomScale else {
            throw .notPossible("its zoom scale is fixed at \(zoomScale)")
        }
        zoomScale = scale
    }

    // MARK: Preservation

    /// Stores offset, zoom scale and inset (V1).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(contentOffset, forKey: "contentOffset")
        coder.encode(zoomScale, forKey: "zoomScale")
        coder.encode(contentInset, forKey: "contentInset")
    }

    /// Takes offset, zoom scale and inset back. Until every object has its state the offset may lie
    /// outside of what there is yet.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let inset = try coder.decode(EdgeInsets.self, forKey: "contentInset") {
            contentInset = inset
        }
        if let scale = try coder.decode(Double.self, forKey: "zoomScale") { zoomScale = scale }
        if let point = try coder.decode(Point.self, forKey: "contentOffset"), point.isFinite {
            isRestoring = true
            offset = point
        }
    }

    /// Everything is there again: the offset keeps within it.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        isRestoring = false
        keepWithinBounds()
    }
}
