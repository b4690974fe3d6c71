import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

@Suite struct WebViewTests {
    /// A page source whose URLs contain the number of lines, which logs requests and navigations.
    final class Pages: WebPageSource, WebViewDelegate {
        var requestCount = 0
        var navigations: [String] = []

        func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
            requestCount += 1
            guard let count = Int(url.absoluteString.split(separator: ":")[1]) else { return nil }
            return WebPage(
                title: "Page \(count)",
                text: (0..<count).map { "line \($0)" }.joined(separator: "\n"))
        }

        func webView(_ webView: WebView, didNavigateTo url: URL) {
            navigations.append(url.absoluteString)
        }
    }

    private let pages = Pages()

    private func view() -> WebView {
        let view = WebView()
        view.visibleSize = Size(width: 20, height: 4)
        view.pageSource = pages
        view.delegate = pages
        return view
    }

    private func urls(_ view: WebView) -> [String] {
        view.history.entries.map(\.url.absoluteString)
    }

    @Test func `going back and forward restores each page's offset and zoom scale`() throws {
        let view = view()
        try view.load("page:20")
        try view.scroll(to: Point(x: 0, y: 7))
        try view.load("page:30")
        #expect(view.contentOffset == .zero)
        try view.zoom(to: 2)
        try view.scroll(to: Point(x: 3, y: 9))
        try view.goBack()
        #expect(view.title == "Page 20")
        #expect(view.contentOffset == Point(x: 0, y: 7))
        #expect(view.zoomScale == 1)
        try view.goForward()
        #expect(view.contentOffset == Point(x: 3, y: 9))
        #expect(view.zoomScale == 2)
        #expect(pages.navigations == ["page:20", "page:30", "page:20", "page:30"])
        #expect(throws: OperationError.notPossible("there is no page after this one")) {
            try view.goForward()
        }
        try view.goBack()
        #expect(throws: OperationError.notPossible("there is no page before this one")) {
            try view.goBack()
        }
        try view.load("page:1")
        #expect(urls(view) == ["page:20", "page:1"])
        #expect(view.canGoBack && !view.canGoForward)
    }

    @Test func `an address that is not an absolute URL is refused`() throws {
        let view = view()
        for address in ["", "home", "http://[::1"] {
            #expect(throws: OperationError.self) { try view.load(address) }
        }
        #expect(view.url == nil && view.history.entries.isEmpty)
        #expect(pages.navigations.isEmpty)
        #expect(
            lines(of: view).map { $0.contains { $0 != " " && $0 != "─" } } == [false, false, false])
    }

    @Test func `a page is drawn below its URL`() throws {
        let view = view()
        try view.load("page:2")
        try view.load("page:6")
        try view.scroll(to: Point(x: 0, y: 1))
        #expect(
            lines(of: view) == [
                "‹   page:6          ", "────────────────────", "line 1              ",
                "line 2              ", "line 3              ", "line 4              ",
                "    · 2–5 of 6 ·    ",
            ])
        try view.goBack()
        #expect(lines(of: view)[0] == "  › page:2          ")
        view.visibleSize.width = 4
        #expect(view.contentSize.height == 4)
    }

    @Test func `a missing page shows a message`() throws {
        let view = view()
        try view.load("page:none")
        #expect(view.title == "Page not found")
        #expect(lines(of: view)[2].hasPrefix("There is no page at"))
        let bare = WebView()
        try bare.load("page:1")
        #expect(bare.title == "Page not found")
        bare.pageSource = pages
        #expect(lines(of: bare)[2].hasPrefix("line 0"))
    }

    @Test func `V6: history, offset and zoom are preserved`() throws {
        let view = view()
        for (index, count) in [20, 30, 40].enumerated() {
            try view.load("page:\(count)")
            try view.zoom(to: 1 + Double(index) / 2)
            try view.scroll(to: Point(x: 0, y: Double(3 + index)))
        }
        try view.goBack()
        let history = view.history
        pages.navigations = []
        let found = self.view()
        // The page that the launch loads is not part of the restored history.
        try found.load("page:5")
        pages.navigations = []
        try restore(view, into: found)
        #expect(found.history == history)
        #expect(found.history.currentIndex == 1)
        #expect(found.contentOffset == Point(x: 0, y: 4))
        #expect(found.zoomScale == 1.5)
        #expect(lines(of: found) == lines(of: view))
        #expect(pages.navigations.isEmpty)
        try found.goBack()
        #expect(found.contentOffset == Point(x: 0, y: 3))
        try found.goForward()
        try found.goForward()
        #expect(found.contentOffset == Point(x: 0, y: 5))
        #expect(found.zoomScale == 2)
    }

    @Test func `V6: an empty history is preserved`() throws {
        let found = view()
        try found.load("page:5")
        try restore(view(), into: found)
        #expect(found.url == nil)
        #expect(found.contentSize.height == 1)
    }

    @Test func `V6: a page that no longer exists keeps its title and its history entry`() throws {
        let view = view()
        try view.load("page:20")
        let found = WebView()
        try restore(view, into: found)
        #expect(found.title == "Page 20")
        #expect(urls(found) == ["page:20"])
    }

    @Test func `V6: every change is saved in the next pass`() throws {
        let view = view()
        let application = TestApplication(page(view))
        try application.launch()
        let scene = try #require(application.scene)
        let changes: [() throws -> Void] = [
            { try view.load("page:20") }, { try view.load("page:20") }, { try view.goBack() },
            { try view.goForward() }, { try view.zoom(to: 2) },
            { try view.scroll(to: Point(x: 0, y: 2)) },
        ]
        for change in changes {
            application.save()
            #expect(!scene.needsPass)
            try change()
            #expect(scene.needsPass)
        }
    }

    /// A page source that redirects some pages to others.
    final class Redirections: WebPageSource, WebViewDelegate {
        var redirections: [String: String] = [:]
        var navigations: [String] = []

        func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
            let address = url.absoluteString
            if let other = redirections[address] { try? webView.load(other) }
            return WebPage(title: address, text: String(repeating: "\(address)\n", count: 20))
        }

        func webView(_ webView: WebView, didNavigateTo url: URL) {
            navigations.append(url.absoluteString)
        }
    }

    @Test func `redirections by the page source are followed, and the delegate is notified once`()
        throws
    {
        let source = Redirections()
        source.redirections = ["page:a": "page:b", "page:b": "page:c"]
        let view = view()
        view.pageSource = source
        view.delegate = source
        try view.load("page:first")
        try view.scroll(to: Point(x: 0, y: 7))
        try view.load("page:a")
        #expect(view.url?.absoluteString == "page:c")
        #expect(view.title == "page:c")
        #expect(lines(of: view)[2].hasPrefix("page:c"))
        #expect(view.contentOffset == .zero)
        #expect(source.navigations == ["page:first", "page:c"])
        #expect(urls(view) == ["page:first", "page:a", "page:b", "page:c"])
        // The scroll offset of the first page is not stored for any other page.
        #expect(view.history.entries.map(\.contentOffset.y) == [7, 0, 0, 0])
    }

    @Test func `a page source that is replaced during a request is ignored`() throws {
        final class SourceReplacingSource: WebPageSource {
            let next = Redirections()

            func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
                webView.pageSource = next
                return WebPage(title: "old", text: "old")
            }
        }
        let source = SourceReplacingSource()
        let view = view()
        view.pageSource = source
        try view.load("page:a")
        #expect(view.title == "page:a")
        #expect(pages.navigations == ["page:a"])
        try view.scroll(to: Point(x: 0, y: 3))
        #expect(view.history.current?.contentOffset.y == 3)
    }

    @Test func `V6: a view that is restored during a request stores later offsets`() throws {
        struct Entry: Codable {
            var url = "page:b"
            var title = ""
            var contentOffset = Point.zero
            var zoomScale = 1.0
        }
        final class RestoringSource: WebPageSource {
            var isRestored = false

            func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
                if !isRestored {
                    isRestored = true
                    #expect(throws: Never.self) {
                        try restore(webView) { $0.encode([Entry()], forKey: "history") }
                    }
                }
                return WebPage(title: "", text: String(repeating: "line\n", count: 20))
            }
        }
        let source = RestoringSource()
        let view = view()
        view.pageSource = source
        try view.load("page:a")
        #expect(urls(view) == ["page:b"])
        try view.scroll(to: Point(x: 0, y: 5))
        #expect(view.history.current?.contentOffset == Point(x: 0, y: 5))
    }

    @Test func `V6: forged state does no harm`() throws {
        final class ForgedWebView: WebView {
            var forge: ((StateEncoder) -> Void)?
            override func encodeRestorableState(with coder: StateEncoder) throws {
                if let forge { forge(coder) } else { try super.encodeRestorableState(with: coder) }
            }
        }
        struct Entry: Codable {
            var url: String
            var title = "x"
            var contentOffset = Point(x: .nan, y: -.infinity)
            var zoomScale = Double.nan
        }
        func found(_ entries: [Entry], _ index: Int, count: Int = 2) throws -> WebView {
            let forged = ForgedWebView()
            forged.forge = { coder in
                coder.encode(entries, forKey: "history")
                coder.encode(index, forKey: "historyIndex")
                coder.encode(Point(x: 1e300, y: 1e300), forKey: "contentOffset")
                coder.encode(1e300, forKey: "zoomScale")
            }
            let found = ForgedWebView()
            found.pageSource = pages
            found.delegate = pages
            try found.load("page:1")
            try restore(forged, into: found, count: count)
            _ = lines(of: found)
            return found
        }
        let entries = ["page:3", "relative", "page:4"].map { Entry(url: $0) }
        for index in [Int.min, -1, 0, 1, 2, 3, Int.max] {
            let view = try found(entries, index)
            #expect(urls(view) == ["page:3", "page:4"])
            #expect(view.contentOffset.isFinite && view.zoomScale <= view.maximumZoomScale)
            if view.canGoBack { try view.goBack() }
            try view.goForward()
            #expect(view.contentOffset.isFinite && view.zoomScale <= view.maximumZoomScale)
        }
        // An entry without a valid URL is an error, and the history does not change.
        let refused = try found([Entry(url: "http://[::1")], 0, count: 1)
        #expect(urls(refused) == ["page:1"])
    }

    @Test func `a web view has the storyboard properties of a scroll view`() throws {
        let view = WebView()
        try view.setProperty("visibleSize", to: .numbers([30, 6]))
        #expect(view.visibleSize.height == 6)
        try view.load("page:x")
        let properties = view.inspectedProperties
        #expect(properties["url"] == .url("page:x"))
        #expect(properties["title"] == .string("Page not found"))
        #expect(properties["canGoBack"] == .bool(false))
        #expect(properties["canGoForward"] == .bool(false))
    }
}
