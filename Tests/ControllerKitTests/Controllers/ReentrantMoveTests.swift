import StateRestoration
import Testing

@testable import ControllerKit

/// Tests controllers that are moved during another move, and the tree that they find during a move.
@Suite struct ReentrantMoveTests {
    /// A controller that performs an action before it moves.
    private final class ActionOnMoveController: ViewController {
        var willMove: (ActionOnMoveController, ViewController?) -> Void = { _, _ in }
        override func willMove(toParent parent: ViewController?) {
            let action = willMove
            willMove = { _, _ in }
            action(self, parent)
        }
    }

    @Test
    func
        `a controller that moves elsewhere in willMove still reaches only its original destination`()
    {
        let navigation = NavigationController()
        let bottom = ViewController()
        let other = NavigationController(rootViewController: bottom)
        navigation.loadViewIfNeeded()
        other.loadViewIfNeeded()
        let child = ActionOnMoveController()
        child.willMove = { child, _ in other.addChild(child) }
        navigation.pushViewController(child)
        #expect(navigation.children.map(ObjectIdentifier.init) == [ObjectIdentifier(child)])
        #expect(child.parent === navigation)
        #expect(other.topViewController === bottom)
        #expect(other.view.subviews.map(ObjectIdentifier.init) == [ObjectIdentifier(bottom.view)])
        #expect(child.view.superview === navigation.view)
        child.removeFromParent()

        let parent = ViewController()
        child.willMove = { child, _ in other.present(child) }
        parent.addChild(child)
        #expect(parent.children.count == 1)
        #expect(child.parent === parent)
        #expect(child.presentingViewController == nil)
        #expect(other.presentedViewController == nil)
        child.removeFromParent()

        let window = Window()
        child.willMove = { child, _ in window.rootViewController = child }
        parent.addChild(child)
        #expect(child.parent === parent)
        #expect(window.rootViewController == nil)
    }

    @Test
    func `a controller that adds itself back to the stack while being popped is still removed`() {
        let navigation = NavigationController()
        navigation.loadViewIfNeeded()
        let bottom = ViewController()
        let top = ActionOnMoveController()
        navigation.setViewControllers([bottom, top])
        let above = ViewController()
        top.willMove = { top, _ in navigation.setViewControllers([bottom, above, top]) }
        navigation.popViewController()
        #expect(navigation.topViewController === bottom)
        #expect(navigation.children.count == 1)
        #expect(top.parent == nil)
        #expect(above.parent == nil)
        #expect(navigation.view.subviews.count == 1)
        #expect(navigation.view.subviews.first === bottom.view)
    }

    @Test func `a controller that pushes itself again in viewWillDisappear stays on the stack`()
        throws
    {
        final class RepushingController: ViewController {
            override func viewWillDisappear() {
                if let stack = navigationController,
                    !stack.children.contains(where: { $0 === self })
                {
                    stack.pushViewController(self)
                }
            }
        }
        let navigation = NavigationController()
        let top = RepushingController()
        navigation.setViewControllers([ViewController(), top])
        try TestApplication(navigation).launch()
        navigation.popViewController()
        #expect(navigation.topViewController === top)
        #expect(top.parent === navigation)
        #expect(top.isOnScreen)
        #expect(top.appearance == .shown)
    }

    @Test func `a window's root that becomes a child is removed from the window`() throws {
        let log = CallLog()
        let root = LoggingController.named("root", log)
        let application = TestApplication(root)
        try application.launch()
        let window = try #require(application.window)
        _ = log.take()
        let navigation = NavigationController(rootViewController: root)
        #expect(window.rootViewController == nil)
        #expect(root.parent === navigation)
        #expect(root.appearance == .hidden)
        window.rootViewController = navigation
        #expect(root.appearance == .shown)
        #expect(
            log.take() == [
                "root will disappear", "root did disappear", "root will move to ",
                "root did move to ", "root will appear", "root did appear",
            ])
        ViewController().addChild(navigation)
        #expect(window.rootViewController == nil)
        #expect(navigation.parent == nil)
    }

    /// A controller that records its container or presenter during each call.
    private final class ParentRecordingController: ViewController {
        var calls: [String] = []
        private func record(_ call: String) {
            let parent: ViewController? = navigationController ?? presentingViewController
            calls.append("\(call) \(parent?.title ?? "-")")
        }
        override func viewDidLoad() { record("load") }
        override func viewWillAppear() { record("will") }
        override func viewDidAppear() { record("did") }
        override func didMove(toParent parent: ViewController?) { record("moved") }
    }

    @Test
    func `a pushed or presented controller finds its container or presenter from viewDidLoad on`()
        throws
    {
        let navigation = NavigationController.named("nav")
        navigation.setViewControllers([ViewController()])
        try TestApplication(navigation).launch()
        let pushed = ParentRecordingController()
        navigation.pushViewController(pushed)
        #expect(pushed.calls == ["load nav", "will nav", "did nav", "moved nav"])
        let presented = ParentRecordingController()
        navigation.present(presented)
        #expect(presented.calls == ["load nav", "will nav", "did nav"])
    }

    @Test func `a presented controller appears before a child that its viewDidLoad adds`() throws {
        let log = CallLog()
        final class ChildAddingController: LoggingController {
            var child: ViewController?
            override func viewDidLoad() {
                if let child { view.addSubview(child.view) }
            }
        }
        let root = LoggingController.named("root", log)
        try TestApplication(root).launch()
        let holding = ChildAddingController.named("holding")
        holding.log = log
        holding.child = LoggingController.named("child", log)
        holding.child.map(holding.addChild)
        _ = log.take()
        root.present(holding)
        #expect(
            log.take().filter { $0.hasSuffix("appear") } == [
                "root will disappear", "holding will appear", "child will appear",
                "root did disappear", "holding did appear", "child did appear",
            ])
    }

    @Test func `a controller that dismisses itself in viewDidLoad is never shown`() throws {
        let log = CallLog()
        final class SelfDismissingController: LoggingController {
            override func viewDidLoad() { dismiss() }
        }
        let root = LoggingController.named("root", log)
        try TestApplication(root).launch()
        let fleeting = SelfDismissingController.named("fleeting")
        fleeting.log = log
        _ = log.take()
        #expect(!root.present(fleeting))
        #expect(log.take() == [])
        #expect(root.presentedViewController == nil)
        #expect(root.appearance == .shown)
    }

    @Test func `a controller that pushes another controller in viewDidLoad is never shown`() throws
    {
        let log = CallLog()
        final class PushingController: LoggingController {
            var next: ViewController?
            override func viewDidLoad() {
                if let next { navigationController?.pushViewController(next) }
            }
        }
        let navigation = NavigationController()
        navigation.setViewControllers([LoggingController.named("bottom", log)])
        try TestApplication(navigation).launch()
        let forwarding = PushingController.named("forwarding")
        forwarding.log = log
        forwarding.next = LoggingController.named("next", log)
        _ = log.take()
        navigation.pushViewController(forwarding)
        #expect(navigation.children.count == 3)
        #expect(
            log.take().filter { $0.hasSuffix("appear") } == [
                "bottom will disappear", "next will appear", "bottom did disappear",
                "next did appear",
            ])
    }

    @Test func `a controller that joins a container while it becomes the root stays there`() {
        final class LoadingController: ViewController {
            var loaded: () -> Void = {}
            override func viewDidLoad() {
                super.viewDidLoad()
                loaded()
            }
        }
        let log = CallLog()
        let (navigation, other) = (NavigationController(), ViewController.named("other"))
        let bottom = LoadingController()
        let page = LoggingController.named("page", log)
        navigation.setViewControllers([bottom, page])
        navigation.loadViewIfNeeded()
        bottom.loaded = { other.addChild(page) }
        let window = Window()
        _ = log.take()
        window.rootViewController = page
        #expect(log.take() == ["page will move to other"])
        #expect(page.parent === other)
        #expect(window.rootViewController == nil)
    }
}
