import ControllerKit
import StateRestoration

/// A child controller that saves its text field's text.
class ChildViewController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(views: [RequiredView("textField", TextField.self)])
    }

    private var textField: TextField { outlet("textField") }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(textField.text, forKey: "text")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        textField.text = try coder.decode(String.self, forKey: "text") ?? ""
    }
}

/// The first child.
final class Child1ViewController: ChildViewController {}

/// The second child.
final class Child2ViewController: ChildViewController {}
