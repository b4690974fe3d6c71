import FoundationEssentials
import Testing

@testable import ControllerKit

@Suite struct WebHistoryTests {
    private func url(_ number: Int) throws -> URL {
        try #require(WebHistory.url(of: "page:\(number)"))
    }

    private func entry(_ url: String, y: Double = 0, zoom: Double = 1) throws -> WebHistory.Entry {
        WebHistory.Entry(
            url: try #require(URL(string: url)), title: "", contentOffset: Point(x: 0, y: y),
            zoomScale: zoom)
    }

    private func names(_ history: WebHistory) -> [String] {
        history.entries.map(\.url.absoluteString)
    }

    @Test func `a new page removes the pages after the current page`() throws {
        var history = WebHistory()
        #expect(history.current == nil)
        #expect(!history.canGoBack && !history.canGoForward)
        history.goBack()
        history.goForward()
        #expect(history.currentIndex == nil)
        for number in 0..<4 { history.add(try url(number)) }
        history.goBack()
        history.goBack()
        #expect(history.currentIndex == 1)
        #expect(history.canGoBack && history.canGoForward)
        history.add(try url(9))
        #expect(names(history) == ["page:0", "page:1", "page:9"])
        #expect(history.currentIndex == 2)
        #expect(!history.canGoForward)
    }

    @Test func `the oldest page is removed if there are too many pages`() throws {
        var history = WebHistory()
        for number in 0..<WebHistory.maximumEntries + 5 { history.add(try url(number)) }
        #expect(history.entries.count == WebHistory.maximumEntries)
        #expect(names(history).first == "page:5")
        #expect(history.current?.url == (try url(WebHistory.maximumEntries + 4)))
    }

    @Test(arguments: [0, 50, 150, 299])
    func `V6: if too many pages were saved, the pages around the current page are kept`(index: Int)
        throws
    {
        let entries = try (0..<300).map { try entry("page:\($0)") }
        let history = WebHistory(entries: entries, currentIndex: index)
        #expect(history.entries.count == WebHistory.maximumEntries)
        #expect(history.current == entries[index])
    }

    @Test(arguments: [
        (nil, "a:1"), (0, "a:1"), (1, "a:1"), (2, "b:2"), (3, "c:3"), (9, "c:3"), (-4, "a:1"),
        (Int.max, "c:3"), (Int.min, "a:1"),
    ])
    func `V6: an invalid saved index selects an existing page`(
        index: Int?, shown: String
    ) throws {
        let entries = try ["a:1", "no-scheme", "b:2", "c:3"].map { try entry($0) }
        let history = WebHistory(entries: entries, currentIndex: index)
        #expect(names(history) == ["a:1", "b:2", "c:3"])
        #expect(history.current?.url.absoluteString == shown)
    }

    @Test func `V6: saved pages without an absolute URL are dropped`() throws {
        let entries = try ["relative", "//host/x"].map { try entry($0) }
        for index in [nil, 0, 1, 5] {
            let history = WebHistory(entries: entries, currentIndex: index)
            #expect(history.entries.isEmpty)
            #expect(history.currentIndex == nil)
        }
        #expect(WebHistory(entries: [], currentIndex: 3).current == nil)
        let last = WebHistory(entries: try [entry("x"), entry("a:1")], currentIndex: 0)
        #expect(last.currentIndex == 0)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `V6: invalid saved numbers are replaced by defaults`(number: Double) throws {
        let history = WebHistory(
            entries: [
                try entry("a:1", y: number, zoom: number), try entry("b:1", zoom: -1),
                try entry("c:1", zoom: 0), try entry("d:1", zoom: 0.5),
            ], currentIndex: 0)
        #expect(history.entries.map(\.contentOffset) == [.zero, .zero, .zero, .zero])
        #expect(history.entries.map(\.zoomScale) == [1, 1, 1, 0.5])
    }

    @Test(arguments: [
        "", "page", "/page", "//host/page", "1a:b", "http://[::1", ":x", "?a=b", "#a",
        "x:" + String(repeating: "y", count: WebHistory.maximumAddressBytes),
    ])
    func `an address that is not an absolute URL is refused`(address: String) {
        #expect(WebHistory.url(of: address) == nil)
    }

    @Test(arguments: ["https://example.org/a?b#c", "scrapbook:home", "about:blank", "x-y:z"])
    func `an absolute URL is accepted`(address: String) {
        #expect(WebHistory.url(of: address)?.absoluteString == address)
    }
}
