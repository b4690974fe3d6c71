import StateRestoration
import Testing

@testable import ControllerKit

/// Tests containers that lack a member in some launches.
@Suite struct MissingMemberTests {
    enum Kind: String, CaseIterable, Sendable {
        case navigation, tab, split, page, presenter
    }

    /// A container with a first controller and, optionally, a member.
    private struct Tree {
        let root: ViewController
        let first = FieldController.named("first")

        init(_ kind: Kind, hasMember: Bool) {
            let member = hasMember ? FieldController.named("member") : nil
            let both = [first] + [member].compactMap(\.self)
            switch kind {
            case .navigation, .presenter:
                let navigation = NavigationController.named("root")
                navigation.setViewControllers(kind == .navigation ? both : [first])
                if kind == .presenter, let member { navigation.present(member) }
                root = navigation
            case .tab:
                let tabs = TabBarController.named("root")
                tabs.setViewControllers(both)
                tabs.selectedViewController = member ?? first
                root = tabs
            case .split:
                let split = SplitViewController.named("root")
                split.setViewController(first, for: .primary)
                split.setViewController(member, for: .secondary)
                root = split
            case .page:
                let pages = PageViewController.named("root")
                pages.setPages(both)
                pages.currentPage = member ?? first
                root = pages
            }
        }

        /// Returns the text of the member, or `nil` if the container does not show the member.
        func shownText(_ kind: Kind) -> String? {
            let shown: ViewController? =
                switch kind {
                case .navigation: (root as? NavigationController)?.topViewController
                case .tab: (root as? TabBarController)?.selectedViewController
                case .split: (root as? SplitViewController)?.viewController(for: .secondary)
                case .page: (root as? PageViewController)?.currentPage
                case .presenter: root.presentedViewController
                }
            guard let shown, shown.restorationIdentifier == "member" else { return nil }
            return (shown as? FieldController)?.field.text
        }

        var memberController: FieldController? {
            (root.children + [root.presentedViewController].compactMap(\.self))
                .first { $0.restorationIdentifier == "member" } as? FieldController
        }
    }

    @Test(arguments: Kind.allCases)
    func `R8 and R16: a member that was missing for several launches returns to its place`(
        kind: Kind
    ) throws {
        let tree = Tree(kind, hasMember: true)
        var last = TestApplication(tree.root)
        try last.launch()
        let member = try #require(tree.memberController)
        member.loadViewIfNeeded()
        member.field.text = "of the member"
        last.save()
        for number in 1...3 {
            let without = Tree(kind, hasMember: false)
            let application = TestApplication(without.root)
            let report = try application.launch(restoring: last)
            #expect(report.unrestored.map(\.path) == ["root/member", "root/member/field"])
            #expect(report.unclaimed == 2)
            application.save()
            without.first.field.text = "\(number)"
            without.first.invalidateRestorableState()
            application.saveChanges()
            #expect(application.save()?.isEmpty == true)
            last = application
        }
        let with = Tree(kind, hasMember: false)
        let application = TestApplication(with.root)
        application.finder = { $0 == "root/member" ? FieldController.named("member") : nil }
        let report = try application.launch(restoring: last)
        #expect(report.unrestored == [])
        #expect(report.unclaimed == 0)
        #expect(with.first.field.text == "3")
        #expect(with.shownText(kind) == "of the member")
    }

    @Test(arguments: Kind.allCases)
    func `R16: a changed container no longer restores its missing member`(kind: Kind) throws {
        let saved = TestApplication(Tree(kind, hasMember: true).root)
        try saved.launch()
        saved.save()
        let without = Tree(kind, hasMember: false)
        let second = TestApplication(without.root)
        try second.launch(restoring: saved)
        second.save()
        without.root.setEditing(true)
        second.saveChanges()
        let third = Tree(kind, hasMember: false)
        let application = TestApplication(third.root)
        application.finder = { $0 == "root/member" ? FieldController.named("member") : nil }
        try application.launch(restoring: second)
        #expect(third.root.isEditing)
        #expect(third.shownText(kind) == nil)
    }

    @Test
    func `R16: a selected tab that was missing in one launch is selected again when it returns`()
        throws
    {
        func tabs(_ names: RestorationIdentifier...) -> TabBarController {
            let tabs = TabBarController.named("root")
            tabs.setViewControllers(names.map { FieldController.named($0) })
            return tabs
        }
        let first = tabs("a", "b", "c")
        first.selectedIndex = 1
        let saved = TestApplication(first)
        try saved.launch()
        saved.save()
        let second = TestApplication(tabs("a", "c"))
        try second.launch(restoring: saved)
        second.save()
        let third = tabs("a", "b", "c")
        try TestApplication(third).launch(restoring: second)
        #expect(third.selectedViewController?.title == "b")
    }
}
