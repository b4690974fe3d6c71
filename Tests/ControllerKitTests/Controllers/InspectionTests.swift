import StateRestoration
import Testing

@testable import ControllerKit

/// Tests that inspecting objects, as `get`, `tree`, `explain` and `show` do, does not change
/// preserved state.
@Suite struct InspectionTests {
    /// A controller that changes itself, and creates a view with an identifier, when its view is
    /// loaded.
    private final class ChangingController: ViewController {
        var loadCount = 0

        override func viewDidLoad() {
            super.viewDidLoad()
            loadCount += 1
            let field = TextField()
            field.restorationIdentifier = "made"
            view.addSubview(field)
            invalidateRestorableState()
            parent?.setEditing(true)
        }

        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode(loadCount, forKey: "loads")
        }
    }

    private static let passMetadata = PassMetadata(
        bundleVersion: "1", timestamp: 0, systemVersion: "")

    @Test func `a storyboard view that was removed from its controller's view is no longer found`()
        throws
    {
        let controller = ChangingController.named("controller")
        let remaining = TextField()
        let removed = TextField()
        for (name, field) in [("kept", remaining), ("removed", removed)] {
            field.restorationIdentifier = RestorationIdentifier(recorded: name)
            controller.addOutlet(name, field)
        }
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers([FieldController.named("shown"), controller])
        let application = TestApplication(tabs)
        try application.launch()
        let survey = TreeSurvey(try #require(application.scene))
        func isFound(_ name: String) -> Bool {
            survey.objectsOnPath(to: "tabs/controller/\(name)", loadsViews: false).isComplete
        }
        #expect(isFound("kept") && isFound("removed"))
        controller.loadViewIfNeeded()
        #expect(isFound("kept") && isFound("removed"))
        removed.removeFromSuperview()
        #expect(isFound("kept") && !isFound("removed"))
    }

    @Test
    func `P21: inspecting a child that was never shown changes nothing, not even in a full pass`()
        throws
    {
        let hidden = ChangingController.named("hidden")
        let outlet = TextField()
        outlet.restorationIdentifier = "stated"
        hidden.addOutlet("stated", outlet)
        let nameless = ChangingController.named(nil)
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers([FieldController.named("shown"), hidden, nameless])
        let application = TestApplication(tabs)
        try application.launch()
        application.save()
        let before = application.archived
        let scene = try #require(application.scene)
        let survey = TreeSurvey(scene)
        for address in [
            "tabs", "tabs/shown/field", "tabs/hidden", "tabs/hidden/stated", "tabs/hidden/made",
            "tabs/@ChangingController", "tabs/@ChangingController/made",
        ] {
            let objectsOnPath = survey.objectsOnPath(to: address, loadsViews: false)
            #expect(objectsOnPath.isComplete == !address.hasSuffix("/made"))
            if objectsOnPath.isComplete, let object = objectsOnPath.entries.last?.object {
                _ = try application.values(of: object)
                _ = (object as? View)?.inspectedProperties
                _ = (object as? ViewController)?.inspectedProperties
            }
            _ = ObjectExplainer(scene).explanation(of: address, passMetadata: Self.passMetadata)
        }
        _ = survey.entries()
        _ = application.window?.drawn()
        #expect(!scene.needsPass)
        #expect(hidden.loadCount == 0)
        let output = application.save()
        #expect(output?.isEmpty == true)
        #expect(output?.names.isEmpty == true)
        #expect(application.archived == before)
        // The pass after the next change writes no names that only the inspection used.
        tabs.setEditing(true)
        #expect(application.saveChanges()?.names.map(\.text) == ["isEditing"])
        // Operating a controller that was never shown loads its view.
        #expect(survey.object(at: "tabs/hidden/made") != nil)
        #expect(hidden.loadCount == 1)
    }
}
