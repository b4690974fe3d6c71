import StateRestoration
import Testing

@testable import ControllerKit

/// Tests the restoration of containers whose members have moved or whose state is damaged.
@Suite struct ContainerRestorationTests {
    private typealias Column = SplitViewController.Column

    @Test func `P10: two controllers return to their saved columns from any other columns`() throws
    {
        let columns = Column.allCases
        let placements = columns.flatMap { first in
            columns.filter { $0 != first }.map { [first, $0] }
        }
        func split(_ placement: [Column]) -> SplitViewController {
            let split = SplitViewController.named("split")
            for (name, column) in zip(["a", "b"] as [RestorationIdentifier], placement) {
                split.setViewController(ViewController.named(name), for: column)
            }
            return split
        }
        func titles(_ split: SplitViewController) -> [String?] {
            columns.map { split.viewController(for: $0)?.title }
        }
        for placement in placements {
            let firstSplit = split(placement)
            let first = try saved(firstSplit)
            for otherPlacement in placements {
                let next = split(otherPlacement)
                try restore(next, from: first)
                #expect(titles(next) == titles(firstSplit), "\(placement) \(otherPlacement)")
                #expect(next.children.count == 2)
            }
        }
    }

    /// A split view controller that encodes forged columns.
    private final class ForgedSplit: SplitViewController {
        var forgedColumns: [String: any StateRestoring]?

        override func encodeRestorableState(with coder: StateEncoder) throws {
            guard let forgedColumns else { return try super.encodeRestorableState(with: coder) }
            coder.encode(forgedColumns, forKey: "columns")
        }
    }

    @Test(arguments: [["a", "b", "a"], ["a", "b", "b"], ["a", "a", "b"]])
    func `P10: a controller saved in several columns returns only to the first of them`(
        names: [String]
    ) throws {
        func split() -> ForgedSplit {
            let split = ForgedSplit.named("split")
            split.setStoryboardChildren(["a", "b"].map { ViewController.named($0) })
            return split
        }
        let forgedSplit = split()
        var forgedColumns: [String: any StateRestoring] = [:]
        for (column, name) in zip(Column.allCases, names) {
            forgedColumns[column.rawValue] = forgedSplit.viewControllers.first { $0.title == name }
        }
        forgedSplit.forgedColumns = forgedColumns
        let next = split()
        #expect(try restore(next, from: saved(forgedSplit)).unrestored == [])
        let expected = names.indices.map { names[..<$0].contains(names[$0]) ? nil : names[$0] }
        #expect(Column.allCases.map { next.viewController(for: $0)?.title } == expected)
    }

    /// A tab bar controller that encodes its first tab again after its last tab.
    private final class ForgedTabs: TabBarController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            var tabs = viewControllers
            tabs.append(tabs[0])
            coder.encode(tabs, forKey: "viewControllers")
        }
    }

    @Test func `R9: a tab that was saved twice returns to its first saved position`() throws {
        func tabs(_ names: RestorationIdentifier...) -> ForgedTabs {
            let tabs = ForgedTabs.named("tabs")
            tabs.setViewControllers(names.map { ViewController.named($0) })
            return tabs
        }
        let next = tabs("a")
        let report = try restore(next, from: saved(tabs("x", "a")), making: ["tabs/x"])
        #expect(report.unrestored == [])
        #expect(next.viewControllers.map(\.title) == ["tabs/x", "a"])
    }

    /// A page view controller that encodes its own container as its current page.
    private final class ForgedBook: PageViewController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            if let parent { coder.encode(parent, forKey: "currentPage") }
        }
    }

    @Test func `a saved page that contains its page view controller is ignored`() throws {
        let source = EmptyPageSource()
        func tree() -> (ViewController, ForgedBook) {
            let root = ViewController.named("root")
            let book = ForgedBook.named("book")
            book.dataSource = source
            book.setPages([ViewController.named("page")])
            root.addChild(book)
            return (root, book)
        }
        let (next, book) = tree()
        #expect(try restore(next, from: saved(tree().0)).unrestored == [])
        #expect(book.pages.map(\.title) == ["page"])
        #expect(book.parent === next)
        withExtendedLifetime(source) {}
    }

    @Test(
        arguments: [
            TabBarController.self, PageViewController.self, SplitViewController.self,
        ] as [ViewController.Type])
    func `a container whose storyboard children cannot be read still restores its edit mode`(
        type: ViewController.Type
    ) {
        let container = type.init()
        #expect(throws: (any Error).self) {
            try restore(container) { coder in
                coder.encode(true, forKey: "isEditing")
                coder.encode(7, forKey: "storyboardChildren")
            }
        }
        #expect(container.isEditing)
    }
}
