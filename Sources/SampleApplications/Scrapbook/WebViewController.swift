import ControllerKit
import FoundationEssentials

/// A controller that shows web pages.
///
/// Its web view preserves the history and the scroll offset of each page.
final class WebViewController: ViewController {
    private static let homeAddress = "scrapbook:home"

    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(views: [
            RequiredView("webView", WebView.self), RequiredView("backButton", Button.self),
            RequiredView("forwardButton", Button.self),
        ])
    }

    private var webView: WebView { outlet("webView") }
    private var backButton: Button { outlet("backButton") }
    private var forwardButton: Button { outlet("forwardButton") }

    override func viewDidLoad() {
        super.viewDidLoad()
        webView.pageSource = self
        webView.delegate = self
        // Each button is enabled only while there is a page to go to, so these calls do not fail.
        backButton.addAction(for: .primaryActionTriggered) { [weak self] in
            try? self?.webView.goBack()
        }
        forwardButton.addAction(for: .primaryActionTriggered) { [weak self] in
            try? self?.webView.goForward()
        }
        try? webView.load(Self.homeAddress)
        updateButtons()
    }

    /// Updates the buttons after the history has been restored.
    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        updateButtons()
    }

    private func updateButtons() {
        backButton.isEnabled = webView.canGoBack
        forwardButton.isEnabled = webView.canGoForward
    }
}

extension WebViewController: WebViewDelegate {
    func webView(_ webView: WebView, didNavigateTo url: URL) {
        updateButtons()
    }
}

/// Provides the web view's three pages.
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
