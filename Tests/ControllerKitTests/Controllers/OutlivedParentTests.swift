import StateRestoration
import Testing

@testable import ControllerKit

/// Tests objects that outlive the object above them.
@Suite struct OutlivedParentTests {
    @Test func `a child outlives its container`() {
        let child = ViewController()
        do {
            let parent = ViewController()
            parent.addChild(child)
            parent.view.addSubview(child.view)
        }
        #expect(child.parent == nil)
        #expect(child.restorationParent == nil)
        #expect(child.view.superview == nil)
        let other = ViewController()
        other.addChild(child)
        other.view.addSubview(child.view)
        #expect(child.parent === other)
        #expect(child.view.superview === other.view)
    }

    @Test func `a presented controller outlives its presenter`() {
        let presented = ViewController()
        do { ViewController().present(presented) }
        #expect(presented.presentingViewController == nil)
        presented.dismiss()
        let other = ViewController()
        other.present(presented)
        #expect(presented.presentingViewController === other)
    }

    @Test func `a view outlives its controller`() {
        let view: View
        let inner = View()
        do {
            let controller = ViewController()
            view = controller.view
            view.addSubview(inner)
        }
        #expect(view.owner == nil)
        #expect(inner.viewController == nil)
        inner.restorableStateDidChange()
        inner.removeFromSuperview()
        #expect(view.subviews.isEmpty)
    }

    @Test func `a root outlives its window`() {
        let root = ViewController()
        do {
            let window = Window()
            window.rootViewController = root
            window.makeKeyAndVisible()
        }
        #expect(root.rootWindow == nil)
        let other = Window()
        other.rootViewController = root
        #expect(root.rootWindow === other)
    }

    @Test func `a bar button outlives its controller`() throws {
        let button: BarButtonItem
        do { button = ViewController().editButtonItem }
        #expect(button.title == "Edit")
        try button.tap()
    }

    /// A controller that uses its children and views while it is deinitialized.
    private final class LeavingController: ViewController {
        var onDeinit: (LeavingController) -> Void = { _ in }

        deinit { onDeinit(self) }
    }

    @Test func `during deinit, a controller is no longer the parent of its children and views`() {
        let child = ViewController()
        var isAlone: [Bool] = []
        do {
            let parent = LeavingController()
            parent.addChild(child)
            parent.view.addSubview(child.view)
            parent.onDeinit = { parent in
                isAlone = [child.parent == nil, parent.view.owner == nil]
                child.removeFromParent()
                child.view.removeFromSuperview()
                parent.invalidateRestorableState()
            }
        }
        #expect(isAlone == [true, true])
        #expect(child.view.superview == nil)
    }

    /// A view that removes its subviews while it is deinitialized.
    private final class LeavingView: View {
        var onDeinit: (LeavingView) -> Void = { _ in }

        deinit { onDeinit(self) }
    }

    @Test func `during deinit, a view is no longer the superview of its subviews`() {
        let inner = View()
        var isAlone: Bool?
        do {
            let outer = LeavingView()
            outer.addSubview(inner)
            outer.onDeinit = { _ in
                isAlone = inner.superview == nil
                inner.removeFromSuperview()
            }
        }
        #expect(isAlone == true)
        #expect(inner.superview == nil)
        View().addSubview(inner)
    }

    @Test func `P18: passes succeed after a child outlives its container`() throws {
        let root = ViewController.named("root")
        let application = TestApplication(root)
        try application.launch()
        let child = FieldController.named("child")
        do {
            let parent = ViewController.named("parent")
            root.addChild(parent)
            parent.addChild(child)
            child.loadViewIfNeeded()
            application.save()
            parent.removeFromParent()
        }
        child.field.text = "changed"
        application.save()
        root.addChild(child)
        application.save()
        let survey = TreeSurvey(try #require(application.scene))
        #expect(survey.entries().map(\.address) == ["root", "root/child", "root/child/field"])
    }

    /// Returns whether the reference count of an object is in a side table.
    ///
    /// The two highest bits of the word after the object's type contain this information.
    private func hasSideTable(_ object: AnyObject) -> Bool {
        let header = Unmanaged.passUnretained(object).toOpaque()
        return header.load(fromByteOffset: 8, as: UInt64.self) >> 62 == 0b11
    }

    @Test func `no object in a tree stores its reference count in a side table`() throws {
        let field = FieldController.named("field")
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers([field, ViewController.named("other")])
        let navigation = NavigationController.named("navigation")
        navigation.setViewControllers([tabs])
        navigation.topViewController?.navigationItem.rightBarButtonItem = tabs.editButtonItem
        let application = TestApplication(navigation)
        try application.launch()
        field.present(ViewController.named("presented"))
        application.save()
        let objects = TreeSurvey(try #require(application.scene)).entries().map(\.object)
        #expect(objects.count >= 6)
        for object in objects { #expect(!hasSideTable(object), "\(object)") }
        weak let weakly = field
        #expect(hasSideTable(try #require(weakly)))
    }
}
