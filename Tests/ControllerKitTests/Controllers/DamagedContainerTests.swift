import StateRestoration
import Testing

@testable import ControllerKit

/// Tests containers whose saved list of storyboard children cannot be read.
@Suite struct DamagedContainerTests {
    private final class Tabs: TabBarController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode(7, forKey: "storyboardChildren")
        }
    }

    private final class Split: SplitViewController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode(7, forKey: "storyboardChildren")
        }
    }

    private final class Pages: PageViewController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode(7, forKey: "storyboardChildren")
        }
    }

    @Test(arguments: [Tabs.self, Split.self, Pages.self] as [ViewController.Type])
    func `R14: a container whose storyboard children cannot be read is reported`(
        container: ViewController.Type
    ) throws {
        let first = TestApplication(container.named("root"))
        try first.launch()
        first.save()
        let report = try TestApplication(container.named("root")).launch(restoring: first)
        #expect(report.unrestored.map(\.path) == ["root"])
        #expect(report.unrestored.map(\.code) == [.decodeFailed])
    }

    @Test(
        arguments: [
            NavigationController.self, TabBarController.self, SplitViewController.self,
            PageViewController.self, TableViewController.self,
        ] as [ViewController.Type])
    func `R14: every container throws an error if the saved edit mode has the wrong type`(
        container: ViewController.Type
    ) {
        #expect(throws: (any Error).self) {
            try restore(container.init()) { $0.encode("yes", forKey: "isEditing") }
        }
    }

    @Test(arguments: [TextView.self, WebView.self, TableView.self] as [ScrollView.Type])
    func `R14: every scroll view throws an error if the saved zoom scale has the wrong type`(
        view: ScrollView.Type
    ) {
        #expect(throws: (any Error).self) {
            try restore(view.init()) { $0.encode("large", forKey: "zoomScale") }
        }
    }

    @Test func `R14: tabs whose storyboard children cannot be read keep the selected tab`() throws {
        func tabs() -> Tabs {
            let tabs = Tabs.named("root")
            tabs.setViewControllers([ViewController.named("a"), ViewController.named("b")])
            return tabs
        }
        let (first, next) = (tabs(), tabs())
        first.selectedIndex = 1
        let report = try restore(next, from: saved(first))
        #expect(report.unrestored.contains { $0.path == "root" && $0.code == .decodeFailed })
        #expect(next.selectedIndex == 0)
    }
}
