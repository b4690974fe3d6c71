import ExactText
public import FoundationEssentials

/// The title and the text of a web page.
public struct WebPage: Sendable, Hashable {
    /// The title of the page.
    public var title: String
    /// The text of the page. Each line is a paragraph.
    public var text: String

    /// Creates a page with a title and a text.
    public init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// Returns the page that is shown if there is no page with a URL.
    static func notFound(_ entry: WebHistory.Entry) -> WebPage {
        WebPage(
            title: entry.title.isEmpty ? "Page not found" : entry.title,
            text: "There is no page at \(entry.url.absoluteString).")
    }
}

/// A method that provides the pages of a web view. The web view itself never accesses a network.
public protocol WebPageSource: AnyObject {
    /// Returns the page with a URL, or `nil` if there is none.
    ///
    /// The source can load another page in the web view during this call. The web view then ignores the result of
    /// this call.
    func webView(_ webView: WebView, pageAt url: URL) -> WebPage?
}

/// A method that is called when the user navigates in a web view.
public protocol WebViewDelegate: AnyObject {
    /// Called after the user navigated to another page. It is not called for a restored page.
    func webView(_ webView: WebView, didNavigateTo url: URL)
}
