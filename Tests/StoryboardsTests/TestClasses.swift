import ControllerKit
import StateRestoration

/// A controller that wants a field and makes a detail.
final class DemandingController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(
            controllers: ["detail"], views: [RequiredView("field", TextField.self)])
    }
}

extension ClassRegistry {
    /// The classes that the fixtures name: an error tells them all, so that they are few.
    static var testing: ClassRegistry {
        var registry = ClassRegistry()
        registry.register(controller: ViewController.self)
        registry.register(controller: NavigationController.self)
        registry.register(controller: DemandingController.self)
        registry.register(view: View.self)
        registry.register(view: TextField.self)
        registry.register(view: SegmentedControl.self)
        registry.register(view: ScrollView.self)
        return registry
    }
}
