import ControllerKit
import SampleApplications
import StateRestoration

@testable import Reprise

/// ChildViews as another version of the program would save it: with keys missing, or with values
/// that the shipped one does not understand.
struct OlderChildViews: Sendable {
    /// What the parent stores as its index; nil: nothing.
    var index: Int?
    /// What the parent stores as its index instead of a number.
    var indexText: String?
    /// What each child stores as its text; nil: nothing.
    var childText: String?

    var hosted: HostedApplication {
        var hosted = HostedApplication.childViews
        hosted.registerClasses = { classes in
            classes.register(
                OlderParent.self, as: "ParentViewController",
                make: { OlderParent(storing: self) })
            classes.register(
                OlderChild.self, as: "Child1ViewController", make: { OlderChild(storing: self) })
            classes.register(
                OlderChild2.self, as: "Child2ViewController", make: { OlderChild2(storing: self) })
        }
        return hosted
    }
}

private class OlderController: ViewController {
    fileprivate var stored = OlderChildViews()

    convenience init(storing stored: OlderChildViews) {
        self.init()
        self.stored = stored
    }
}

private final class OlderParent: OlderController {
    override func viewDidLoad() {
        super.viewDidLoad()
        for name in ["child1", "child2"] {
            let child = storyboardController(name)
            addChild(child)
            child.loadViewIfNeeded()
        }
        outlet("segmentedControl", as: SegmentedControl.self).selectedSegmentIndex = 1
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        coder.encode(children[0], forKey: "child1")
        coder.encode(children[1], forKey: "child2")
        if let text = stored.indexText {
            coder.encode(text, forKey: "selectedIndex")
        } else {
            coder.encode(stored.index, forKey: "selectedIndex")
        }
    }
}

private class OlderChild: OlderController {
    override func encodeRestorableState(with coder: StateEncoder) throws {
        coder.encode(stored.childText, forKey: "text")
    }
}

private final class OlderChild2: OlderChild {}
