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

    override func viewDidLoad() {
        super.viewDidLoad()
        webView.pageSource = self
        outlet("backButton", as: Button.self).addAction(for: .primaryActionTriggered) {
            [weak self] in try? self?.webView.goBack()
        }
        outlet("forwardButton", as: Button.self).addAction(for: .primaryActionTriggered) {
            [weak self] in try? self?.webView.goForward()
        }
        try? webView.load(Self.home)
    }
}
