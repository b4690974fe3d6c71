import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct ContainmentTests {
    @Test func `a child is notified when it is added to and removed from a container`() {
        let log = CallLog()
        let parent = ViewController.named("parent")
        let child = LoggingController.named("child", log)
        parent.addChild(child)
        child.didMove(toParent: parent)
        child.willMove(toParent: nil)
        child.removeFromParent()
        let told = [
            "child will move to parent", "child did move to parent", "child will move to nothing",
            "child did move to nothing",
        ]
        #expect(log.take() == told)

        let navigation = NavigationController.named("parent")
        navigation.setViewControllers([ViewController(), child])
        navigation.popViewController()
        #expect(log.take() == told)
    }

    @Test func `a child is inserted at the given index, clamped to the valid range`() {
        let parent = ViewController()
        let children = ["a", "b", "c"].map { ViewController.named($0) }
        parent.addChild(children[1])
        parent.insertChild(children[0], at: 0)
        parent.insertChild(children[2], at: 99)
        #expect(parent.children.map(\.title) == ["a", "b", "c"])
        parent.insertChild(children[2], at: -1)
        #expect(parent.children.map(\.title) == ["c", "a", "b"])
        parent.addChild(children[2])
        #expect(parent.children.map(\.title) == ["a", "b", "c"])
    }

    @Test func `R9: replacing a child removes its view`() {
        let log = CallLog()
        let parent = ViewController.named("parent")
        let window = Window()
        window.rootViewController = parent
        let old = LoggingController.named("old", log)
        let new = LoggingController.named("new", log)
        let part = View()
        parent.view.addSubview(part)
        for child in [ViewController.named("first"), old, ViewController.named("last")] {
            parent.addChild(child)
        }
        part.addSubview(old.view)
        _ = log.take()
        let isDone = parent.replaceChild(old, with: new)
        #expect(isDone)
        #expect(parent.children.map(\.title) == ["first", "new", "last"])
        #expect(part.subviews.isEmpty)
        #expect(
            log.take().filter { $0.contains("did move") } == [
                "old did move to nothing", "new did move to parent",
            ])
    }

    /// A controller that performs an action before it appears.
    private final class ActingController: ViewController {
        var action: () -> Void = {}

        override func viewWillAppear() { action() }
    }

    @Test func `R9: a child that is added again while being replaced keeps its view`() throws {
        let parent = ViewController.named("parent")
        let application = TestApplication(parent)
        try application.launch()
        let (old, new) = (ViewController.named("old"), ViewController.named("new"))
        parent.addChild(old)
        parent.view.addSubview(old.view)
        // The container now presents the controller that the new child has presented.
        let presented = ActingController()
        new.present(presented)
        presented.action = { parent.addChild(old) }
        let isDone = parent.replaceChild(old, with: new)
        #expect(isDone)
        #expect(parent.children.map(\.title) == ["new", "old"])
        #expect(old.view.superview === parent.view)
    }

    @Test func `R9: a controller that cannot become a child replaces no child`() {
        let (parent, child, other) = (ViewController(), ViewController(), ViewController())
        let window = Window()
        window.rootViewController = other
        let holder = ViewController()
        holder.addChild(parent)
        parent.addChild(child)
        parent.view.addSubview(child.view)
        for candidate in [parent, holder, other] {
            let isDone = parent.replaceChild(child, with: candidate)
            #expect(!isDone)
        }
        let isStrangerReplaced = parent.replaceChild(ViewController(), with: ViewController())
        #expect(!isStrangerReplaced)
        let isSame = parent.replaceChild(child, with: child)
        #expect(isSame)
        #expect(parent.children.count == 1)
        #expect(child.view.superview === parent.view)
    }

    @Test func `adding a controller to its own child traps with an explanation`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let parent = ViewController()
            let child = ViewController()
            parent.addChild(child)
            child.addChild(parent)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            message.contains(
                "cannot contain ViewController, which contains it or is the same controller"))
    }

    @Test func `adding a view to its own subview traps with an explanation`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let outer = View()
            let inner = View()
            outer.addSubview(inner)
            inner.addSubview(outer)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("a view cannot contain itself"))
    }

    @Test
    func `a controller is shown on the nearest navigation stack, or presented if there is none`() {
        let navigation = NavigationController()
        let tabs = TabBarController()
        let page = ViewController()
        tabs.setViewControllers([page])
        navigation.setViewControllers([tabs])
        let next = ViewController()
        page.show(next)
        #expect(navigation.topViewController === next)
        #expect(page.tabBarController === tabs)
        let alone = ViewController()
        alone.show(page)
        #expect(alone.presentedViewController === page)
        #expect(tabs.viewControllers.isEmpty)
    }

    @Test func `changeEditing and the edit button change the edit mode`() throws {
        let page = ViewController.named("page")
        #expect(page.inspectedProperties["isEditing"] == nil)
        #expect(page.editButtonItem.title == "Edit")
        try page.changeEditing(true)
        #expect(page.isEditing)
        #expect(page.editButtonItem.title == "Done")
        #expect(page.inspectedProperties["isEditing"] == .bool(true))
        try page.editButtonItem.tap()
        #expect(!page.isEditing)
        page.editButtonItem.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) {
            try page.editButtonItem.tap()
        }
        #expect(!page.isEditing)
    }

    @Test func `tapping the edit button throws the error of a controller that refuses the change`()
    {
        final class UneditableController: ViewController {
            override func changeEditing(_ isOn: Bool) throws(OperationError) {
                throw .notPossible("it is locked")
            }
        }
        let page = UneditableController()
        #expect(throws: OperationError.notPossible("it is locked")) {
            try page.editButtonItem.tap()
        }
        #expect(!page.isEditing)
    }

    @Test func `P10: children of a custom container are saved without additional code`() throws {
        func tree() -> (ViewController, FieldController) {
            let parent = ViewController.named("parent")
            let child = FieldController.named("child")
            parent.addChild(child)
            return (parent, child)
        }
        let (parent, child) = tree()
        let application = TestApplication(parent)
        try application.launch()
        child.loadViewIfNeeded()
        child.field.text = "kept"
        application.save()
        #expect(application.recordedPaths == ["parent", "parent/child", "parent/child/field"])
        #expect(try application.values(of: parent) == [:])
        let (next, found) = tree()
        try TestApplication(next).launch(restoring: application)
        #expect(found.field.text == "kept")
    }

    @Test(arguments: ["nav", "tabs", "split", "book"])
    func `P6: nothing below a container without an identifier is saved`(kind: String) throws {
        let child = ViewController.named("child")
        let container: ViewController
        switch kind {
        case "nav": container = NavigationController()
        case "tabs": container = TabBarController()
        case "split": container = SplitViewController()
        default: container = PageViewController()
        }
        container.setStoryboardChildren([child])
        let application = TestApplication(container)
        try application.launch()
        application.save()
        #expect(application.recordedPaths == [])
        container.restorationIdentifier = "container"
        application.save()
        #expect(application.recordedPaths == ["container", "container/child"])
    }

    /// A controller that encodes its own container as its child, under the keys of all containers.
    private final class ForgedContainer: ViewController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            guard let parent else { return }
            coder.encode([parent, self], forKey: "viewControllers")
            coder.encode([parent, self], forKey: "pages")
            coder.encode(parent, forKey: "selectedViewController")
            coder.encode(parent, forKey: "currentPage")
            coder.encode(["primary": parent, "secondary": self], forKey: "columns")
        }
    }

    @Test(arguments: ["nav", "tabs", "split", "book"])
    func `a saved reference that would make a container contain itself is ignored`(kind: String)
        throws
    {
        let root = ViewController.named("root")
        let forged = ForgedContainer.named("container")
        root.addChild(forged)
        let first = TestApplication(root)
        first.classes.register(ForgedContainer.self, as: "Container")
        try first.launch()
        first.save()

        let container: ViewController
        let second = TestApplication(ViewController.named("root"))
        switch kind {
        case "nav":
            container = NavigationController.named("container")
            second.classes = renamed(NavigationController.self)
        case "tabs":
            container = TabBarController.named("container")
            second.classes = renamed(TabBarController.self)
        case "split":
            container = SplitViewController.named("container")
            second.classes = renamed(SplitViewController.self)
        default:
            container = PageViewController.named("container")
            second.classes = renamed(PageViewController.self)
        }
        let next = try #require(second.window?.rootViewController)
        next.addChild(container)
        let report = try second.launch(restoring: first)
        #expect(report.unrestored == [])
        #expect(container.children.isEmpty)
        #expect(container.parent === next)
    }

    private func renamed(_ type: (some ViewController).Type) -> ClassRegistry {
        var classes = ClassRegistry()
        classes.register(ViewController.self)
        classes.register(type, as: "Container")
        return classes
    }
}
