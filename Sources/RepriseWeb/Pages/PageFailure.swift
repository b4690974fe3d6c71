import ExactText
package import RepriseControl
package import Varlink

/// Reason why the server shows a page with a sentence instead of the requested page.
package struct PageFailure: Error, Sendable {
    /// Status code of the response.
    package let status: Int
    /// Sentence that states what failed and what to do.
    package let message: String
    /// Scene to which the page refers, or `nil` if it is not known.
    package let scene: SceneAddress?

    /// Creates a failure with a status code and a sentence.
    package init(_ status: Int, _ message: String, scene: SceneAddress? = nil) {
        self.status = status
        self.message = message
        self.scene = scene
    }

    /// Creates the failure for an error of a call to the daemon.
    package init(_ failure: CallFailure<ControlError>) {
        switch CallOutcome(failure) {
        case .unavailable(let message): self.init(503, message)
        default: self.init(409, "\(failure)")
        }
    }

    /// Page that states the reason.
    package var page: HTML {
        .page(
            "Error", of: scene,
            "<p role=\"alert\">\(message)</p>\n<p><a href=\"\(scene?.url("/") ?? "/")\">Open the scene</a></p>"
        )
    }
}
