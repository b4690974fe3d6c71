import ExactText
public import FoundationEssentials
public import StateRestoration

/// Shows pages of text, one after the other, as a browser does. Preserves which a person was at,
/// and how far each was scrolled and enlarged (V6).
open class WebView: ScrollView, HistoryBrowsing {
    /// Gives the pages; kept weakly.
    public weak var pageSource: (any WebPageSource)? {
        didSet { if pageSource !== oldValue { readPage() } }
    }

    /// Is told where a person goes; kept weakly.
    public weak var delegate: (any WebViewDelegate)?

    /// The pages that were visited.
    public var history: WebHistory {
        var history = visited
        history.current = currentEntry
        return history
    }

    /// The visible part of the current page.
    private var text = ""
    /// How often another page became the current one.
    private var navigations = 0
    /// How often a page was asked for.
    private var readings = 0
    /// Whether the current page is not shown yet, and what is seen is still another one.
    private var isArriving = false
    /// That in lines.
    private var layout = TextLayout("", width: 1)
    /// The pages as they were when they were left.
    private var visited = WebHistory()

    /// The most characters of a page that are shown.
    public static let longestText = 1_000_000

    /// An empty view whose pages can be enlarged fourfold.
    public required init() {
        super.init()
        maximumZoomScale = 4
    }

    /// Where the page is that is shown; nil: none is.
    public var url: URL? { visited.current?.url }

    /// The title of the page that is shown; nil if none is.
    public var title: String? { visited.current?.title }

    /// Whether there is a page before the one that is shown.
    public var canGoBack: Bool { visited.canGoBack }

    /// Whether there is a page behind the one that is shown.
    public var canGoForward: Bool { visited.canGoForward }

    // MARK: What a person does

    /// Goes to a page. Those to which one could have gone forward are dropped, and so is the oldest
    /// one above ``WebHistory/mostEntries``.
    open func load(_ address: String) throws(OperationError) {
        guard let url = WebHistory.url(of: address) else {
            throw .notPossible("it loads absolute URLs only, such as https://example.org/page")
        }
        navigate { $0.add(url) }
    }

    /// Goes to the page before this one, and to where it was scrolled.
    open func goBack() throws(OperationError) {
        guard canGoBack else { throw .notPossible("there is no page before this one") }
        navigate { $0.goBack() }
    }

    /// Goes to the page behind this one, and to where it was scrolled.
    open func goForward() throws(OperationError) {
        guard canGoForward else { throw .notPossible("there is no page after this one") }
        navigate { $0.goForward() }
    }

    private func navigate(_ change: (inout WebHistory) -> Void) {
        visited.current = currentEntry
        change(&visited)
        restorableStateDidChange()
        guard let entry = visited.current else { return }
        navigations += 1
        let navigation = navigations
        isArriving = true
        readPage()
        // The source may have led to another page instead.
        guard navigation == navigations else { return }
        isArriving = false
        zoomScale = entry.zoomScale
        contentOffset = entry.contentOffset
        delegate?.webView(self, didNavigateTo: entry.url)
    }

    // MARK: Pages

    /// The current page as it is seen now.
    private var currentEntry: WebHistory.Entry? {
        guard var entry = visited.current else { return nil }
        if isArriving { return entry }
        entry.contentOffset = contentOffset
        entry.zoomScale = zoomScale
        return entry
    }

    /// Asks for the current page. One that is not there keeps the title that it had. An answer that
    /// comes after another page was asked for is dropped.
    private func readPage() {
        readings += 1
        let reading = readings
        var page: WebPage?
        if let entry = visited.current {
            page = pageSource?.webView(self, pageAt: entry.url) ?? .notFound(entry)
            guard reading == readings else { return }
        }
        let title = page.map { String($0.title.prefix(WebHistory.longestTitle)) }
        if let title, title != visited.current?.title {
            visited.current?.title = title
            restorableStateDidChange()
        }
        text = page.map { String($0.text.prefix(Self.longestText)) } ?? ""
        layOut()
    }

    private func layOut() {
        let columns = Int(whole: visibleSize.width).clamped(1, TextCanvas.widest)
        layout = TextLayout(text, width: columns)
        contentSize = Size(width: Double(columns), height: Double(layout.lines.count))
    }

    /// Breaks the page anew.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        layOut()
    }

    // MARK: Appearance

    /// The way back and forward and the URL, below that what is seen of the page.
    open override func draw(on canvas: inout TextCanvas) {
        let address = url?.absoluteString ?? ""
        canvas.line("\(canGoBack ? "‹" : " ") \(canGoForward ? "›" : " ") \(address)")
        canvas.rule()
        super.draw(on: &canvas)
    }

    /// The page's lines.
    open override func drawContent(lines: Range<Int>, on canvas: inout TextCanvas) {
        for line in lines.clamped(to: layout.lines.indices) {
            canvas.line(String(layout.shown(line, of: text)))
        }
    }

    /// The URL and the title of the page, and whether there are others before and behind it.
    open override var properties: [Property] {
        [
            Property("url", self.url.map { .url($0.absoluteString) }),
            Property("title", self.title?.inspected),
            Property("canGoBack", .bool(self.canGoBack)),
            Property("canGoForward", .bool(self.canGoForward)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the pages, each with what is seen of it (V6).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        let history = history
        coder.encode(history.entries, forKey: "history")
        coder.encode(history.currentIndex, forKey: "historyIndex")
    }

    /// Takes the pages back and shows the one that was shown. The delegate is not told.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        guard let entries = try coder.decode([WebHistory.Entry].self, forKey: "history") else {
            return
        }
        let index = try coder.decode(Int.self, forKey: "historyIndex")
        visited = WebHistory(entries: entries, currentIndex: index)
        navigations += 1
        isArriving = false
        readPage()
    }

    /// Everything is there again: the page is read once more, because what gives it may have been
    /// restored after it was asked first, and scrolled to where it was.
    open override func applicationFinishedRestoringState() {
        readPage()
        super.applicationFinishedRestoringState()
    }
}
