import StateRecords
import StateRestoration
import Testing

@testable import ControllerKit

/// Tests that every change to a controller marks all affected objects.
///
/// After a pass over the marked objects, a full pass must find nothing to write.
@Suite struct ControllerInvalidationTests {
    private let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "")

    /// Saves a tree, changes it, saves the marked objects, and expects no other unsaved changes.
    private func expectSaved<Root: ViewController>(
        _ root: Root, sourceLocation: SourceLocation = #_sourceLocation,
        after change: (Root, TestApplication) throws -> Void
    ) throws {
        let application = TestApplication(root)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        try change(root, application)
        let marked = scene.preserve(passMetadata)
        #expect(marked?.isEmpty == false, "nothing was marked", sourceLocation: sourceLocation)
        let missed = scene.preserve(passMetadata, .everything())
        #expect(
            missed?.objects.map(\.header.identifier) == [], sourceLocation: sourceLocation)
        #expect(missed?.isEmpty == true, sourceLocation: sourceLocation)
    }

    private func named(_ names: RestorationIdentifier...) -> [ViewController] {
        names.map { ViewController.named($0) }
    }

    private func container<Root: ViewController>(
        _ type: Root.Type = Root.self, _ names: RestorationIdentifier...
    ) -> Root {
        let root = Root.named("root")
        root.setStoryboardChildren(names.map { ViewController.named($0) })
        return root
    }

    @Test(arguments: [
        ViewController.self, NavigationController.self, TabBarController.self,
        PageViewController.self, SplitViewController.self,
    ])
    func `P14: additions, removals and moves of children are saved`(type: ViewController.Type)
        throws
    {
        func tree() -> ViewController {
            let root = type.named("root")
            root.setStoryboardChildren(named("a", "b"))
            return root
        }
        try expectSaved(tree()) { root, _ in root.addChild(ViewController.named("c")) }
        try expectSaved(tree()) { root, _ in root.insertChild(ViewController.named("c"), at: 0) }
        try expectSaved(tree()) { root, _ in root.children[0].removeFromParent() }
        try expectSaved(tree()) { root, _ in root.children[1].removeFromParent() }
        try expectSaved(tree()) { root, _ in
            let other = ViewController.named("c")
            root.addChild(other)
            other.addChild(root.children[0])
        }
        try expectSaved(tree()) { root, _ in Window().rootViewController = root.children[0] }
    }

    @Test(arguments: [NavigationController.self, TabBarController.self, PageViewController.self])
    func `P14: a new order of children is saved`(type: ViewController.Type) throws {
        let root = type.named("root")
        root.setStoryboardChildren(named("a", "b"))
        try expectSaved(root) { root, _ in root.addChild(root.children[0]) }
    }

    @Test func `P14: a new order of siblings with equal identifiers is saved`() throws {
        func tree() -> NavigationController {
            let root = NavigationController.named("root")
            root.setViewControllers([FieldController.named("a"), FieldController.named("a")])
            for child in root.children { child.loadViewIfNeeded() }
            (root.children[0] as? FieldController)?.field.text = "first"
            return root
        }
        try expectSaved(tree()) { root, _ in root.insertChild(root.children[1], at: 0) }
        try expectSaved(tree()) { root, _ in root.viewControllers.reverse() }
    }

    @Test func `P14: changes to a navigation stack are saved`() throws {
        func tree() -> NavigationController { container(NavigationController.self, "a", "b") }
        try expectSaved(tree()) { root, _ in
            root.pushViewController(ViewController.named("c"))
        }
        try expectSaved(tree()) { root, _ in root.popViewController() }
        try expectSaved(tree()) { root, _ in root.viewControllers.reverse() }
        try expectSaved(tree()) { root, _ in root.viewControllers = [] }
    }

    @Test func `P14: changes to the tabs and the selected tab are saved`() throws {
        func tree() -> TabBarController { container(TabBarController.self, "a", "b") }
        try expectSaved(tree()) { root, _ in root.selectedIndex = 1 }
        try expectSaved(tree()) { root, _ in root.selectedViewController = root.children[1] }
        try expectSaved(tree()) { root, _ in try root.select([1]) }
        try expectSaved(tree()) { root, _ in root.viewControllers.reverse() }
        try expectSaved(tree()) { [named] root, _ in root.viewControllers = named("a", "c") }
    }

    @Test func `P14: changes to the pages and the current page are saved`() throws {
        func tree() -> PageViewController { container(PageViewController.self, "a", "b") }
        try expectSaved(tree()) { root, _ in root.currentIndex = 1 }
        try expectSaved(tree()) { root, _ in root.currentPage = root.children[1] }
        try expectSaved(tree()) { root, _ in try root.goForward() }
        try expectSaved(tree()) { root, _ in root.setPages(root.pages.reversed()) }
        try expectSaved(tree()) { root, _ in root.setPages([ViewController.named("c")]) }
    }

    @Test func `P14: changes to the columns are saved`() throws {
        func tree() -> SplitViewController { container(SplitViewController.self, "a", "b") }
        try expectSaved(tree()) { root, _ in
            root.setViewController(ViewController.named("c"), for: .supplementary)
        }
        try expectSaved(tree()) { root, _ in root.setViewController(nil, for: .primary) }
        try expectSaved(tree()) { root, _ in
            root.setViewController(root.viewController(for: .primary), for: .supplementary)
        }
    }

    @Test func `P14: presentations, dismissals and moves of presented controllers are saved`()
        throws
    {
        func tree(presenting: Bool) -> NavigationController {
            let root = container(NavigationController.self, "a")
            if presenting { root.present(ViewController.named("sheet")) }
            return root
        }
        try expectSaved(tree(presenting: false)) { root, _ in
            root.present(ViewController.named("sheet"))
        }
        try expectSaved(tree(presenting: true)) { root, _ in root.dismiss() }
        try expectSaved(tree(presenting: true)) { root, _ in
            let page = ViewController.named("page")
            page.present(ViewController.named("above"))
            root.pushViewController(page)
        }
        try expectSaved(tree(presenting: true)) { root, _ in
            root.pushViewController(root.presentedViewController ?? root)
        }
        try expectSaved(tree(presenting: true)) { root, application in
            application.window?.rootViewController = root.presentedViewController
        }
    }

    @Test func `P14: a new root is saved, even if it contains the old root or was its child`()
        throws
    {
        func tree() -> ViewController { container(ViewController.self, "a") }
        try expectSaved(tree()) { _, application in
            application.window?.rootViewController = ViewController.named("other")
        }
        try expectSaved(tree()) { root, application in
            let other = NavigationController.named("other")
            other.pushViewController(root)
            application.window?.rootViewController = other
        }
        try expectSaved(tree()) { root, application in
            application.window?.rootViewController = root.children[0]
        }
        try expectSaved(tree()) { _, application in application.window?.rootViewController = nil }
    }

    /// A controller that creates a view with a subview.
    private final class ViewCreatingController: ViewController {
        override func makeView() -> View {
            let view = View()
            view.restorationIdentifier = "view"
            let inner = View()
            inner.restorationIdentifier = "inner"
            view.addSubview(inner)
            return view
        }
    }

    @Test func `P14: a newly loaded view is saved`() throws {
        let root = ViewController.named("root")
        root.addChild(ViewCreatingController.named("child"))
        try expectSaved(root) { root, _ in root.children[0].loadViewIfNeeded() }
    }

    @Test func `P14: additions and removals of views are saved at any depth`() throws {
        func tree() -> (ViewController, View) {
            let root = ViewController.named("root")
            let box = View()
            let inner = View()
            inner.restorationIdentifier = "inner"
            box.addSubview(inner)
            root.view.addSubview(box)
            return (root, box)
        }
        func named(_ name: RestorationIdentifier) -> View {
            let view = View()
            view.restorationIdentifier = name
            return view
        }
        let (first, box) = tree()
        try expectSaved(first) { _, _ in box.addSubview(named("other")) }
        let (second, other) = tree()
        try expectSaved(second) { _, _ in other.subviews[0].removeFromSuperview() }
        let (third, last) = tree()
        try expectSaved(third) { _, _ in
            let new = View()
            last.addSubview(new)
            new.addSubview(named("other"))
            new.addSubview(last.subviews[0])
        }
    }

    @Test func `P14: changes to navigation bar buttons are saved`() throws {
        func button() -> BarButtonItem {
            let button = BarButtonItem(title: "Add")
            button.restorationIdentifier = "add"
            return button
        }
        try expectSaved(ViewController.named("root")) { root, _ in
            root.navigationItem.leftBarButtonItem = button()
        }
        try expectSaved(ViewController.named("root")) { root, _ in
            root.navigationItem.restorationIdentifier = "item"
        }
        let root = ViewController.named("root")
        root.navigationItem.rightBarButtonItem = button()
        try expectSaved(root) { root, _ in root.navigationItem.rightBarButtonItem = nil }
    }

    /// A controller that saves its edit mode.
    private final class EditModeSavingController: ViewController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode(isEditing, forKey: "isEditing")
        }
    }

    @Test func `P14: a controller that encodes its edit mode is saved when the edit mode changes`()
        throws
    {
        try expectSaved(EditModeSavingController.named("root")) { root, _ in root.setEditing(true) }
    }
}
