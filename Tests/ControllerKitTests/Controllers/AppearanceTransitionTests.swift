import StateRestoration
import Testing

@testable import ControllerKit

/// Tests when controllers appear and disappear that are shown by other controllers.
@Suite struct AppearanceTransitionTests {
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
        tabs.selectedIndex = 1
        #expect(tabs.selectedViewController === first)
        #expect(first.isOnScreen && !second.isOnScreen)
        #expect(
            appearances() == [
                "first will disappear", "second will appear", "first will appear",
                "second will disappear", "first did appear", "second did disappear",
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
                "sheet will appear", "bottom will disappear", "sheet did appear",
                "bottom did disappear",
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
