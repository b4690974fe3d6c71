import ExactText
public import FoundationEssentials
public import StateRestoration

/// A view that shows pages of text and has a browsing history, like a web browser.
///
/// A web view preserves the visited pages with their scroll offsets and zoom scales, and the index of the current page
/// (V6).
open class WebView: ScrollView, WebNavigating {
    /// The object that provides the pages, or `nil` if there is none.
    ///
    /// The view holds a weak reference to it.
    public weak var pageSource: (any WebPageSource)? {
        didSet { if pageSource !== oldValue { loadPage() } }
    }

    /// The object that is notified of navigation by the user, or `nil` if there is none.
    ///
    /// The view holds a weak reference to it.
    public weak var delegate: (any WebViewDelegate)?

    /// The visited pages.
    public var history: WebHistory {
        var history = storedHistory
        history.current = currentEntry
        return history
    }

    /// The text of the current page.
    private var text = ""
    /// Number of navigations so far, including restorations of a saved history.
    private var navigationCount = 0
    /// Number of requests to the page source so far.
    private var requestCount = 0
    /// Whether the current page has been requested but the view still has the previous page's offset and zoom scale.
    private var isLoadingPage = false
    /// The text of the current page, wrapped into lines.
    private var layout = TextLayout("", width: 1)
    private var drawnLayoutCache = DrawnLayoutCache()
    /// The visited pages.
    ///
    /// A page's scroll offset and zoom scale are updated when the user leaves the page.
    private var storedHistory = WebHistory()

    /// Maximum number of characters shown from a page's text.
    public static let maximumTextLength = 1_000_000

    /// Creates an empty view with a maximum zoom scale of 4.
    public required init() {
        super.init()
        maximumZoomScale = 4
    }

    /// The URL of the current page, or `nil` if there is none.
    public var url: URL? { storedHistory.current?.url }

    /// The title of the current page, or `nil` if there is none.
    public var title: String? { storedHistory.current?.title }

    /// Whether there is a page before the current page.
    public var canGoBack: Bool { storedHistory.canGoBack }

    /// Whether there is a page after the current page.
    public var canGoForward: Bool { storedHistory.canGoForward }

    // MARK: User operations

    /// Loads a page.
    ///
    /// The pages after the current page are removed from the history. If the history then contains more than
    /// ``WebHistory/maximumEntries`` pages, the oldest page is removed as well.
    open func load(_ address: String) throws(OperationError) {
        guard let url = WebHistory.url(of: address) else {
            throw .notPossible("it can load only absolute URLs, such as https://example.org/page")
        }
        navigate { $0.add(url) }
    }

    /// Goes back one page and restores that page's scroll offset and zoom scale.
    open func goBack() throws(OperationError) {
        guard canGoBack else { throw .notPossible("there is no page before this one") }
        navigate { $0.goBack() }
    }

    /// Goes forward one page and restores that page's scroll offset and zoom scale.
    open func goForward() throws(OperationError) {
        guard canGoForward else { throw .notPossible("there is no page after this one") }
        navigate { $0.goForward() }
    }

    private func navigate(_ change: (inout WebHistory) -> Void) {
        storedHistory.current = currentEntry
        change(&storedHistory)
        restorableStateDidChange()
        guard let entry = storedHistory.current else { return }
        navigationCount += 1
        let navigationNumber = navigationCount
        isLoadingPage = true
        loadPage()
        // The source can load another page instead.
        guard navigationNumber == navigationCount else { return }
        isLoadingPage = false
        zoomScale = entry.zoomScale
        contentOffset = entry.contentOffset
        delegate?.webView(self, didNavigateTo: entry.url)
    }

    // MARK: Pages

    /// The current page with its current scroll offset and zoom scale.
    private var currentEntry: WebHistory.Entry? {
        guard var entry = storedHistory.current else { return nil }
        if isLoadingPage { return entry }
        entry.contentOffset = contentOffset
        entry.zoomScale = zoomScale
        return entry
    }

    /// Requests the current page from the page source and shows it.
    ///
    /// If the page is not found, its title stays the same. If the page source causes another request during this
    /// request, the result of this request is ignored.
    private func loadPage() {
        requestCount += 1
        let requestNumber = requestCount
        var page: WebPage?
        if let entry = storedHistory.current {
            page = pageSource?.webView(self, pageAt: entry.url) ?? .notFound(entry)
            guard requestNumber == requestCount else { return }
        }
        let title = page.map { String($0.title.prefix(WebHistory.maximumTitleLength)) }
        if let title, title != storedHistory.current?.title {
            storedHistory.current?.title = title
            restorableStateDidChange()
        }
        text = page.map { String($0.text.prefix(Self.maximumTextLength)) } ?? ""
        layOut()
    }

    private func layOut() {
        let columns = Int(flooring: visibleSize.width).clamped(1, TextCanvas.maximumWidth)
        layout = TextLayout(text, width: columns)
        drawnLayoutCache.invalidate()
        contentSize = Size(width: Double(columns), height: Double(layout.lines.count))
    }

    /// Rewraps the page's text to the new width.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        layOut()
    }

    // MARK: Appearance

    override func contentHeight(columns: Int) -> Int {
        super.contentHeight(columns: columns) + 2
    }

    override func lineMapping(columns: Int) -> LineMapping? {
        let isOwnWidth = Double(columns) == contentSize.width
        return LineMapping(
            viewLayout: layout,
            drawnLayout: isOwnWidth
                ? layout : drawnLayoutCache.layout(of: text, columns: columns))
    }

    /// Draws the back and forward buttons and the URL above the visible part of the page.
    open override func draw(on canvas: inout TextCanvas) {
        let address = url?.absoluteString ?? ""
        canvas.line("\(canGoBack ? "‹" : " ") \(canGoForward ? "›" : " ") \(address)")
        canvas.rule()
        super.draw(on: &canvas)
    }

    /// Draws the lines of the page.
    open override func drawContent(lines: Range<Int>, on canvas: inout TextCanvas) {
        let layout = drawnLayout ?? layout
        for line in lines.clamped(to: layout.lines.indices) {
            canvas.line(String(layout.shownText(line, of: text)))
        }
    }

    /// Returns a document element with the text of the page, followed by the elements of the subviews.
    ///
    /// The element's placeholder is the URL.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(.document, label: title ?? "", target: self)
        element.value = text
        element.placeholder = url?.absoluteString
        element.actions = [.load]
        if canGoBack { element.actions.append(.back) }
        if canGoForward { element.actions.append(.forward) }
        if minimumZoomScale < maximumZoomScale {
            element.number = (zoomScale, minimumZoomScale, maximumZoomScale)
            element.actions.append(.zoom)
        }
        return [element] + accessibilityElements(of: subviews, maximumRows: maximumRows)
    }

    /// The URL and the title of the current page, and whether the user can go back and forward.
    open override var properties: [Property] {
        [
            Property("url", self.url.map { .url($0.absoluteString) }),
            Property("title", self.title?.inspectionValue),
            Property("canGoBack", .bool(self.canGoBack)),
            Property("canGoForward", .bool(self.canGoForward)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the pages with their scroll offsets and zoom scales (V6).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        let history = history
        coder.encode(history.entries, forKey: "history")
        coder.encode(history.currentIndex, forKey: "historyIndex")
    }

    /// Decodes the pages and shows the saved current page, without notifying the delegate.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        guard let entries = try coder.decode([WebHistory.Entry].self, forKey: "history") else {
            return
        }
        let index = try coder.decode(Int.self, forKey: "historyIndex")
        storedHistory = WebHistory(entries: entries, currentIndex: index)
        navigationCount += 1
        isLoadingPage = false
        loadPage()
    }

    /// Reloads the current page and limits the saved scroll offset and zoom scale to their bounds.
    ///
    /// The page is reloaded because the page source may have been restored after the first request.
    open override func applicationFinishedRestoringState() {
        loadPage()
        super.applicationFinishedRestoringState()
    }
}
