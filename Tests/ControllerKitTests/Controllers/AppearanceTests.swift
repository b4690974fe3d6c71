import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct AppearanceTests {
    private let log = CallLog()

    private func logging(_ name: RestorationIdentifier) -> LoggingController {
        LoggingController.named(name, log)
    }

    /// Launches an application, and clears the log of calls.
    private func launched(_ root: ViewController) throws -> TestApplication {
        let application = TestApplication(root)
        try application.launch()
        _ = log.take()
        return application
    }

    /// Returns the calls to appearance methods, and clears the log.
    private func appearances() -> [String] {
        log.take().filter { $0.hasSuffix("appear") }
    }

    @Test func `nothing appears before the launch has completed`() throws {
        let root = logging("root")
        let application = TestApplication(root)
        application.window?.makeKeyAndVisible()
        #expect(log.take() == ["root did load"])
        try application.launch()
        #expect(log.take() == ["root will appear", "root did appear"])
    }

    @Test func `nothing appears while the launch is extended`() throws {
        let root = logging("root")
        let application = TestApplication(root)
        application.prepare = { $0.extendStateRestoration() }
        try application.launch()
        #expect(appearances() == [])
        application.scene?.completeStateRestoration()
        #expect(appearances() == ["root will appear", "root did appear"])
    }

    @Test func `nothing appears in a window that is not visible`() throws {
        let window = Window()
        window.rootViewController = logging("root")
        window.rootViewController?.loadViewIfNeeded()
        window.sceneDidLaunch()
        #expect(appearances() == [])
        window.makeKeyAndVisible()
        window.makeKeyAndVisible()
        window.sceneDidLaunch()
        #expect(appearances() == ["root will appear", "root did appear"])
    }

    @Test func `a window made visible after the launch loads and shows its root`() {
        let window = Window()
        window.rootViewController = logging("root")
        window.sceneDidLaunch()
        #expect(log.take() == [])
        window.makeKeyAndVisible()
        #expect(log.take() == ["root did load", "root will appear", "root did appear"])
    }

    @Test func `setting another root hides the first root and shows the second`() throws {
        let application = try launched(logging("first"))
        application.window?.rootViewController = logging("second")
        #expect(
            appearances() == [
                "first will disappear", "second will appear", "first did disappear",
                "second did appear",
            ])
        application.window?.rootViewController = nil
        #expect(appearances() == ["second will disappear", "second did disappear"])
    }

    @Test func `a presented controller that becomes the root stays visible without its presenter`()
        throws
    {
        let root = logging("root")
        let sheet = logging("sheet")
        let application = try launched(root)
        root.present(sheet)
        _ = log.take()
        application.window?.rootViewController = sheet
        #expect(appearances() == [])
        #expect(root.appearance == .hidden)
        #expect(sheet.appearance == .shown)
        #expect(root.presentedViewController == nil)
        application.window?.rootViewController = root
        #expect(
            appearances() == [
                "sheet will disappear", "root will appear", "sheet did disappear",
                "root did appear",
            ])
    }

    @Test func `replacing a covered root notifies only the presented controller and the new root`()
        throws
    {
        let root = logging("root")
        let application = try launched(root)
        root.present(logging("sheet"))
        _ = log.take()
        application.window?.rootViewController = logging("other")
        #expect(
            appearances() == [
                "sheet will disappear", "other will appear", "sheet did disappear",
                "other did appear",
            ])
    }

    @Test func `a page that becomes the root stays visible, and its container is hidden`() throws {
        let navigation = NavigationController()
        let page = logging("page")
        navigation.setViewControllers([logging("bottom"), page])
        let application = try launched(navigation)
        application.window?.rootViewController = page
        #expect(log.take() == ["bottom did load", "page did move to nothing"])
        #expect(navigation.appearance == .hidden)
        #expect(page.view.superview == nil)
        #expect(navigation.topViewController?.title == "bottom")
    }

    @Test
    func `a delegate that implements sceneDidLaunch does not prevent controllers from appearing`()
        throws
    {
        final class Delegate: ApplicationDelegate {
            let window: Window? = Window()
            var observed: [Appearance] = []
            func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
                window?.rootViewController = ViewController()
                window?.makeKeyAndVisible()
            }
            func sceneDidLaunch(_ scene: Scene) {
                if let root = window?.rootViewController { observed.append(root.appearance) }
            }
        }
        let delegate = Delegate()
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: .controllerKit,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        #expect(delegate.observed == [.shown])
    }

    @Test func `a child is notified when its view enters or leaves the view hierarchy`() throws {
        let root = logging("root")
        let child = logging("child")
        root.addChild(child)
        _ = try launched(root)
        let box = View()
        box.addSubview(child.view)
        #expect(appearances() == [])
        root.view.addSubview(box)
        #expect(appearances() == ["child will appear", "child did appear"])
        root.view.addSubview(child.view)
        root.view.addSubview(child.view)
        #expect(appearances() == [])
        child.view.removeFromSuperview()
        child.view.removeFromSuperview()
        #expect(appearances() == ["child will disappear", "child did disappear"])
    }

    @Test func `adding a view notifies all controllers inside it, outer controllers first`() throws
    {
        let root = logging("root")
        let outer = logging("outer")
        let inner = logging("inner")
        outer.view.addSubview(inner.view)
        _ = try launched(root)
        root.view.addSubview(outer.view)
        #expect(
            appearances() == [
                "outer will appear", "inner will appear", "outer did appear", "inner did appear",
            ])
    }

    @Test func `a controller does not appear when another controller shows its navigation item`()
        throws
    {
        let root = logging("root")
        let page = logging("page")
        _ = try launched(root)
        root.view.addSubview(page.navigationItem)
        page.navigationItem.removeFromSuperview()
        #expect(appearances() == [])
    }

    @Test func `a view that is added again while it is about to appear appears once`() throws {
        final class SiblingAddingController: LoggingController {
            var sibling: ViewController?
            override func viewWillAppear() {
                super.viewWillAppear()
                if let sibling { view.superview?.addSubview(sibling.view) }
            }
        }
        let root = ViewController()
        let first = logging("first")
        let second = SiblingAddingController.named("second")
        second.log = log
        second.sibling = first
        for child in [first, second] {
            root.addChild(child)
            root.view.addSubview(child.view)
        }
        try TestApplication(root).launch()
        #expect(
            appearances() == [
                "first will appear", "second will appear", "first did appear", "second did appear",
            ])
    }

    @Test func `pushing and popping notify the controllers that disappear and appear`() throws {
        let navigation = NavigationController.named("nav")
        let bottom = logging("bottom")
        navigation.setViewControllers([bottom])
        _ = try launched(navigation)
        navigation.pushViewController(logging("middle"))
        let pushed = [
            "bottom will disappear", "middle will appear", "bottom did disappear",
            "middle did appear",
        ]
        #expect(appearances() == pushed)
        navigation.pushViewController(logging("top"))
        _ = log.take()
        navigation.popToRootViewController()
        #expect(
            appearances() == [
                "top will disappear", "bottom will appear", "top did disappear",
                "bottom did appear",
            ])
    }

    @Test(arguments: [false, true])
    func `a popped controller still has its navigation controller while it disappears`(
        isInBox: Bool
    ) throws {
        final class NavigationCheckingController: ViewController {
            var hadNavigationController: [Bool] = []
            override func viewWillDisappear() {
                hadNavigationController.append(navigationController != nil)
            }
            override func viewDidDisappear() {
                hadNavigationController.append(navigationController != nil)
            }
        }
        let navigation = NavigationController()
        let top = NavigationCheckingController()
        navigation.setViewControllers([ViewController(), top])
        _ = try launched(navigation)
        if isInBox {
            let box = View()
            navigation.view.addSubview(box)
            box.addSubview(top.view)
        }
        navigation.popViewController()
        #expect(top.hadNavigationController == [true, true])
        #expect(top.navigationController == nil)
    }

    @Test func `setting a stack with the same top controller notifies no controller`() throws {
        let navigation = NavigationController()
        navigation.setViewControllers([logging("bottom"), logging("top")])
        _ = try launched(navigation)
        navigation.setViewControllers(navigation.viewControllers)
        navigation.setViewControllers([logging("new"), navigation.viewControllers[1]])
        #expect(appearances() == [])
    }

    @Test func `every page that leaves a stack disappears before the next page appears`() throws {
        let navigation = NavigationController()
        let pages = (["a", "b", "c", "d"] as [RestorationIdentifier]).map(logging)
        navigation.setViewControllers(pages)
        _ = try launched(navigation)
        // A stack shows only the top page, unless the program itself adds the views of other pages.
        for page in pages[1...2] { navigation.view.addSubview(page.view) }
        _ = log.take()
        navigation.setViewControllers([pages[0]])
        #expect(
            appearances() == [
                "b will disappear", "b did disappear", "c will disappear", "c did disappear",
                "d will disappear", "a will appear", "d did disappear", "a did appear",
            ])
    }

    @Test func `selecting a tab shows it and hides the other tab`() throws {
        let tabs = TabBarController()
        tabs.setViewControllers([logging("first"), logging("second")])
        _ = try launched(tabs)
        tabs.selectedIndex = 1
        tabs.selectedIndex = 1
        #expect(
            appearances() == [
                "first will disappear", "second will appear", "first did disappear",
                "second did appear",
            ])
    }

    @Test func `turning a page notifies both pages`() throws {
        let book = PageViewController()
        book.setPages([logging("first"), logging("second")])
        _ = try launched(book)
        try book.goForward()
        #expect(
            appearances() == [
                "first will disappear", "second will appear", "first did disappear",
                "second did appear",
            ])
    }

    @Test func `the columns of a split controller appear together`() throws {
        let split = SplitViewController()
        split.setViewController(logging("list"), for: .primary)
        split.setViewController(logging("detail"), for: .secondary)
        let application = TestApplication(split)
        try application.launch()
        #expect(
            appearances() == [
                "list will appear", "detail will appear", "list did appear", "detail did appear",
            ])
        split.setViewController(logging("other"), for: .secondary)
        #expect(
            appearances() == [
                "detail will disappear", "detail did disappear", "other will appear",
                "other did appear",
            ])
    }

    @Test func `a presented controller covers its presenter and everything the presenter shows`()
        throws
    {
        let navigation = NavigationController()
        let page = logging("page")
        let detail = logging("detail")
        let hint = logging("hint")
        navigation.setViewControllers([page])
        _ = try launched(navigation)
        page.present(detail)
        #expect(
            appearances() == [
                "page will disappear", "detail will appear", "page did disappear",
                "detail did appear",
            ])
        detail.present(hint)
        _ = log.take()
        navigation.pushViewController(logging("covered"))
        #expect(appearances() == [])
        navigation.dismiss()
        #expect(
            appearances() == [
                "hint will disappear", "covered will appear", "hint did disappear",
                "covered did appear",
            ])
    }

    @Test func `if a new child presents a controller, the covered container disappears first`()
        throws
    {
        let root = logging("root")
        _ = try launched(root)
        let (child, sheet) = (logging("child"), logging("sheet"))
        child.present(sheet)
        root.addChild(child)
        #expect(root.presentedViewController === sheet)
        #expect(
            appearances() == [
                "root will disappear", "sheet will appear", "root did disappear",
                "sheet did appear",
            ])
    }

    @Test func `a child whose view is added in viewWillAppear appears with its container`() throws {
        final class ChildAddingController: LoggingController {
            var child: ViewController?
            override func viewWillAppear() {
                super.viewWillAppear()
                if let child { view.addSubview(child.view) }
            }
        }
        let late = ChildAddingController.named("late")
        late.log = log
        let child = logging("child")
        late.addChild(child)
        late.child = child
        try TestApplication(late).launch()
        #expect(
            appearances() == [
                "late will appear", "child will appear", "late did appear", "child did appear",
            ])
    }

    @Test func `notifications stay consistent if a controller pushes another in viewWillAppear`()
        throws
    {
        final class PushingController: LoggingController {
            var next: ViewController?
            override func viewWillAppear() {
                super.viewWillAppear()
                if let next { navigationController?.pushViewController(next) }
                next = nil
            }
        }
        let navigation = NavigationController()
        navigation.setViewControllers([logging("bottom")])
        _ = try launched(navigation)
        let forwarding = PushingController.named("forwarding")
        forwarding.log = log
        navigation.pushViewController(forwarding)
        let next = logging("next")
        forwarding.next = next
        navigation.pushViewController(logging("above"))
        _ = log.take()
        navigation.popViewController()
        #expect(navigation.topViewController === next)
        #expect(navigation.viewControllers.allSatisfy { $0.appearance == .hidden || $0.isOnScreen })
        let calls = appearances()
        #expect(calls.filter { $0.hasPrefix("bottom") } == [])
        #expect(end(of: "above", in: calls, from: "did appear") == "did disappear")
        #expect(end(of: "next", in: calls, from: "did disappear") == "did appear")
        #expect(end(of: "forwarding", in: calls, from: "did disappear") == "did disappear")
    }

    /// Returns the last call to a controller, or `nil` if a call cannot follow the call before it.
    private func end(of name: String, in calls: [String], from start: String) -> String? {
        let followers = [
            "will appear": ["did appear", "will disappear"], "did appear": ["will disappear"],
            "will disappear": ["did disappear", "will appear"], "did disappear": ["will appear"],
        ]
        var last = start
        for call in calls where call.hasPrefix("\(name) ") {
            let next = String(call.dropFirst(name.count + 1))
            guard followers[last]?.contains(next) == true else { return nil }
            last = next
        }
        return last
    }

    @Test
    func `R9: a launch shows the topmost restored controller once, after restoration finishes`()
        throws
    {
        func tree() -> TabBarController {
            let tabs = TabBarController.named("tabs")
            let navigation = NavigationController.named("nav")
            navigation.setViewControllers([logging("list")])
            tabs.setViewControllers([logging("home"), navigation])
            return tabs
        }
        let saved = tree()
        let first = try launched(saved)
        saved.selectedIndex = 1
        let stack = try #require(saved.selectedViewController as? NavigationController)
        stack.pushViewController(logging("detail"))
        saved.present(logging("hint"))
        first.save()
        _ = log.take()

        let second = TestApplication(tree())
        second.finder = { path in
            switch path {
            case "tabs/nav/detail": logging("detail")
            case "tabs/hint": logging("hint")
            default: nil
            }
        }
        let report = try second.launch(restoring: first)
        #expect(report.unrestored == [])
        let calls = log.take()
        #expect(calls.filter { $0.hasSuffix("appear") } == ["hint will appear", "hint did appear"])
        let finished = try #require(calls.lastIndex { $0.hasSuffix("finished") })
        let appeared = try #require(calls.firstIndex { $0.hasSuffix("appear") })
        #expect(finished < appeared)

        second.window?.rootViewController?.dismiss()
        #expect(
            appearances() == [
                "hint will disappear", "detail will appear", "hint did disappear",
                "detail did appear",
            ])
    }

    @Test func `a page that becomes the root stays visible together with everything it shows`()
        throws
    {
        let navigation = NavigationController()
        let page = logging("page")
        let children = [logging("first"), logging("second")]
        for child in children {
            page.addChild(child)
            page.view.addSubview(child.view)
        }
        navigation.setViewControllers([ViewController(), page])
        let application = try launched(navigation)
        application.window?.rootViewController = page
        #expect(appearances() == [])
        for controller in [page] + children { #expect(controller.appearance == .shown) }
    }

    /// A controller that records whether it is on the screen during each call.
    private final class ScreenRecordingController: ViewController {
        var calls: [String] = []

        private func record(_ call: String) { calls.append("\(call) \(isOnScreen)") }

        override func viewWillAppear() { record("will appear") }
        override func viewDidAppear() { record("did appear") }
        override func viewWillDisappear() { record("will disappear") }
        override func viewDidDisappear() { record("did disappear") }
    }

    @Test func `nested controllers are notified before and after the views on the screen change`()
        throws
    {
        let root = ViewController()
        let (outer, inner) = (ScreenRecordingController(), ScreenRecordingController())
        outer.addChild(inner)
        outer.view.addSubview(inner.view)
        root.addChild(outer)
        _ = try launched(root)
        root.view.addSubview(outer.view)
        outer.view.removeFromSuperview()
        for controller in [outer, inner] {
            #expect(
                controller.calls == [
                    "will appear false", "did appear true", "will disappear true",
                    "did disappear false",
                ])
        }
    }

    /// A controller that selects a tab when it appears.
    private final class TabSelectingController: LoggingController {
        var index: Int?

        override func viewWillAppear() {
            super.viewWillAppear()
            if let index { tabBarController?.selectedIndex = index }
        }
    }

    @Test func `a tab stays in place if the tab that would replace it selects it again`() throws {
        let tabs = TabBarController()
        let first = logging("first")
        let second = TabSelectingController.named("second")
        second.log = log
        second.index = 0
        tabs.setViewControllers([first, second])
        _ = try launched(tabs)
        let view = View()
        tabs.view.addSubview(view)
        tabs.selectedIndex = 1
        #expect(
            tabs.view.subviews.map(ObjectIdentifier.init)
                == [first.view, view].map(ObjectIdentifier.init))
        #expect(tabs.selectedViewController === first)
        #expect(first.isOnScreen && !second.isOnScreen)
        #expect(
            appearances() == [
                "first will disappear", "second will appear", "second will disappear",
                "first will appear", "second did disappear", "first did appear",
            ])
    }

    @Test func `the top page of a visible stack leaves the stack before it is presented`() throws {
        let navigation = NavigationController()
        let page = logging("page")
        navigation.setViewControllers([logging("bottom"), page])
        _ = try launched(navigation)
        navigation.present(page)
        #expect(
            appearances() == [
                "page will disappear", "bottom will appear", "page did disappear",
                "bottom did appear", "bottom will disappear", "page will appear",
                "bottom did disappear", "page did appear",
            ])
    }

    @Test func `I4: a new child appears only if no controller that it presents covers it`() throws {
        let navigation = NavigationController()
        navigation.setViewControllers([logging("bottom")])
        let page = logging("page")
        let sheet = logging("sheet")
        page.present(sheet)
        _ = try launched(navigation)
        navigation.addChild(page)
        #expect(navigation.presentedViewController === sheet)
        #expect(navigation.topViewController === page)
        #expect(
            appearances() == [
                "bottom will disappear", "sheet will appear", "bottom did disappear",
                "sheet did appear",
            ])
    }

    @Test func `a root that moves to another window disappears from the first window`() {
        let windows = [Window(), Window()]
        for window in windows {
            window.makeKeyAndVisible()
            window.sceneDidLaunch()
        }
        let root = logging("root")
        windows[0].rootViewController = root
        _ = log.take()
        windows[1].rootViewController = root
        #expect(
            log.take() == [
                "root will disappear", "root did disappear", "root will appear",
                "root did appear",
            ])
    }
}
