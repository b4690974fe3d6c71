import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct WindowTests {
    @Test func `R1: becoming key loads the view of the root`() {
        let window = Window()
        let root = FieldController()
        window.rootViewController = root
        #expect(!root.isViewLoaded)
        #expect(window.drawn(columns: 20).split(separator: "\n").count == 2)
        window.makeKeyAndVisible()
        #expect(window.isKeyWindow)
        #expect(root.loads == 1)
    }

    @Test func `a key window loads the view of a new root`() {
        let window = Window()
        window.makeKeyAndVisible()
        let root = FieldController()
        window.rootViewController = root
        #expect(root.isViewLoaded)
    }

    @Test func `a window is drawn in a frame of the requested width`() {
        let window = Window()
        let root = FieldController()
        root.field.text = "hello"
        window.rootViewController = root
        window.makeKeyAndVisible()
        #expect(
            window.drawn(columns: 20) == """
                ┌──────────────────┐
                │ ┌──────────────┐ │
                │ │ hello▏       │ │
                │ └──────────────┘ │
                └──────────────────┘
                """)
    }

    @Test func `only the topmost presented controller is drawn`() {
        let window = Window()
        let root = FieldController()
        window.rootViewController = root
        window.makeKeyAndVisible()
        let sheet = NavigationController()
        sheet.setViewControllers([ViewController.named("Sheet")])
        root.present(sheet)
        #expect(window.topViewController === sheet)
        #expect(
            window.drawn(columns: 20) == """
                ┌──────────────────┐
                │      Sheet       │
                │ ──────────────── │
                └──────────────────┘
                """)
    }

    @Test func `the user dismisses presented controllers one by one, topmost first`() throws {
        let window = Window()
        let root = ViewController()
        let sheet = ViewController()
        window.rootViewController = root
        root.present(sheet)
        sheet.present(ViewController())
        try window.dismissTopmost()
        #expect(window.topViewController === sheet)
        try window.dismissTopmost()
        #expect(window.topViewController === root)
        #expect(throws: OperationError.notPossible("nothing is presented")) {
            try window.dismissTopmost()
        }
        #expect(throws: OperationError.notPossible("nothing is presented")) {
            try Window().dismissTopmost()
        }
    }

    @Test func `the user goes back in the innermost visible navigation stack`() throws {
        let window = Window()
        let outer = NavigationController()
        let tabs = TabBarController()
        let inner = NavigationController()
        let hidden = NavigationController()
        inner.setViewControllers([ViewController(), ViewController()])
        hidden.setViewControllers([ViewController(), ViewController()])
        tabs.setViewControllers([inner, hidden])
        outer.setViewControllers([ViewController(), tabs])
        window.rootViewController = outer
        window.makeKeyAndVisible()
        try window.goBack()
        #expect(inner.viewControllers.count == 1)
        #expect(outer.viewControllers.count == 2)
        try window.goBack()
        #expect(outer.viewControllers.count == 1)
        #expect(hidden.viewControllers.count == 2)
        #expect(throws: OperationError.notPossible("its stack contains only the root controller")) {
            try window.goBack()
        }
        outer.present(ViewController())
        #expect(throws: OperationError.notPossible("no navigation controller is shown")) {
            try window.goBack()
        }
    }

    @Test func `a new root is removed from its former container, window or presenter`() {
        let window = Window()
        let other = Window()
        let navigation = NavigationController()
        let page = ViewController()
        navigation.setViewControllers([page])
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        window.rootViewController = page
        #expect(navigation.viewControllers.isEmpty)
        #expect(page.view.superview == nil)
        other.rootViewController = page
        #expect(window.rootViewController == nil)
        let presenter = ViewController()
        let sheet = ViewController()
        presenter.present(sheet)
        window.rootViewController = sheet
        #expect(presenter.presentedViewController == nil)
        #expect(sheet.restorationParent == nil)
    }

    @Test func `P5: only the current root is saved`() throws {
        let application = TestApplication(ViewController.named("first"))
        try application.launch()
        application.save()
        application.window?.rootViewController = ViewController.named("second")
        #expect(application.scene?.needsPass == true)
        application.save()
        #expect(application.recordedPaths == ["second"])
    }

    /// A controller that logs when its view appears and when it moves.
    private final class EventLoggingController: ViewController {
        var events: [String] = []

        override func viewWillAppear() { events.append("will appear") }
        override func viewDidAppear() { events.append("appeared") }
        override func viewWillDisappear() { events.append("will disappear") }
        override func viewDidDisappear() { events.append("disappeared") }
        override func willMove(toParent parent: ViewController?) {
            events.append(parent == nil ? "will leave" : "will come")
        }
        override func didMove(toParent parent: ViewController?) {
            events.append(parent == nil ? "left" : "came")
        }
    }

    @Test(arguments: [false, true])
    func `a root appears once its window is key and the scene is launched`(isKeyFirst: Bool) {
        let window = Window()
        let (first, second) = (EventLoggingController(), EventLoggingController())
        window.rootViewController = first
        if isKeyFirst { window.makeKeyAndVisible() } else { window.sceneDidLaunch() }
        #expect(first.events == [])
        window.rootViewController = second
        #expect(first.events == [] && second.events == [])
        if isKeyFirst { window.sceneDidLaunch() } else { window.makeKeyAndVisible() }
        #expect(second.events == ["will appear", "appeared"])
        window.makeKeyAndVisible()
        window.sceneDidLaunch()
        #expect(second.events.count == 2)
        window.rootViewController = first
        #expect(second.events.dropFirst(2) == ["will disappear", "disappeared"])
        #expect(first.events == ["will appear", "appeared"])
    }

    @Test func `a window's controllers include presented controllers`() {
        let window = Window()
        let tabs = TabBarController()
        let children = (0..<3).map { _ in EventLoggingController() }
        tabs.viewControllers = children
        window.rootViewController = tabs
        window.makeKeyAndVisible()
        window.sceneDidLaunch()
        let sheet = EventLoggingController()
        tabs.present(sheet)
        #expect(window.controllers.count == 5)
        #expect(window.topViewController === sheet)
        #expect(window.shownViewControllers.first === sheet)
        #expect(tabs.controllerWithUnsavedChanges == nil)
        children[1].isModalInPresentation = true
        #expect(tabs.controllerWithUnsavedChanges === children[1])
        tabs.isModalInPresentation = true
        #expect(tabs.controllerWithUnsavedChanges === tabs)
    }

    @Test func `only children that enter or leave a container are notified, once each`() {
        let tabs = TabBarController()
        let children = (0..<5).map { _ in EventLoggingController() }
        tabs.viewControllers = Array(children[..<3])
        #expect(
            children.map(\.events) == Array(repeating: ["will come", "came"], count: 3) + [[], []])
        for child in children { child.events = [] }
        tabs.viewControllers = Array(children[1...])
        #expect(
            children.map(\.events) == [
                ["will leave", "left"], [], [], ["will come", "came"], ["will come", "came"],
            ])
        #expect(children.map { $0.parent === tabs } == [false, true, true, true, true])
    }

    @Test func `children that move to another container leave the former container`() {
        let (first, second) = (TabBarController(), TabBarController())
        let children = (0..<3).map { _ in EventLoggingController() }
        first.viewControllers = children
        for child in children { child.events = [] }
        second.viewControllers = Array(children[..<2])
        #expect(first.viewControllers.map(ObjectIdentifier.init) == [ObjectIdentifier(children[2])])
        #expect(first.selectedViewController === children[2])
        #expect(children[0].events == children[1].events)
        #expect(children[0].events.last == "came")
        #expect(children[2].events == [])
    }

    @Test func `pending tasks start once in a scene and are cancelled with their controller`() {
        let records = SceneRecords(names: NameTable(), numbering: RecordNumberGenerator())
        let counts = Counts()
        records.startTask = { _ in
            counts.started += 1
            return { counts.cancelled += 1 }
        }
        do {
            let tasks = ControllerTasks()
            tasks.pendingBodies = [{}, {}, {}]
            tasks.startPendingBodies(in: records)
            tasks.startPendingBodies(in: records)
            #expect(counts.started == 3)
            #expect(counts.cancelled == 0)
        }
        #expect(counts.cancelled == 3)
    }

    private final class Counts {
        var started = 0
        var cancelled = 0
    }

    @Test func `a controller that becomes the root of another window leaves the first window`() {
        let windows = [Window(), Window()]
        let root = ViewController()
        for window in windows {
            window.makeKeyAndVisible()
            window.rootViewController = root
        }
        #expect(windows[0].rootViewController == nil)
        #expect(windows[1].rootViewController === root)
        #expect(windows[0].topViewController == nil)
    }
}
