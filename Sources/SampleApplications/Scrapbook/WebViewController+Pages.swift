import ControllerKit
import FoundationEssentials

/// The pages that there are: a web of three.
extension WebViewController: WebPageSource {
    func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
        Self.pages[url.absoluteString]
    }

    private static let pages: [String: WebPage] = [
        "scrapbook:home": WebPage(
            title: "Home",
            text: """
                Two pages are worth a visit: scrapbook:hills about the picture in the first tab, and \
                scrapbook:paper about what a scrapbook is made of.
                """),
        "scrapbook:hills": WebPage(
            title: "Hills",
            text: (1...12).map { "\($0). A ridge behind the ridge before it." }
                .joined(separator: "\n")),
        "scrapbook:paper": WebPage(
            title: "Paper",
            text: (1...30).map { "Sheet \($0): a little yellower than the last." }
                .joined(separator: "\n")),
    ]
}
