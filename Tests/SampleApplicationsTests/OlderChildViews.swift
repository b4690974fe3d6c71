import ControllerKit
import SampleApplications
import StateRestoration

@testable import Reprise

/// A version of ChildViews whose saved state lacks keys, or contains values that the current
/// version cannot read.
struct OlderChildViews: Sendable {
    /// The index that the parent saves, or `nil` to omit the index.
    var index: Int?
    /// Text that the parent saves as its index instead of a number, or `nil` for no text.
    var indexText: String?
    /// The text that each child saves, or `nil` to omit the text.
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
