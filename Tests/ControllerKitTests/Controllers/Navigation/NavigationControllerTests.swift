import ControllerKit
import StateRestoration
import Testing

@Suite struct NavigationControllerTests {
    private func stack(_ names: [RestorationIdentifier?]) -> NavigationController {
        let navigation = NavigationController.named("nav")
        navigation.setViewControllers(names.map { ViewController.named($0) })
        return navigation
    }

    private func titles(_ navigation: NavigationController) -> [String] {
        navigation.viewControllers.map(\.title)
    }

    /// A finder that creates the controllers of a storyboard.
    private struct Board: StoryboardInstantiating {
        let names: [String]
        func instantiateViewController(_ origin: StoryboardOrigin) -> (any StateRestoring)? {
            guard names.contains(origin.identifier) else { return nil }
            return ViewController.named(RestorationIdentifier(recorded: origin.identifier))
        }
    }

    /// Saves a stack whose controllers were created from a storyboard.
    private func saved(_ names: [RestorationIdentifier]) throws -> TestApplication {
        let navigation = stack(names)
        for controller in navigation.viewControllers {
            controller.restoration.storyboard = StoryboardOrigin(
                name: "Main", identifier: controller.title)
        }
        let application = TestApplication(navigation)
        try application.launch()
        application.save()
        return application
    }

    @Test func `going back would remove the top controller, unless it is the root controller`() {
        for (names, left) in [([], nil), (["a"], nil), (["a", "b"], "b"), (["a", "b", "c"], "c")]
            as [([RestorationIdentifier], String?)]
        {
            #expect(stack(names).controllerToPop?.title == left)
        }
    }

    @Test func `pushing and popping change the stack and the visible view`() {
        let navigation = stack(["a"])
        let top = ViewController.named("b")
        navigation.pushViewController(top)
        #expect(navigation.topViewController === top)
        #expect(navigation.view.subviews.count == 1)
        #expect(navigation.view.subviews.first === top.view)
        #expect(navigation.popViewController() === top)
        #expect(top.parent == nil)
        #expect(titles(navigation) == ["a"])
        #expect(navigation.view.subviews.first === navigation.topViewController?.view)
        #expect(navigation.popViewController() == nil)
        #expect(NavigationController().popViewController() == nil)
    }

    @Test func `only the top controller's view is loaded`() {
        let navigation = stack(["a", "b"])
        navigation.loadViewIfNeeded()
        #expect(navigation.viewControllers.map(\.isViewLoaded) == [false, true])
    }

    @Test func `a stack that becomes empty shows no view`() {
        let navigation = stack(["a"])
        navigation.loadViewIfNeeded()
        navigation.setViewControllers([])
        #expect(navigation.view.subviews.isEmpty)
        #expect(navigation.topViewController == nil)
    }

    @Test func `the bar shows the title and the way back`() {
        let navigation = stack(["Home"])
        #expect(
            lines(of: navigation.view, width: 20) == [
                "        Home        ", String(repeating: "─", count: 20),
            ])
        navigation.pushViewController(ViewController.named("Detail"))
        #expect(lines(of: navigation.view, width: 20)[0] == "‹ Home   Detail     ")
    }

    @Test func `P10: the stack is saved from bottom to top, without unidentified controllers`()
        throws
    {
        let navigation = stack(["a", nil, "b"])
        let application = TestApplication(navigation)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        let values = try StateInspection(scene).values(
            of: navigation,
            passMetadata: PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""))
        #expect(
            values["viewControllers"]
                == .array([
                    .reference(RestorationPath(["nav", "a"])),
                    .reference(RestorationPath(["nav", "b"])),
                ]))
        #expect(application.output?.diagnostics == [])
    }

    @Test func `P10: a navigation controller rebuilds its saved stack`() throws {
        let first = try saved(["a", "b", "c"])
        let navigation = stack(["a"])
        let bottom = navigation.topViewController
        let report = try TestApplication(navigation).launch(
            restoring: first, storyboards: Board(names: ["b", "c"]))
        #expect(report.unrestored.isEmpty)
        #expect(titles(navigation) == ["a", "b", "c"])
        #expect(navigation.viewControllers.first === bottom)
        #expect(navigation.view.subviews.first === navigation.topViewController?.view)
    }

    @Test func `R8: a stack is cut at the first controller that was not restored`() throws {
        let first = try saved(["a", "b", "c"])
        let navigation = stack(["a"])
        let report = try TestApplication(navigation).launch(
            restoring: first, storyboards: Board(names: ["c"]))
        #expect(report.unrestored.map(\.path) == ["nav/b", "nav/c"])
        #expect(report.unrestored.map(\.code) == [.storyboardMissing, .stackCut])
        #expect(titles(navigation) == ["a"])
    }

    @Test func `P10: a controller that is not on the saved stack is removed from the stack`() throws
    {
        let first = try saved(["a"])
        let navigation = stack(["a", "b"])
        try TestApplication(navigation).launch(restoring: first)
        #expect(titles(navigation) == ["a"])
    }

    @Test func `if the saved stack is empty, the stack from the launch is kept`() throws {
        let first = try saved([])
        let navigation = stack(["a", "b"])
        try TestApplication(navigation).launch(restoring: first)
        #expect(titles(navigation) == ["a", "b"])
    }

    @Test func `if no saved controller is restored, the stack from the launch is kept`() throws {
        let first = try saved(["x", "y"])
        let navigation = stack(["a"])
        try TestApplication(navigation).launch(restoring: first)
        #expect(titles(navigation) == ["a"])
    }

    @Test func `I3: stack controllers with equal identifiers are restored in order`() throws {
        func pages() -> NavigationController {
            let navigation = NavigationController.named("nav")
            navigation.setViewControllers([
                FieldController.named("page"), FieldController.named("page"),
            ])
            return navigation
        }
        let navigation = pages()
        let first = TestApplication(navigation)
        try first.launch()
        for (index, controller) in navigation.viewControllers.enumerated() {
            controller.loadViewIfNeeded()
            (controller as? FieldController)?.field.text = "\(index)"
        }
        first.save()
        let found = pages()
        let report = try TestApplication(found).launch(restoring: first)
        #expect(report.unrestored.isEmpty)
        #expect(
            found.viewControllers.map { ($0 as? FieldController)?.field.text } == ["0", "1"])
    }

    @Test func `the navigation controller's own views remain when the stack changes`() {
        let navigation = NavigationController.named("nav")
        let search = TextField()
        navigation.view.addSubview(search)
        let page = FieldController.named("page")
        navigation.setViewControllers([page])
        navigation.pushViewController(FieldController.named("detail"))
        #expect(search.superview === navigation.view)
        #expect(page.view.superview == nil)
        #expect(navigation.topViewController?.view.superview === navigation.view)
    }

    @Test func `popping returns to a given controller or to the root controller`() throws {
        let navigation = stack(["a", "b", "c", "d"])
        navigation.loadViewIfNeeded()
        let second = navigation.viewControllers[1]
        #expect(navigation.popToViewController(second).map(\.title) == ["c", "d"])
        #expect(navigation.topViewController === second)
        #expect(navigation.popToViewController(ViewController()).isEmpty)
        #expect(navigation.popToViewController(second).isEmpty)
        navigation.pushViewController(ViewController.named("e"))
        #expect(navigation.popToRootViewController().map(\.title) == ["b", "e"])
        #expect(titles(navigation) == ["a"])
        #expect(navigation.popToRootViewController().isEmpty)
    }

    @Test func `the user can go back until the root controller is shown`() throws {
        let navigation = stack(["a", "b"])
        try navigation.goBack()
        #expect(titles(navigation) == ["a"])
        #expect(throws: OperationError.notPossible("its stack contains only the root controller")) {
            try navigation.goBack()
        }
    }

    @Test func `a stack contains each controller only once`() {
        let navigation = stack(["a", "b", "c"])
        navigation.loadViewIfNeeded()
        navigation.pushViewController(navigation.viewControllers[0])
        #expect(titles(navigation) == ["b", "c", "a"])
        let top = navigation.viewControllers[2]
        navigation.setViewControllers([top, navigation.viewControllers[0], top])
        #expect(titles(navigation) == ["b", "a"])
    }

    @Test func `a child that is removed from its parent is no longer shown`() {
        let navigation = stack(["a", "b"])
        navigation.loadViewIfNeeded()
        let top = navigation.topViewController
        top?.removeFromParent()
        #expect(top?.view.superview == nil)
        #expect(navigation.view.subviews.first === navigation.viewControllers[0].view)
    }

    @Test
    func `the bar shows the top controller's buttons left of the title and at the right edge`() {
        let navigation = stack(["Home"])
        let top = navigation.viewControllers[0]
        top.navigationItem.rightBarButtonItems = [
            BarButtonItem(title: "Add"), top.editButtonItem,
        ]
        #expect(lines(of: navigation.view, width: 34)[0] == "               Home  ‹Edit›  ‹Add›")
        #expect(lines(of: navigation.view, width: 24)[0] == "   Home     ‹Edit›  ‹Ad…")
        top.navigationItem.leftBarButtonItems = [BarButtonItem(title: "Cancel")]
        top.editButtonItem.isEnabled = false
        #expect(lines(of: navigation.view, width: 36)[0] == "‹Cancel›   Home        (Edit)  ‹Add›")
        let detail = ViewController.named("Detail")
        detail.navigationItem.leftBarButtonItems = [BarButtonItem(title: "Go")]
        navigation.pushViewController(detail)
        #expect(lines(of: navigation.view, width: 36)[0] == "‹ Home  ‹Go›   Detail               ")
        top.navigationItem.rightBarButtonItems[0].isHidden = true
        navigation.popViewController()
        #expect(lines(of: navigation.view, width: 36)[0] == "‹Cancel›   Home               (Edit)")
    }

    @Test func `a bar button can move to the other side or to another bar`() {
        let item = ViewController().navigationItem
        let button = BarButtonItem(title: "Go")
        item.leftBarButtonItem = button
        item.rightBarButtonItem = button
        item.leftBarButtonItem = nil
        #expect(item.rightBarButtonItem === button)
        #expect(item.leftBarButtonItems.isEmpty)
        #expect(button.superview === item)
        let other = ViewController().navigationItem
        other.leftBarButtonItems = [BarButtonItem(title: "New"), button]
        item.rightBarButtonItem = nil
        #expect(button.superview === other)
        other.leftBarButtonItems.removeLast()
        #expect(button.superview == nil)
        #expect(other.leftBarButtonItem?.title == "New")
        #expect(other.subviews.count == 1)
    }

    @Test func `removing a bar button keeps the other buttons in place`() {
        let item = ViewController().navigationItem
        let buttons = ["a", "b", "c", "d"].map { BarButtonItem(title: $0) }
        item.leftBarButtonItems = Array(buttons.prefix(3))
        item.rightBarButtonItems = [buttons[3]]
        item.leftBarButtonItems.removeLast()
        #expect(
            item.subviews.map(ObjectIdentifier.init)
                == [buttons[0], buttons[1], buttons[3]].map(ObjectIdentifier.init))
    }

    @Test func `the navigation item's title replaces the controller's title in the bar`() {
        let page = ViewController.named("Home")
        let navigation = NavigationController(rootViewController: page)
        page.navigationItem.title = "House"
        #expect(lines(of: navigation.view)[0] == "       House        ")
        page.navigationItem.title = nil
        #expect(lines(of: navigation.view)[0] == "        Home        ")
    }

    @Test func `the stack can be changed by assigning viewControllers`() {
        let navigation = NavigationController(rootViewController: ViewController.named("a"))
        navigation.viewControllers.append(ViewController.named("b"))
        #expect(titles(navigation) == ["a", "b"])
        #expect(navigation.viewControllers.allSatisfy { $0.parent === navigation })
        #expect(navigation.view.subviews.first === navigation.topViewController?.view)
    }

    @Test func `drawing a bar invalidates no state`() throws {
        let navigation = stack(["a"])
        let application = TestApplication(navigation)
        try application.launch()
        application.save()
        _ = lines(of: navigation.view)
        #expect(application.scene?.needsPass == false)
    }

    @Test func `the inspected properties list the titles of the stack`() {
        #expect(
            stack(["a", "b"]).inspectedProperties["stack"] == .array([.string("a"), .string("b")]))
    }

    @Test
    func `R8: controllers above a dropped controller, and all descendants, are not looked up`()
        throws
    {
        let navigation = stack(["a", "b", "c"])
        for controller in navigation.viewControllers {
            controller.addChild(ViewController.named("child"))
        }
        let first = TestApplication(navigation)
        try first.launch()
        first.save()
        let next = stack(["a"])
        next.viewControllers[0].addChild(ViewController.named("child"))
        let second = TestApplication(next)
        var asked: [String] = []
        second.finder = { path in
            asked.append(path)
            return path == "nav/c" ? ViewController() : nil
        }
        let report = try second.launch(restoring: first)
        #expect(
            report.unrestored.map(\.path).sorted() == [
                "nav/b", "nav/b/child", "nav/c", "nav/c/child",
            ])
        #expect(asked == ["nav", "nav/a", "nav/a/child", "nav/b"])
        #expect(titles(next) == ["a"])
    }
}
