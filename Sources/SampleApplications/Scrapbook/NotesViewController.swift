import ControllerKit
import FoundationEssentials
import StateRestoration

/// A controller with a picture and text, which are saved nowhere else.
///
/// Both are part of the controller's restorable state.
final class NotesViewController: ViewController {
    var clipboard: Clipboard?

    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(views: [
            RequiredView("textView", TextView.self), RequiredView("imageView", ImageView.self),
            RequiredView("pictureButton", Button.self), RequiredView("copyButton", Button.self),
            RequiredView("pasteButton", Button.self),
        ])
    }

    private var textView: TextView { outlet("textView") }
    private var imageView: ImageView { outlet("imageView") }

    override func viewDidLoad() {
        super.viewDidLoad()
        addTapAction("pictureButton") { $0.imageView.image = Pictures.sun }
        addTapAction("copyButton") { $0.clipboard?.text = $0.textView.text }
        addTapAction("pasteButton") { $0.textView.text += $0.clipboard?.text ?? "" }
    }

    private func addTapAction(_ button: String, _ action: @escaping (NotesViewController) -> Void) {
        outlet(button, as: Button.self).addAction(for: .primaryActionTriggered) { [weak self] in
            if let self { action(self) }
        }
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(textView.text, forKey: "unsavedText")
        coder.encode(imageView.image?.data, forKey: "image")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        textView.text = try coder.decode(String.self, forKey: "unsavedText") ?? ""
        imageView.image = try coder.decode(Data.self, forKey: "image").flatMap {
            try Image(data: $0)
        }
    }
}
