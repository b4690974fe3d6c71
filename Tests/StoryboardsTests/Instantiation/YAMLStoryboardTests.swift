import ControllerKit
import PositionedYAML
import StateRestoration
import Storyboards
import Synchronization
import Testing

@Suite struct YAMLStoryboardTests {
    private static let yaml = """
        storyboard: Main
        bundleVersion: "1"
        initial: nav
        controllers:
          nav:
            class: NavigationController
            restorationIdentifier: nav
            children: [page]
          page:
            class: DemandingController
            restorationIdentifier: page
            views:
              field:
                class: TextField
                restorationIdentifier: field
              box:
                class: View
                views:
                  inner:
                    class: SegmentedControl
          detail:
            class: ViewController
            restorationIdentifier: detail
        """

    private func storyboard(_ yaml: String = yaml) throws -> YAMLStoryboard {
        try #require(try collection(yaml).storyboards.first)
    }

    private func collection(_ yamls: String...) throws -> StoryboardCollection {
        try StoryboardCollection(
            yamls.map { try StoryboardDefinition(yaml: Array($0.utf8), file: "in.yaml") },
            classes: .testing)
    }

    @Test func `the initial controller is created with its children, and no view is loaded`() throws
    {
        let made = try storyboard().instantiateInitialViewController()
        let navigation = try #require(made as? NavigationController)
        #expect(!navigation.isViewLoaded)
        let page = try #require(navigation.topViewController)
        #expect(page is DemandingController)
        #expect(!page.isViewLoaded)
        #expect(page.parent === navigation)
    }

    @Test func `P13: created controllers and views record the storyboard they come from`() throws {
        let board = try storyboard()
        let page = try board.instantiateViewController(withIdentifier: "page")
        #expect(page.restoration.storyboard == StoryboardOrigin(name: "Main", identifier: "page"))
        #expect(page.storyboard === board)
        let field: TextField = page.outlet("field")
        #expect(field.restoration.storyboard == StoryboardOrigin(name: "Main", identifier: "field"))
    }

    @Test func `views become outlets, and nested views become their subviews`() throws {
        let page = try storyboard().instantiateViewController(withIdentifier: "page")
        let box: View = page.outlet("box")
        #expect(page.view.subviews.count == 2)
        #expect(page.view.subviews.last === box)
        #expect(box.subviews.count == 1)
        #expect(box.subviews.first is SegmentedControl)
        #expect(box.subviews.first?.viewController === page)
    }

    @Test func `a list of numbers specifies a size or insets`() throws {
        let page = try storyboard(
            """
            storyboard: Main
            bundleVersion: "1"
            initial: page
            controllers:
              page:
                class: ViewController
                views:
                  scroll:
                    class: ScrollView
                    contentSize: [80, 200.5]
                    visibleSize: [20, 5]
                    contentInset: [1, 0, 1, -2]
                    minimumZoomScale: 0.5
                    maximumZoomScale: 4
            """
        ).instantiateInitialViewController()
        let scroll: ScrollView = page.outlet("scroll")
        #expect(scroll.contentSize == Size(width: 80, height: 200.5))
        #expect(scroll.visibleSize == Size(width: 20, height: 5))
        #expect(scroll.contentInset == EdgeInsets(top: 1, left: 0, bottom: 1, right: -2))
        #expect(scroll.minimumZoomScale == 0.5)
        #expect(scroll.maximumZoomScale == 4)
    }

    @Test func `each instantiation creates a new controller`() throws {
        let board = try storyboard()
        let first = try board.instantiateViewController(withIdentifier: "detail")
        let second = try board.instantiateViewController(withIdentifier: "detail")
        #expect(first !== second)
        let page = try board.instantiateViewController(withIdentifier: "page")
        #expect(page.storyboardController("detail").restorationIdentifier == "detail")
    }

    @Test func `a property that disappears after the storyboard was checked is an error`() throws {
        let yaml = """
            storyboard: Main
            bundleVersion: "1"
            initial: page
            controllers:
              page: { class: FickleController, isCalm: true }
            """
        var classes = ClassRegistry.testing
        classes.register(controller: FickleController.self)
        let collection = try StoryboardCollection(
            [try StoryboardDefinition(yaml: Array(yaml.utf8), file: "in.yaml")], classes: classes)
        let board = try #require(collection.storyboards.first)
        let page = try board.instantiateInitialViewController() as? FickleController
        #expect(page?.isCalm == true)
        FickleController.isFickle.withLock { $0 = true }
        #expect(throws: PositionedErrors.self) { try board.instantiateInitialViewController() }
    }

    @Test func `the error about an unknown controller lists the controllers of the storyboard`()
        throws
    {
        let error = #expect(throws: UnknownControllerError.self) {
            try storyboard().instantiateViewController(withIdentifier: "gone")
        }
        #expect(
            error?.description
                == "the storyboard Main has no controller \"gone\": it has nav, page, detail")
    }

    @Test func `the bundle version of a storyboard is read with its position`() throws {
        let definition = try StoryboardDefinition(yaml: Array(Self.yaml.utf8), file: "in.yaml")
        #expect(definition.bundleVersion.value == "1")
        #expect(definition.bundleVersion.position.description == "in.yaml:2:16")
    }

    @Test func `R3: a collection creates a controller by its storyboard and identifier`() throws {
        let other = Self.yaml.replacing("storyboard: Main", with: "storyboard: Other")
        let collection = try collection(Self.yaml, other)
        let origin = StoryboardOrigin(name: "Other", identifier: "detail")
        let made = try #require(collection.instantiateViewController(origin))
        #expect(made is ViewController)
        #expect(made.restoration.storyboard == origin)
        #expect(made.restoration.identifier == "detail")
        for origin in [
            StoryboardOrigin(name: "Other", identifier: "gone"),
            StoryboardOrigin(name: "Gone", identifier: "detail"),
        ] {
            #expect(collection.instantiateViewController(origin) == nil)
        }
    }

    @Test(arguments: ["TabBarController", "PageViewController", "SplitViewController"])
    func `R16: a container's child is restored only if the storyboard still lists it`(
        container: String
    ) throws {
        func yaml(_ children: String) -> String {
            """
            storyboard: Main
            bundleVersion: "1"
            initial: holder
            controllers:
              holder:
                class: \(container)
                restorationIdentifier: holder
                children: [\(children)]
              a: { class: ViewController, restorationIdentifier: a }
              b: { class: ViewController, restorationIdentifier: b }
              added: { class: ViewController, restorationIdentifier: added }
            """
        }
        func children(_ application: StoryboardApplication) -> [String?] {
            application.root.children.map { $0.restorationIdentifier?.text }
        }
        func first() throws -> StoryboardApplication {
            let first = try StoryboardApplication([yaml("a, b")], classes: .controllerKit)
            // A controller that code adds is not a child of the storyboard.
            let added = try first.storyboards.storyboards[0]
                .instantiateViewController(withIdentifier: "added")
            switch first.root {
            case let tabs as TabBarController:
                tabs.setViewControllers(tabs.viewControllers + [added])
            case let pages as PageViewController: pages.setPages(pages.pages + [added])
            default:
                (first.root as? SplitViewController)?.setViewController(added, for: .supplementary)
            }
            first.root.children.first { $0.restorationIdentifier == "b" }?.setEditing(true)
            return first
        }
        let order = try children(first())

        let second = try StoryboardApplication(
            [yaml("a")], restoring: first(), classes: .controllerKit)
        #expect(children(second) == order.filter { $0 != "b" })
        let lost = try #require(second.scene.report.unrestored.first)
        #expect(second.scene.report.unclaimed == 1)
        #expect(lost.path == "holder/b")
        #expect(lost.code == .storyboardMissing)
        #expect(
            lost.detail == "the storyboard Main no longer has it as a child of holder")

        let whole = try StoryboardApplication(
            [yaml("a, b")], restoring: first(), classes: .controllerKit)
        #expect(whole.scene.report.unrestored.isEmpty)
        #expect(whole.root.children.first { $0.restorationIdentifier == "b" }?.isEditing == true)
    }

    @Test func `R3: a recorded controller is created again from its storyboard`() throws {
        let first = try StoryboardApplication([Self.yaml])
        let navigation = try #require(first.root as? NavigationController)
        navigation.pushViewController(
            try first.storyboards.storyboards[0].instantiateViewController(
                withIdentifier: "detail"))
        let second = try StoryboardApplication([Self.yaml], restoring: first)
        #expect(second.scene.report.unrestored.isEmpty)
        #expect(second.root.children.map(\.restorationIdentifier) == ["page", "detail"])
        #expect(second.root.children.last?.storyboard === second.storyboards.storyboards[0])
    }
}
