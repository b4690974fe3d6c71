import ControllerKit
import StateRestoration
import Storyboards
import Testing

@Suite struct SegueTests {
    private static let main = """
        storyboard: Main
        bundleVersion: "1"
        initial: nav
        controllers:
          nav:
            class: NavigationController
            restorationIdentifier: nav
            children: [list]
          list:
            class: LeadingController
            restorationIdentifier: list
            rightBarButtonItems:
              addItem: { class: BarButtonItem, title: Add, segue: help }
            views:
              box:
                class: View
                views:
                  button: { class: Button, title: Detail, segue: showDetail }
            segues:
              showDetail: { kind: show, destination: detail, storyboard: Other }
              help: { kind: present, destination: help }
          help:
            class: ViewController
            restorationIdentifier: help
        """

    private static let other = """
        storyboard: Other
        bundleVersion: "1"
        initial: detail
        controllers:
          detail:
            class: LeadingController
            restorationIdentifier: detail
            rightBarButtonItems:
              addItem: { class: BarButtonItem, restorationIdentifier: add }
            views:
              button: { class: Button, segue: showDetail }
            segues:
              showDetail: { kind: show, destination: detail }
              help: { kind: present, destination: nav, storyboard: Main }
        """

    private func launch(
        restoring other: StoryboardApplication? = nil
    ) throws -> (StoryboardApplication, NavigationController, LeadingController) {
        let application = try StoryboardApplication([Self.main, Self.other], restoring: other)
        let navigation = try #require(application.root as? NavigationController)
        let list = try #require(navigation.viewControllers.first as? LeadingController)
        return (application, navigation, list)
    }

    @Test func `a tap prepares the destination before pushing it`() throws {
        let (application, navigation, list) = try launch()
        let button = try application.view(at: "nav/list/@button", Button.self)
        try button.tap()
        #expect(navigation.viewControllers.count == 2)
        let segue = try #require(list.prepared.first)
        #expect(segue.identifier == "showDetail")
        #expect(segue.kind == .show)
        #expect(segue.source === list)
        #expect(segue.destination === navigation.topViewController)
        #expect(list.senders == [ObjectIdentifier(button)])
        #expect(list.wasShownWhenPrepared == [false])
    }

    @Test func `each segue creates a new destination`() throws {
        let (_, navigation, list) = try launch()
        list.performSegue(withIdentifier: "showDetail", sender: nil)
        let first = try #require(navigation.topViewController)
        navigation.popViewController()
        list.performSegue(withIdentifier: "showDetail", sender: nil)
        #expect(navigation.topViewController !== first)
        #expect(list.prepared.count == 2)
    }

    @Test func `a present segue presents its destination over the navigation controller`() throws {
        let (application, navigation, list) = try launch()
        try application.view(at: "nav/list/@addItem", BarButtonItem.self).tap()
        let help = try #require(list.presentedViewController)
        #expect(help.presentingViewController === navigation)
        #expect(help.restoration.storyboard == StoryboardOrigin(name: "Main", identifier: "help"))
    }

    @Test func `a show segue presents its destination if there is no navigation controller`() throws
    {
        let application = try StoryboardApplication([
            Self.other, Self.main,
        ])
        let detail = try #require(application.root as? LeadingController)
        detail.performSegue(withIdentifier: "showDetail", sender: nil)
        #expect(detail.presentedViewController === detail.prepared.first?.destination)
    }

    @Test func `a showDetail segue shows its destination in the secondary column`() throws {
        let application = try StoryboardApplication([
            """
            storyboard: Main
            bundleVersion: "1"
            initial: split
            controllers:
              split: { class: SplitViewController, children: [list, first] }
              list:
                class: ViewController
                views: { button: { class: Button, segue: open } }
                segues: { open: { kind: showDetail, destination: second } }
              first: { class: ViewController }
              second: { class: ViewController, title: Second }
            """
        ])
        let split = try #require(application.root as? SplitViewController)
        try application.view(at: "@split/@list/@button", Button.self).tap()
        #expect(split.viewController(for: .secondary)?.title == "Second")
    }

    @Test func `tapping a switch can perform a segue`() throws {
        let application = try StoryboardApplication([
            """
            storyboard: Main
            bundleVersion: "1"
            initial: first
            controllers:
              first:
                class: ViewController
                views: { more: { class: Switch, segue: open } }
                segues: { open: { kind: present, destination: first } }
            """
        ])
        let more: Switch = try application.view(at: "@first/@more")
        try more.tap()
        #expect(more.isOn)
        #expect(application.root.presentedViewController != nil)
    }

    @Test func `a tap asks shouldPerformSegue first, but performSegue does not`() throws {
        let (application, navigation, list) = try launch()
        list.mayLeave = false
        try application.view(at: "nav/list/@button", Button.self).tap()
        #expect(navigation.viewControllers.count == 1)
        #expect(list.prepared.isEmpty)
        list.performSegue(withIdentifier: "showDetail", sender: nil)
        #expect(navigation.viewControllers.count == 2)
    }

    @Test func `a segue can lead to another storyboard, and another segue can continue from there`()
        throws
    {
        let (application, navigation, list) = try launch()
        list.performSegue(withIdentifier: "showDetail", sender: nil)
        let detail = try #require(navigation.topViewController)
        #expect(
            detail.restoration.storyboard == StoryboardOrigin(name: "Other", identifier: "detail"))
        #expect(detail.storyboard === application.storyboards.storyboards[1])
        try application.view(at: "nav/detail/@button", Button.self).tap()
        #expect(navigation.viewControllers.count == 3)
        #expect(navigation.topViewController?.restorationIdentifier == "detail")
        detail.performSegue(withIdentifier: "help", sender: nil)
        #expect(navigation.presentedViewController is NavigationController)
    }

    @Test
    func `R10: a segue's destination is restored from its storyboard without performing the segue`()
        throws
    {
        let (first, _, list) = try launch()
        list.performSegue(withIdentifier: "showDetail", sender: nil)
        list.performSegue(withIdentifier: "help", sender: nil)
        let (second, navigation, restoredList) = try launch(restoring: first)
        #expect(second.scene.report.unrestored.isEmpty)
        #expect(navigation.viewControllers.map(\.restorationIdentifier) == ["list", "detail"])
        let detail = try #require(navigation.topViewController as? LeadingController)
        #expect(
            detail.restoration.storyboard == StoryboardOrigin(name: "Other", identifier: "detail"))
        #expect(navigation.presentedViewController?.restorationIdentifier == "help")
        #expect(restoredList.prepared.isEmpty)
        #expect(detail.prepared.isEmpty)
        try second.view(at: "nav/detail/@button", Button.self).tap()
        #expect(navigation.viewControllers.count == 3)
    }

    @Test func `performing an undeclared segue traps with a message that says what to do`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            ViewController().performSegue(withIdentifier: "missing", sender: nil)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("has no segue \"missing\": list it in storyboardRequirements"))
    }

    @Test func `bar button items are outlets, appear in the bar and have addresses`() throws {
        let (application, navigation, list) = try launch()
        let item: BarButtonItem = list.outlet("addItem")
        #expect(
            list.navigationItem.rightBarButtonItems.map(ObjectIdentifier.init) == [
                ObjectIdentifier(item)
            ])
        #expect(item.title == "Add")
        #expect(item.viewController === list)
        #expect(TreeSurvey(application.scene).address(of: item) == "nav/list/@addItem")
        list.performSegue(withIdentifier: "showDetail", sender: nil)
        let other: BarButtonItem = try #require(navigation.topViewController).outlet("addItem")
        #expect(TreeSurvey(application.scene).address(of: other) == "nav/detail/add")
    }

    @Test func `nested views are outlets`() throws {
        let (_, _, list) = try launch()
        let button: Button = list.outlet("button")
        let box: View = list.outlet("box")
        #expect(button.superview === box)
        #expect(box.superview === list.view)
    }

    @Test func `segues do not keep their controller alive`() throws {
        let storyboards = try StoryboardApplication([Self.other, Self.main]).storyboards
        weak var gone: ViewController?
        do {
            let detail = try storyboards.storyboards[0].instantiateInitialViewController()
            detail.loadViewIfNeeded()
            gone = detail
        }
        #expect(gone == nil)
    }
}
