import StateRestoration
import Testing

@testable import ControllerKit

/// Tests segues and children that a storyboard defines.
@Suite struct ViewControllerStoryboardTests {
    /// A storyboard that creates a controller for every identifier.
    private final class Board: Storyboard, StoryboardInstantiating {
        let name = "Main"

        func instantiateInitialViewController() throws -> ViewController {
            try instantiateViewController(withIdentifier: "initial")
        }

        func instantiateViewController(withIdentifier identifier: String) throws -> ViewController {
            let controller = ViewController.named(RestorationIdentifier(recorded: identifier))
            controller.recordInstantiation(by: self, as: identifier)
            return controller
        }

        func instantiateViewController(_ origin: StoryboardOrigin) -> (any StateRestoring)? {
            try? instantiateViewController(withIdentifier: origin.identifier)
        }
    }

    private let board = Board()

    /// A controller that records the segues for which it is prepared.
    private final class SourceController: ViewController {
        var allowsSegues = false
        var prepared: [Segue] = []
        var wasShown: [Bool] = []

        override func shouldPerformSegue(
            withIdentifier identifier: String, sender: Any?
        ) -> Bool { allowsSegues }

        override func prepare(for segue: Segue, sender: Any?) {
            prepared.append(segue)
            wasShown.append(
                segue.destination.parent != nil
                    || segue.destination.presentingViewController != nil)
        }
    }

    @Test(arguments: Segue.Kind.allCases)
    func `an allowed tap prepares the destination and then shows it as the segue says`(
        kind: Segue.Kind
    ) throws {
        let source = SourceController()
        source.recordInstantiation(by: board, as: "source")
        source.addSegue(
            SegueDefinition(identifier: "open", kind: kind, destinationName: "detail"))
        let navigation = NavigationController(rootViewController: source)
        let split = SplitViewController()
        split.setViewController(navigation, for: .primary)
        let button = Button()
        source.performSegue("open", whenTapped: button)
        try button.tap()
        #expect(source.prepared.isEmpty)
        source.allowsSegues = true
        try button.tap()
        let segue = try #require(source.prepared.first)
        #expect(segue.identifier == "open")
        #expect(segue.source === source)
        #expect(segue.destination.restorationIdentifier == "detail")
        #expect(source.wasShown == [false])
        let shown: ViewController? =
            switch kind {
            case .show: navigation.topViewController
            case .showDetail: split.viewController(for: .secondary)
            case .present: split.presentedViewController
            }
        #expect(shown === segue.destination)
    }

    private static let containers: [ViewController.Type] = [
        TabBarController.self, PageViewController.self, SplitViewController.self,
    ]

    /// Creates a container whose children the storyboard lists.
    private func container(_ type: ViewController.Type, _ names: [String]) throws -> ViewController
    {
        let container = type.init()
        container.restorationIdentifier = "holder"
        container.addStoryboardChildren(
            try names.map { try board.instantiateViewController(withIdentifier: $0) })
        return container
    }

    private func childNames(_ container: ViewController) -> [String?] {
        container.children.map { $0.restorationIdentifier?.text }
    }

    /// Returns the saved identifiers of the children that the storyboard lists or listed.
    private func savedNames(
        _ container: ViewController, in application: TestApplication
    ) throws -> StoredValue? {
        try application.values(of: container)["storyboardChildren"]
    }

    @Test(arguments: containers)
    func `R16: a child that the storyboard no longer lists is not recreated`(
        type: ViewController.Type
    ) throws {
        let formerContainer = try container(type, ["a", "b"])
        let first = try saved(formerContainer)
        let names = StoredValue.array([.string("a"), .string("b")])
        #expect(try savedNames(formerContainer, in: first) == names)

        let next = try container(type, ["a"])
        let second = TestApplication(next)
        let report = try second.launch(restoring: first, storyboards: board)
        #expect(report.unrestored.map(\.path) == ["holder/b"])
        #expect(report.unrestored.map(\.code) == [.storyboardMissing])
        #expect(childNames(next) == ["a"])
        // A later launch still distinguishes the child from children that code has added.
        #expect(try savedNames(next, in: second) == names)
        next.addChild(ViewController.named("b"))
        #expect(try savedNames(next, in: second) == .array([.string("a")]))
    }

    @Test(arguments: containers)
    func `R16: a child that the storyboard lists is recreated even if code has removed it`(
        type: ViewController.Type
    ) throws {
        let first = try saved(container(type, ["a", "b"]))
        let next = try container(type, ["a", "b"])
        next.children[1].removeFromParent()
        let second = TestApplication(next)
        let report = try second.launch(restoring: first, storyboards: board)
        #expect(report.unrestored == [])
        #expect(childNames(next) == ["a", "b"])
        next.children[1].removeFromParent()
        #expect(try savedNames(next, in: second) == .array([.string("a"), .string("b")]))
    }

    @Test func `a container without storyboard children saves no identifiers of such children`()
        throws
    {
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers([ViewController.named("a")])
        #expect(try savedNames(tabs, in: saved(tabs)) == nil)
    }
}
