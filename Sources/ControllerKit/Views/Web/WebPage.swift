import ExactText
public import FoundationEssentials

/// The title and the text of a web page.
public struct WebPage: Sendable, Hashable {
    /// The title of the page.
    public var title: String
    /// The text of the page.
    ///
    /// Each line is a paragraph.
    public var text: String

    /// Creates a page with a title and text.
    public init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// Returns the page to show in place of a page that does not exist.
    static func notFound(_ entry: WebHistory.Entry) -> WebPage {
        WebPage(
            title: entry.title.isEmpty ? "Page not found" : entry.title,
            text: "There is no page at \(entry.url.absoluteString).")
    }
}

/// A source of pages for a web view.
///
/// The web view itself never accesses a network.
public protocol WebPageSource: AnyObject {
    /// Returns the page for a URL, or `nil` if there is none.
    ///
    /// If the source loads another page in the web view during this call, the web view ignores the result.
    func webView(_ webView: WebView, pageAt url: URL) -> WebPage?
}

/// Methods that are called when the user navigates in a web view.
public protocol WebViewDelegate: AnyObject {
    /// Called after the user has navigated to another page.
    ///
    /// This method is not called for a restored page.
    func webView(_ webView: WebView, didNavigateTo url: URL)
}
