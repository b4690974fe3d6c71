import ExactText
import RepriseControl
import Varlink

/// Reason why the server shows an error page instead of the requested page.
struct PageFailure: Error, Sendable {
    /// Status code of the response.
    let status: Int
    /// Sentence that states what failed and what to do.
    let message: String
    /// Scene to which the page refers, or `nil` if it is not known.
    let scene: SceneAddress?

    /// Creates a failure with a status code and a sentence.
    init(_ status: Int, _ message: String, scene: SceneAddress? = nil) {
        self.status = status
        self.message = message
        self.scene = scene
    }

    /// Creates a failure from the error of a failed call to the daemon.
    init(_ failure: CallFailure<ControlError>) {
        switch CallOutcome(failure) {
        case .unavailable(let message): self.init(503, message)
        default: self.init(409, "\(failure)")
        }
    }

    /// Page that states the reason.
    var page: HTML {
        .page(
            "Error", of: scene,
            "<p role=\"alert\">\(message)</p>\n<p><a href=\"\(scene?.url("/") ?? "/")\">Open the scene</a></p>"
        )
    }
}
