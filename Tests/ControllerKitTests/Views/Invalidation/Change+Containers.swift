import StateRestoration

@testable import ControllerKit

extension Change {
    /// Changes to the children and the shown child of a container.
    static let containers = navigation + tabs + pageControllers + splits

    private static func children() -> [ViewController] {
        ["a", "b", "c"].map { FieldController.named($0) }
    }

    private static func navigation(
        _ name: String, _ change: @escaping @Sendable (NavigationController) throws -> Void
    ) -> Change {
        Change("NavigationController.\(name)") {
            let container = NavigationController.named("container")
            container.setViewControllers(children())
            return (container, { try change(container) })
        }
    }

    private static let navigation: [Change] = [
        navigation("setViewControllers(_:)") {
            $0.setViewControllers([FieldController.named("d")])
        },
        navigation("setViewControllers(_:) in another order") {
            $0.setViewControllers($0.viewControllers.reversed())
        },
        navigation("setViewControllers(_:) to none") { $0.setViewControllers([]) },
        navigation("pushViewController(_:)") { $0.pushViewController(FieldController.named("d")) },
        navigation("pushViewController(_:) of one that is there") {
            $0.pushViewController($0.viewControllers[0])
        },
        navigation("popViewController()") { $0.popViewController() },
        navigation("popToViewController(_:)") { $0.popToViewController($0.viewControllers[0]) },
        navigation("popToRootViewController()") { $0.popToRootViewController() },
        navigation("goBack()") { try $0.goBack() },
        navigation("show(_:)") { $0.viewControllers[0].show(FieldController.named("d")) },
        navigation("addChild(_:)") { $0.addChild(FieldController.named("d")) },
        navigation("insertChild(_:at:)") { $0.insertChild($0.viewControllers[2], at: 0) },
        navigation("removeFromParent()") { $0.viewControllers[2].removeFromParent() },
    ]

    private static func tabs(
        _ name: String, _ change: @escaping @Sendable (TabBarController) throws -> Void
    ) -> Change {
        Change("TabBarController.\(name)") {
            let container = TabBarController.named("container")
            container.setViewControllers(children())
            container.selectedIndex = 1
            return (container, { try change(container) })
        }
    }

    private static let tabs: [Change] = [
        tabs("setViewControllers(_:)") {
            $0.setViewControllers($0.viewControllers + [FieldController.named("d")])
        },
        tabs("setViewControllers(_:) in another order") {
            $0.setViewControllers($0.viewControllers.reversed())
        },
        tabs("setViewControllers(_:) without the selected one") {
            $0.setViewControllers([$0.viewControllers[0], $0.viewControllers[2]])
        },
        tabs("selectedIndex") { $0.selectedIndex = 2 },
        tabs("selectedIndex of a loaded one") {
            $0.viewControllers[0].loadViewIfNeeded()
            $0.selectedIndex = 0
        },
        tabs("selectedViewController") { $0.selectedViewController = $0.viewControllers[0] },
        tabs("choose(_:)") { try $0.select([0]) },
        tabs("addChild(_:)") { $0.addChild(FieldController.named("d")) },
        tabs("insertChild(_:at:)") { $0.insertChild($0.viewControllers[2], at: 0) },
        tabs("removeFromParent()") { $0.viewControllers[1].removeFromParent() },
        tabs("removeFromParent() of one that is not shown") {
            $0.viewControllers[0].removeFromParent()
        },
    ]

    /// A page controller that can create its own pages.
    private final class MakingController: PageViewController, PageViewControllerDataSource {
        func pageViewController(
            _ controller: PageViewController, viewControllerBefore page: ViewController
        ) -> ViewController? {
            FieldController.named("before")
        }

        func pageViewController(
            _ controller: PageViewController, viewControllerAfter page: ViewController
        ) -> ViewController? {
            FieldController.named("after")
        }
    }

    private static func pages(
        _ name: String, _ change: @escaping @Sendable (PageViewController) throws -> Void
    ) -> Change {
        Change("PageViewController.\(name)") {
            let container = PageViewController.named("container")
            container.setPages(children())
            container.currentIndex = 1
            return (container, { try change(container) })
        }
    }

    private static func making(
        _ name: String, _ change: @escaping @Sendable (PageViewController) throws -> Void
    ) -> Change {
        Change("PageViewController.\(name) with a data source") {
            let container = MakingController.named("container")
            container.setPages([FieldController.named("a")])
            container.dataSource = container
            return (container, { try change(container) })
        }
    }

    private static let pageControllers: [Change] = [
        pages("setPages(_:)") { $0.setPages($0.pages + [FieldController.named("d")]) },
        pages("setPages(_:) in another order") { $0.setPages($0.pages.reversed()) },
        pages("currentIndex") { $0.currentIndex = 2 },
        pages("currentPage") { $0.currentPage = $0.pages[0] },
        pages("choose(_:)") { try $0.select([0]) },
        pages("goForward()") { try $0.goForward() },
        pages("goBack()") { try $0.goBack() },
        making("goForward()") { try $0.goForward() },
        making("goBack()") { try $0.goBack() },
        pages("addChild(_:)") { $0.addChild(FieldController.named("d")) },
        pages("insertChild(_:at:)") { $0.insertChild($0.pages[2], at: 0) },
        pages("removeFromParent()") { $0.pages[1].removeFromParent() },
    ]

    private static func split(
        _ name: String, _ change: @escaping @Sendable (SplitViewController) throws -> Void
    ) -> Change {
        Change("SplitViewController.\(name)") {
            let container = SplitViewController.named("container")
            container.setViewController(FieldController.named("a"), for: .primary)
            container.setViewController(FieldController.named("b"), for: .secondary)
            return (container, { try change(container) })
        }
    }

    private static let splits: [Change] = [
        split("setViewController(_:for:)") {
            $0.setViewController(FieldController.named("c"), for: .supplementary)
        },
        split("setViewController(_:for:) of one that is there") {
            $0.setViewController($0.viewController(for: .primary), for: .supplementary)
        },
        split("setViewController(_:for:) of none") { $0.setViewController(nil, for: .primary) },
        split("showDetail(_:)") { $0.viewControllers[0].showDetail(FieldController.named("c")) },
        split("removeFromParent()") { $0.viewControllers[1].removeFromParent() },
    ]
}
