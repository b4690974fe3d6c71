import ControllerKit
import StateRestoration
import Testing

@Suite struct TabBarControllerTests {
    private func tabs(_ names: [RestorationIdentifier?]) -> TabBarController {
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers(names.map { ViewController.named($0) })
        return tabs
    }

    private func titles(_ tabs: TabBarController) -> [String] {
        tabs.viewControllers.map(\.title)
    }

    @Test func `the first tab is selected by default, and only the selected tab is shown`() {
        let tabs = tabs(["a", "b"])
        #expect(tabs.selectedIndex == 0)
        tabs.loadViewIfNeeded()
        #expect(tabs.viewControllers.map(\.isViewLoaded) == [true, false])
        tabs.selectedIndex = 1
        #expect(tabs.selectedViewController?.title == "b")
        #expect(tabs.view.subviews.count == 1)
        #expect(tabs.view.subviews.first === tabs.selectedViewController?.view)
        tabs.selectedViewController = ViewController()
        #expect(tabs.selectedIndex == 1)
        tabs.selectedIndex = 9
        #expect(tabs.selectedIndex == 1)
        tabs.selectedIndex = -9
        #expect(tabs.selectedIndex == 0)
    }

    @Test func `the selected tab stays selected when tabs are added, removed or reordered`() {
        let tabs = tabs(["a", "b", "c"])
        tabs.loadViewIfNeeded()
        tabs.selectedIndex = 1
        let selected = tabs.selectedViewController
        tabs.setViewControllers(tabs.viewControllers.reversed() + [ViewController.named("d")])
        #expect(tabs.selectedViewController === selected)
        tabs.viewControllers[0].removeFromParent()
        #expect(tabs.selectedViewController === selected)
        #expect(tabs.selectedIndex == 0)
        selected?.removeFromParent()
        #expect(tabs.selectedViewController?.title == "a")
        #expect(selected?.view.superview == nil)
        #expect(tabs.view.subviews.first === tabs.selectedViewController?.view)
        tabs.setViewControllers([])
        #expect(tabs.selectedViewController == nil)
        #expect(tabs.view.subviews.isEmpty)
        tabs.addChild(ViewController.named("e"))
        #expect(tabs.selectedViewController?.title == "e")
    }

    @Test func `an index set before any tabs exist takes effect when its tab is added`() {
        let tabs = TabBarController()
        tabs.selectedIndex = 1
        for name in ["a", "b", "c"] as [RestorationIdentifier] {
            tabs.addChild(ViewController.named(name))
        }
        #expect(tabs.selectedViewController?.title == "b")
        #expect(tabs.selectedIndex == 1)
        tabs.insertChild(ViewController.named("z"), at: 0)
        #expect(tabs.selectedViewController?.title == "b")
        #expect(tabs.selectedIndex == 2)
        let others = TabBarController()
        others.selectedIndex = 2
        others.viewControllers = [ViewController.named("a"), ViewController.named("b")]
        #expect(others.selectedViewController?.title == "b")
        others.selectedIndex = 0
        others.addChild(ViewController.named("c"))
        #expect(others.selectedViewController?.title == "a")
    }

    @Test func `the user can choose exactly one existing tab`() throws {
        let tabs = tabs(["a", "b"])
        try tabs.select([1])
        #expect(tabs.selectedIndex == 1)
        #expect(throws: OperationError.noSuchElement(index: 2, count: 2)) { try tabs.select([2]) }
        #expect(throws: OperationError.noSuchElement(index: -1, count: 2)) { try tabs.select([-1]) }
        #expect(throws: OperationError.tooManyElements(given: 2, maximum: 1)) {
            try tabs.select([0, 1])
        }
        #expect(throws: OperationError.notPossible("exactly one tab must be selected")) {
            try tabs.select([])
        }
        #expect(tabs.selectedIndex == 1)
    }

    @Test func `the bar is drawn at the bottom, with the selected title in brackets`() {
        let tabs = tabs(["a", "b"])
        let field = TextField()
        tabs.viewControllers[0].view.addSubview(field)
        let drawn = lines(of: tabs.view)
        #expect(drawn.count == 5)
        #expect(drawn.suffix(2) == [String(repeating: "─", count: 20), "[ a ]   b           "])
        tabs.selectedIndex = 1
        #expect(lines(of: tabs.view).last == "  a   [ b ]         ")
    }

    @Test func `a storyboard sets the tabs and the selected tab`() throws {
        let tabs = TabBarController()
        try tabs.setProperty("selectedIndex", to: .integer(1))
        tabs.setStoryboardChildren([ViewController.named("a"), ViewController.named("b")])
        #expect(tabs.selectedViewController?.title == "b")
        #expect(tabs.inspectedProperties["tabs"] == .array([.string("a"), .string("b")]))
        #expect(tabs.inspectedProperties["selectedIndex"] == .integer(1))
        #expect(throws: PropertyError.invalidValue("a whole number from 0 is required")) {
            try tabs.setProperty("selectedIndex", to: .integer(-1))
        }
        #expect(throws: PropertyError.unknownProperty(known: ["selectedIndex", "title"])) {
            try tabs.setProperty("tabs", to: .integer(1))
        }
    }

    @Test func `P10: the identified tabs and the selected tab are saved`() throws {
        let tabs = tabs(["a", nil, "b"])
        tabs.selectedIndex = 2
        let application = try saved(tabs)
        let a = StoredValue.reference(RestorationPath(["tabs", "a"]))
        let b = StoredValue.reference(RestorationPath(["tabs", "b"]))
        #expect(
            try application.values(of: tabs)
                == ["viewControllers": .array([a, b]), "selectedViewController": b])
        tabs.selectedIndex = 1
        #expect(application.scene?.needsPass == true)
        #expect(try application.values(of: tabs)["selectedViewController"] == nil)
        #expect(application.save()?.diagnostics == [])
    }

    @Test func `V8: the saved tab is selected again after tabs are reordered`() throws {
        let tabs = tabs(["a", "b", "c"])
        tabs.selectedIndex = 2
        let first = try saved(tabs)
        let next = self.tabs(["a", "c", "b"])
        try restore(next, from: first)
        #expect(next.selectedViewController?.title == "c")
        #expect(next.view.subviews.first === next.viewControllers[1].view)
        #expect(titles(next) == ["a", "c", "b"])
    }

    @Test func `V8: if the saved tab is gone, the selection from the launch is kept`() throws {
        let tabs = tabs(["a", "b", "c"])
        tabs.selectedIndex = 2
        let first = try saved(tabs)
        let next = self.tabs(["a", "b"])
        next.selectedIndex = 1
        let report = try restore(next, from: first)
        #expect(report.unrestored.map(\.path) == ["tabs/c"])
        #expect(next.selectedIndex == 1)
    }

    @Test func `R9: recreated tabs are inserted after the tabs that preceded them`() throws {
        let first = try saved(tabs(["x", "a", "y", "z", "b"]))
        let next = tabs(["b", nil, "a"])
        let report = try restore(next, from: first, making: ["tabs/x", "tabs/y", "tabs/z"])
        #expect(report.unrestored == [])
        #expect(titles(next) == ["tabs/x", "b", "", "a", "tabs/y", "tabs/z"])
        #expect(next.viewControllers.allSatisfy { $0.parent === next })
        #expect(next.selectedViewController?.title == "tabs/x")
    }

    @Test func `R10: a tab that is never shown loads its view before it decodes`() throws {
        let log = CallLog()
        func tree() -> TabBarController {
            let tabs = TabBarController.named("tabs")
            tabs.setViewControllers([
                LoggingController.named("shown", log), LoggingController.named("hidden", log),
            ])
            return tabs
        }
        let first = try saved(tree())
        _ = log.take()
        try restore(tree(), from: first)
        #expect(
            log.take().filter { $0.hasPrefix("hidden") && !$0.contains("move") } == [
                "hidden did load", "hidden decode", "hidden finished",
            ])
    }
}
