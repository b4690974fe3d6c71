import ExactText
public import FoundationEssentials

/// The page behind a URL.
public struct WebPage: Sendable, Hashable {
    /// The page's title.
    public var title: String
    /// The page's text; each line is a paragraph.
    public var text: String

    /// A page that says this.
    public init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// The page that is shown where there is none.
    static func notFound(_ entry: WebHistory.Entry) -> WebPage {
        WebPage(
            title: entry.title.isEmpty ? "Page not found" : entry.title,
            text: "There is no page at \(entry.url.absoluteString).")
    }
}

/// Gives a web view its pages; it takes none from a network by itself.
public protocol WebPageSource: AnyObject {
    /// The page of a URL; nil if there is none. A source that makes the view load another one
    /// meanwhile leads there: what it gives for this URL is not shown then.
    func webView(_ webView: WebView, pageAt url: URL) -> WebPage?
}

/// Is told where a person goes in a web view.
public protocol WebViewDelegate: AnyObject {
    /// A person went to another page. A restored page is not told of.
    func webView(_ webView: WebView, didNavigateTo url: URL)
}
