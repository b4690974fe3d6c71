import ControllerKit
import StateRecords
import StateRestoration
import Testing

@Suite struct ViewControllerTests {
    @Test func `the view is loaded once, on first access`() {
        let controller = FieldController()
        #expect(!controller.isViewLoaded)
        let view = controller.view
        #expect(controller.view === view)
        controller.loadViewIfNeeded()
        #expect(controller.loads == 1)
        #expect(controller.isViewLoaded)
    }

    @Test func `the storyboard's views are in place before viewDidLoad`() {
        final class Noting: ViewController {
            var seen: [String] = []
            override func viewDidLoad() {
                super.viewDidLoad()
                seen = view.subviews.map { $0.restorationIdentifier?.text ?? "-" }
                outlet("second", as: TextField.self).text = "found"
            }
        }
        let controller = Noting()
        for name in ["first", "second"] {
            let field = TextField()
            field.restorationIdentifier = RestorationIdentifier(recorded: name)
            controller.addOutlet(name, field)
        }
        #expect(!controller.isViewLoaded)
        let second: TextField = controller.outlet("second")
        #expect(controller.seen == ["first", "second"])
        #expect(second.text == "found")
    }

    @Test func `accessing an unknown outlet traps with instructions`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ViewController().outlet("missing", as: TextField.self)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("has no TextField \"missing\": list it in storyboardRequirements"))
    }

    @Test func `a controller has only one container at a time`() {
        let first = ViewController()
        let second = ViewController()
        let child = ViewController()
        first.addChild(child)
        second.addChild(child)
        #expect(first.children.isEmpty)
        #expect(child.parent === second)
        #expect(child.restorationParent === second)
        child.removeFromParent()
        #expect(child.parent == nil)
        #expect(second.children.isEmpty)
        child.removeFromParent()
    }

    @Test func `the nearest navigation controller is found`() {
        let navigation = NavigationController()
        let page = ViewController()
        let child = ViewController()
        page.addChild(child)
        #expect(child.navigationController == nil)
        navigation.pushViewController(page)
        #expect(child.navigationController === navigation)
    }

    @Test func `R10: the view is loaded before the state is decoded, even for a hidden child`()
        throws
    {
        func tree() -> (ViewController, FieldController) {
            let child = FieldController.named("child")
            let parent = ViewController.named("parent")
            parent.addChild(child)
            return (parent, child)
        }
        let (saved, child) = tree()
        let first = TestApplication(saved)
        try first.launch()
        child.field.text = "hidden"
        child.loadViewIfNeeded()
        first.save()
        let (root, found) = tree()
        try TestApplication(root).launch(restoring: first)
        #expect(found.loads == 1)
        #expect(found.field.text == "hidden")
    }

    @Test func `a newly loaded view is saved in the next pass`() throws {
        let child = FieldController.named("child")
        let parent = ViewController.named("parent")
        parent.addChild(child)
        let application = TestApplication(parent)
        try application.launch()
        application.save()
        child.loadViewIfNeeded()
        #expect(application.scene?.needsPass == true)
        #expect(application.save()?.objects.map(\.header.identifier) == ["field"])
    }

    @Test func `a child is deallocated after it and its view are removed`() {
        weak var child: ViewController?
        let parent = ViewController()
        do {
            let made = FieldController()
            parent.addChild(made)
            parent.view.addSubview(made.view)
            child = made
            made.view.removeFromSuperview()
            made.removeFromParent()
        }
        #expect(child == nil)
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let controller = ViewController()
        try controller.setProperty("title", to: .string("Title"))
        #expect(controller.title == "Title")
        #expect(
            controller.inspectedProperties == [
                "title": .string("Title"), "isViewLoaded": .bool(false),
            ])
        #expect(throws: PropertyError.unknownProperty(known: ["title"])) {
            try controller.setProperty("name", to: .string("x"))
        }
        #expect(throws: PropertyError.invalidValue("a string is required")) {
            try controller.setProperty("title", to: .bool(true))
        }
    }
}
