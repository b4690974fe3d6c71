public import StateRestoration

/// A row of dots, one for each page, that shows which page is the current one.
///
/// A page control preserves the current page (V7).
open class PageControl: Control, ElementSelecting {
    private var boundedValue = BoundedValue(0) {
        didSet { if boundedValue.value != oldValue.value { restorableStateDidChange() } }
    }

    /// Number of pages, which is never negative.
    public var numberOfPages = 0 {
        didSet {
            numberOfPages = max(0, numberOfPages)
            boundedValue.boundsDidChange(adjust, else: 0)
        }
    }

    /// The zero-based index of the current page, or 0 if there are no pages.
    ///
    /// If you set an index that is out of range, the nearest index is used.
    public var currentPage: Int {
        get { boundedValue.value }
        set { boundedValue.set(newValue, adjust) }
    }

    private func adjust(_ page: Int) -> Int? { page.clamped(0, numberOfPages - 1) }

    // MARK: User operations

    /// Sets the current page on behalf of the user and runs the actions for ``Control/Event/valueChanged``.
    open func select(_ indexes: [Int]) throws(OperationError) {
        try requireEnabled()
        currentPage = try (0..<numberOfPages).onlyIndex(of: indexes, "page")
        sendActions(for: .valueChanged)
    }

    // MARK: Drawing

    /// Draws a dot for each page, with a filled dot for the current page.
    ///
    /// If there is not enough space, draws the number of the current page instead.
    open override func draw(on canvas: inout TextCanvas) {
        guard numberOfPages <= (canvas.width + 1) / 2 else {
            return canvas.centered("\(currentPage + 1) of \(numberOfPages)")
        }
        let dots = (0..<numberOfPages).map { $0 == currentPage ? "●" : "○" }
        canvas.centered(dots.joined(separator: " "))
    }

    /// Returns a slider element, because a page control can have any number of pages.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        guard numberOfPages > 0 else { return [] }
        var element = AccessibilityElement(.slider, label: "Page", target: self)
        element.isEnabled = isEnabled
        element.number = (Double(currentPage), 0, Double(numberOfPages - 1))
        element.actions = [.select]
        return [element]
    }

    // MARK: Storyboard

    /// The number of pages and the current page.
    ///
    /// A storyboard must set the number of pages first.
    open override var properties: [Property] {
        [
            Property("numberOfPages", of: self, \.numberOfPages, in: 0...1_000_000),
            Property(
                "currentPage", of: self, \.currentPage, in: 0...max(0, numberOfPages - 1)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the current page (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(currentPage, forKey: "currentPage")
    }

    /// Decodes the current page, without running actions.
    ///
    /// If the page does not exist, the nearest page becomes the current page.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let savedPage = try coder.decode(Int.self, forKey: "currentPage") {
            boundedValue.restore(savedPage, adjust)
        }
    }

    /// Discards the saved index if its page still does not exist.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        boundedValue.finishRestoration()
    }
}
