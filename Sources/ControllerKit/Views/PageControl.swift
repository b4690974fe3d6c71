public import StateRestoration

/// A row of dots, one for each page, of which one is the current. Preserves which (V7).
open class PageControl: Control, ElementChoosing {
    private var bounded = BoundedValue(0) {
        didSet { if bounded.value != oldValue.value { restorableStateDidChange() } }
    }

    /// How many pages there are; never negative.
    public var numberOfPages = 0 {
        didSet {
            numberOfPages = max(0, numberOfPages)
            bounded.boundsDidChange(fit, else: 0)
        }
    }

    /// The current page, counted from 0. Setting it beyond the pages takes the nearest; without
    /// pages it is 0.
    public var currentPage: Int {
        get { bounded.value }
        set { bounded.set(newValue, fit) }
    }

    private func fit(_ page: Int) -> Int? { page.clamped(0, numberOfPages - 1) }

    // MARK: What a person does

    /// A person chooses a page, and the actions for a changed value run.
    open func choose(_ indexes: [Int]) throws(OperationError) {
        try requireEnabled()
        currentPage = try (0..<numberOfPages).onlyIndex(of: indexes, "page")
        sendActions(for: .valueChanged)
    }

    // MARK: Drawing

    /// A dot for each page, the current one filled; of more pages than there is room for, the
    /// number.
    open override func draw(on canvas: inout TextCanvas) {
        guard numberOfPages <= (canvas.width + 1) / 2 else {
            return canvas.centered("\(currentPage + 1) of \(numberOfPages)")
        }
        let dots = (0..<numberOfPages).map { $0 == currentPage ? "●" : "○" }
        canvas.centered(dots.joined(separator: " "))
    }

    // MARK: Storyboard

    /// The pages and, stated behind them, the current one.
    open override var properties: [Property] {
        [
            Property("numberOfPages", of: self, \.numberOfPages, in: 0...1_000_000),
            Property(
                "currentPage", of: self, \.currentPage, in: 0...max(0, numberOfPages - 1)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the current page (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(currentPage, forKey: "currentPage")
    }

    /// Takes the current page back, the last one if it is gone; the actions do not run.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let saved = try coder.decode(Int.self, forKey: "currentPage") {
            bounded.restore(saved, fit)
        }
    }

    /// Everything is there again: a page that is not there now is given up.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        bounded.endRestoring()
    }
}
