import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

/// Tests the limits of a web view and its history, and the order of its notifications.
@Suite struct WebLimitTests {
    @Test(arguments: [(0, true), (1, false)])
    func `an address can be as long as the maximum, but no longer`(
        excess: Int, isAccepted: Bool
    ) {
        let length = WebHistory.maximumAddressBytes + excess
        let address = "x:" + String(repeating: "y", count: length - 2)
        #expect((WebHistory.url(of: address) != nil) == isAccepted)
    }

    @Test func `V6: a saved title that is too long is truncated`() throws {
        let url = try #require(WebHistory.url(of: "page:1"))
        let maximum = WebHistory.maximumTitleLength
        for length in [maximum - 1, maximum, maximum + 1, maximum + 2] {
            let entry = WebHistory.Entry(
                url: url, title: String(repeating: "t", count: length), contentOffset: .zero,
                zoomScale: 1)
            let history = WebHistory(entries: [entry], currentIndex: 0)
            #expect(history.current?.title.count == min(length, maximum))
        }
    }

    @Test func `going back from the first page or forward from the last page changes nothing`()
        throws
    {
        var history = WebHistory()
        for address in ["page:1", "page:2"] {
            history.add(try #require(WebHistory.url(of: address)))
        }
        history.goForward()
        #expect(history.currentIndex == 1)
        history.goBack()
        history.goBack()
        #expect(history.currentIndex == 0)
    }

    /// A page source with a fixed set of pages, which are available only while it is ready.
    private final class Pages: WebPageSource {
        var pages: [String: WebPage] = [:]
        var isReady = true

        func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
            isReady ? pages[url.absoluteString] : nil
        }
    }

    /// Creates a page source with two pages of 40 lines.
    private func longPages() -> Pages {
        let source = Pages()
        for address in ["page:1", "page:2"] {
            source.pages[address] = WebPage(
                title: address, text: Array(repeating: "line", count: 40).joined(separator: "\n"))
        }
        return source
    }

    @Test func `the title and the text of a page are shown up to their maximum lengths`() throws {
        let source = Pages()
        let line = String(repeating: "x", count: 20)
        source.pages["page:1"] = WebPage(
            title: String(repeating: "t", count: WebHistory.maximumTitleLength + 2),
            text: String(repeating: line, count: WebView.maximumTextLength / line.count) + "\n\n")
        let view = WebView()
        view.visibleSize = Size(width: 20, height: 4)
        view.pageSource = source
        try view.load("page:1")
        #expect(view.title?.count == WebHistory.maximumTitleLength)
        #expect(view.contentSize.height == Double(WebView.maximumTextLength / line.count))
        withExtendedLifetime(source) {}
    }

    /// A delegate that records the offset of the page to which the user has navigated.
    private final class OffsetRecorder: WebViewDelegate {
        var offsets: [Double] = []

        func webView(_ webView: WebView, didNavigateTo url: URL) {
            offsets.append(webView.contentOffset.y)
        }
    }

    @Test func `the delegate finds the offset of the page to which the user has navigated`() throws
    {
        let source = longPages()
        let recorder = OffsetRecorder()
        let view = WebView()
        view.pageSource = source
        view.delegate = recorder
        try view.load("page:1")
        try view.scroll(to: Point(x: 0, y: 7))
        try view.load("page:2")
        try view.goBack()
        #expect(recorder.offsets == [0, 0, 7])
        withExtendedLifetime(source) {}
    }

    @Test func `V6: a page source with the same pages leaves nothing to save`() throws {
        let (source, other) = (longPages(), longPages())
        let view = WebView()
        view.pageSource = source
        try view.load("page:1")
        let application = try saved(page(view))
        view.pageSource = other
        #expect(application.scene?.needsPass == false)
        other.pages["page:1"]?.title = "other"
        view.pageSource = source
        view.pageSource = other
        #expect(application.scene?.needsPass == true)
    }

    /// A web view that performs an action before it finishes its restoration.
    private final class ActingWebView: WebView {
        var action: () -> Void = {}

        override func applicationFinishedRestoringState() {
            action()
            super.applicationFinishedRestoringState()
        }
    }

    @Test func `V6: the offset is restored even if the page is found only after decoding`() throws {
        let source = longPages()
        let view = ActingWebView()
        view.pageSource = source
        try view.load("page:1")
        try view.scroll(to: Point(x: 0, y: 7))
        let late = longPages()
        late.isReady = false
        let found = ActingWebView()
        found.pageSource = late
        found.action = { late.isReady = true }
        try restore(view, into: found)
        #expect(found.title == "page:1")
        #expect(found.contentOffset.y == 7)
        withExtendedLifetime(source) {}
    }
}
