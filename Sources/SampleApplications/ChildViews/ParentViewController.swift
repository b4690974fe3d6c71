import ControllerKit
import StateRestoration

/// A controller that shows one of two children.
///
/// Both children always remain in the container. The segmented control determines which child is shown.
final class ParentViewController: ViewController {
    private var childControllers: [ViewController] = []
    private var selectedIndex = 0

    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(
            controllers: ["child1", "child2"],
            views: [RequiredView("segmentedControl", SegmentedControl.self)])
    }

    private var segmentedControl: SegmentedControl { outlet("segmentedControl") }

    override func viewDidLoad() {
        super.viewDidLoad()
        childControllers = [storyboardController("child1"), storyboardController("child2")]
        for child in childControllers { addChild(child) }
        segmentedControl.selectedSegmentIndex = selectedIndex
        segmentedControl.addAction(for: .valueChanged) { [weak self] in
            guard let self else { return }
            showChild(at: segmentedControl.selectedSegmentIndex ?? 0)
        }
        showChild(at: selectedIndex)
    }

    private func showChild(at index: Int) {
        for child in childControllers where child.isViewLoaded {
            child.view.removeFromSuperview()
        }
        selectedIndex = childControllers.indices.contains(index) ? index : 0
        view.addSubview(childControllers[selectedIndex].view)
        invalidateRestorableState()
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        // If other controllers cover this controller in a stack, its view may not have been loaded. In that case, there
        // is no state to save.
        guard childControllers.count == 2 else { return }
        coder.encode(childControllers[0], forKey: "child1")
        coder.encode(childControllers[1], forKey: "child2")
        coder.encode(selectedIndex, forKey: "selectedIndex")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        let keys: [StaticString] = ["child1", "child2"]
        childControllers = try zip(childControllers, keys).map { child, key in
            guard let saved: ViewController = try coder.decodeObject(forKey: key),
                replaceChild(child, with: saved)
            else { return child }
            return saved
        }
        showChild(at: try coder.decode(Int.self, forKey: "selectedIndex") ?? 0)
    }

    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        segmentedControl.selectedSegmentIndex = selectedIndex
    }
}
