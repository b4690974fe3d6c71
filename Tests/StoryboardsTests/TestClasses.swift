import ControllerKit
import StateRestoration
import Synchronization

/// A controller that requires a field and another controller.
final class DemandingController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(
            controllers: ["detail"], views: [RequiredView("field", TextField.self)])
    }
}

/// A controller that performs segues and uses bar button items.
final class LeadingController: ViewController {
    private(set) var prepared: [Segue] = []
    private(set) var senders: [ObjectIdentifier?] = []
    private(set) var wasShownWhenPrepared: [Bool] = []
    var mayLeave = true

    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(
            views: [
                RequiredView("addItem", BarButtonItem.self), RequiredView("button", Button.self),
            ], segues: ["showDetail", "help"])
    }

    override func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool {
        mayLeave
    }

    override func prepare(for segue: Segue, sender: Any?) {
        super.prepare(for: segue, sender: sender)
        prepared.append(segue)
        senders.append((sender as? View).map(ObjectIdentifier.init))
        wasShownWhenPrepared.append(
            segue.destination.parent != nil || segue.destination.presentingViewController != nil)
    }
}

/// A controller whose property disappears when a test says so.
final class FickleController: ViewController {
    static let isFickle = Mutex(false)
    var isCalm = false

    override var properties: [Property] {
        if Self.isFickle.withLock(\.self) { return super.properties }
        return [Property("isCalm", of: self, \.isCalm)] + super.properties
    }
}

/// A controller that requires a controller in another storyboard.
final class ReachingController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(controllers: [RequiredController("detail", storyboard: "Other")])
    }
}

/// A controller that requires two other controllers.
final class PairingController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(controllers: ["a", "b"])
    }
}

/// A view that the user can tap, but which cannot run actions.
final class TappableView: View, Tappable {
    func tap() throws(OperationError) {}
}

extension ClassRegistry {
    /// Classes that the fixtures use. The registry is small, because error messages list all of its classes.
    static var testing: ClassRegistry {
        var registry = ClassRegistry()
        registry.register(controller: ViewController.self)
        registry.register(controller: NavigationController.self)
        registry.register(controller: SplitViewController.self)
        registry.register(controller: DemandingController.self)
        registry.register(controller: LeadingController.self)
        registry.register(controller: ReachingController.self)
        registry.register(view: BarButtonItem.self)
        registry.register(view: Button.self)
        registry.register(view: Switch.self)
        registry.register(view: View.self)
        registry.register(view: TextField.self)
        registry.register(view: SegmentedControl.self)
        registry.register(view: ScrollView.self)
        return registry
    }
}
