import ControllerKit
import StateRestoration
import Testing

@Suite struct WindowTests {
    @Test func `R1: becoming key loads the root's view`() {
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

    @Test func `a window is drawn in a frame of the promised width`() {
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

    @Test func `what is presented is all that is drawn`() {
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

    @Test func `a person takes away what is presented, the topmost first`() throws {
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

    @Test func `a person goes back in the innermost stack that is shown`() throws {
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
        #expect(throws: OperationError.notPossible("its stack has nothing to go back to")) {
            try window.goBack()
        }
        outer.present(ViewController())
        #expect(throws: OperationError.notPossible("no navigation controller is shown")) {
            try window.goBack()
        }
    }

    @Test func `a root comes out of where it was`() {
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

    @Test func `P5: another root is what is saved`() throws {
        let application = TestApplication(ViewController.named("first"))
        try application.launch()
        application.save()
        application.window?.rootViewController = ViewController.named("second")
        #expect(application.scene?.needsPass == true)
        application.save()
        #expect(application.recordedPaths == ["second"])
    }
}
