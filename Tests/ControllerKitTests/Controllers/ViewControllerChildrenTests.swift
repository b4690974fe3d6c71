import StateRestoration
import Testing

@testable import ControllerKit

/// Tests how controllers and their views leave one container and join another.
@Suite struct ViewControllerChildrenTests {
    private static let containers: [ViewController.Type] = [
        NavigationController.self, TabBarController.self, PageViewController.self,
        SplitViewController.self,
    ]

    @Test(arguments: containers, [false, true])
    func `a view that was moved to another controller stays there when its controller moves, too`(
        container: ViewController.Type, isEmptied: Bool
    ) {
        let former = container.init()
        let child = ViewController()
        former.setStoryboardChildren([child])
        former.loadViewIfNeeded()
        #expect(child.view.superview === former.view)
        let other = ViewController()
        other.view.addSubview(child.view)
        if isEmptied { former.setStoryboardChildren([]) }
        other.addChild(child)
        #expect(former.children.isEmpty)
        #expect(child.parent === other)
        #expect(child.view.superview === other.view)
    }

    @Test(arguments: containers)
    func `the view of a shown child is added again after it was removed`(
        type: ViewController.Type
    ) {
        let container = type.init()
        let child = ViewController()
        container.setStoryboardChildren([child])
        container.loadViewIfNeeded()
        child.view.removeFromSuperview()
        #expect(container.view.subviews.isEmpty)
        container.setStoryboardChildren([child])
        #expect(child.view.superview === container.view)
    }

    @Test func `every controller that leaves a stack is notified once`() {
        let log = CallLog()
        let navigation = NavigationController()
        let pages = ["a", "b"].map { LoggingController.named($0, log) }
        navigation.setViewControllers([ViewController(), pages[0], pages[1]])
        _ = log.take()
        navigation.popToRootViewController()
        #expect(
            log.take() == [
                "a will move to nothing", "b will move to nothing", "a did move to nothing",
                "b did move to nothing",
            ])
        for page in pages { #expect(page.parent == nil) }
    }

    /// A controller that performs an action before it disappears.
    private final class ActingController: LoggingController {
        var action: () -> Void = {}

        override func viewWillDisappear() {
            let action = action
            self.action = {}
            action()
        }
    }

    @Test func `a popped controller that is presented as it disappears is notified once`() throws {
        let log = CallLog()
        let navigation = NavigationController()
        let other = ViewController()
        let top = ActingController.named("top")
        navigation.setViewControllers([ViewController(), top])
        try TestApplication(navigation).launch()
        top.log = log
        top.action = { other.present(top) }
        navigation.popViewController()
        #expect(
            log.take().filter { $0.contains(" move ") } == [
                "top will move to nothing", "top did move to nothing",
            ])
        #expect(navigation.viewControllers.count == 1)
        #expect(top.presentingViewController === other)
    }

    /// A controller that performs an action before it moves.
    private final class MovingController: ViewController {
        var action: () -> Void = {}

        override func willMove(toParent parent: ViewController?) {
            let action = action
            self.action = {}
            action()
        }
    }

    @Test func `each of several new children leaves the container that it joined in willMove`() {
        let bottom = ViewController()
        let other = NavigationController(rootViewController: bottom)
        let navigation = NavigationController()
        other.loadViewIfNeeded()
        navigation.loadViewIfNeeded()
        let (first, second) = (ViewController(), MovingController())
        second.action = { other.pushViewController(second) }
        navigation.setViewControllers([first, second])
        #expect(
            navigation.viewControllers.map(ObjectIdentifier.init)
                == [first, second].map(ObjectIdentifier.init))
        #expect(second.parent === navigation)
        #expect(second.view.superview === navigation.view)
        #expect(other.viewControllers.map(ObjectIdentifier.init) == [ObjectIdentifier(bottom)])
        #expect(other.view.subviews.map(ObjectIdentifier.init) == [ObjectIdentifier(bottom.view)])
    }

    @Test func `I4: the container presents the controller that the last new child presents`() {
        let pages = [ViewController(), ViewController()]
        let sheet = ViewController()
        pages[1].present(sheet)
        let navigation = NavigationController()
        navigation.setViewControllers(pages)
        #expect(navigation.presentedViewController === sheet)
        #expect(sheet.presentingViewController === navigation)
    }

    @Test func `S4: the tasks of all children start when their container joins a scene`() throws {
        let root = ViewController.named("root")
        var startCount = 0
        let application = TestApplication(root)
        application.prepare = { scene in
            scene.records.startTask = { _ in
                startCount += 1
                return {}
            }
        }
        try application.launch()
        application.scene?.attachRoot()
        let container = ViewController()
        for _ in 0..<3 {
            let child = ViewController()
            child.task { _ in }
            container.addChild(child)
        }
        #expect(startCount == 0)
        root.addChild(container)
        #expect(startCount == 3)
    }

    @Test func `the columns of a split controller can be replaced all at once`() {
        let split = SplitViewController()
        let former = ["a", "b", "c"].map { ViewController.named($0) }
        split.setStoryboardChildren(former)
        split.loadViewIfNeeded()
        split.setStoryboardChildren(["d", "e", "f"].map { ViewController.named($0) })
        #expect(split.children.map(\.title) == ["d", "e", "f"])
        #expect(split.view.subviews.count == 3)
        for controller in former {
            #expect(controller.parent == nil)
            #expect(controller.view.superview == nil)
        }
    }

    /// A controller that leaves its split view controller when its view is loaded.
    private final class LeavingController: ViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            splitViewController?.setViewController(nil, for: .primary)
        }
    }

    @Test func `a controller that leaves its column in viewDidLoad is not shown`() {
        let split = SplitViewController()
        let leaving = LeavingController()
        let detail = ViewController()
        split.setViewController(leaving, for: .primary)
        split.setViewController(detail, for: .secondary)
        split.loadViewIfNeeded()
        #expect(split.viewController(for: .primary) == nil)
        #expect(leaving.parent == nil)
        #expect(split.view.subviews.map(ObjectIdentifier.init) == [ObjectIdentifier(detail.view)])
    }

    @Test func `going back without pages is refused and keeps the index for later pages`() {
        let book = PageViewController()
        book.currentIndex = 2
        #expect(throws: OperationError.notPossible("its first page is already shown")) {
            try book.goBack()
        }
        book.setPages(["a", "b", "c"].map { ViewController.named($0) })
        #expect(book.currentPage?.title == "c")
    }
}
