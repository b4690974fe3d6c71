import ControllerKit
import FoundationEssentials

/// Pages to read. The web view preserves which were visited, and where in them a person is.
final class WebViewController: ViewController {
    private static let home = "scrapbook:home"

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
        // The buttons are enabled only where there is a page to go to.
        backButton.addAction(for: .primaryActionTriggered) { [weak self] in
            try? self?.webView.goBack()
        }
        forwardButton.addAction(for: .primaryActionTriggered) { [weak self] in
            try? self?.webView.goForward()
        }
        try? webView.load(Self.home)
        updateButtons()
    }

    /// The history is restored now.
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
