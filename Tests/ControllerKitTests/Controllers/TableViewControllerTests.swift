import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct TableViewControllerTests {
    /// Its own data source.
    final class Fruits: TableViewController, ListViewDataSource, ListViewDelegate {
        var fruits = ["apple", "pear", "plum"]
        var opened: [Int] = []

        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
            fruits.count
        }

        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            ListElement(fruits[indexPath.row])
        }

        func listView(
            _ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath
        ) {
            opened.append(indexPath.row)
        }
    }

    @Test func `the view is a table that asks its controller`() throws {
        let controller = Fruits()
        #expect(controller.view === controller.tableView)
        #expect(controller.tableView.numberOfElements == 3)
        try controller.tableView.tapElement(at: 1)
        #expect(controller.opened == [1])
    }

    @Test func `another data source stays`() {
        final class Other: TableViewController, ListViewDataSource {
            let model = ListModel(["a"])
            override func viewDidLoad() {
                tableView.dataSource = model
                super.viewDidLoad()
            }
            func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int { 7 }
            func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
                ListElement("")
            }
        }
        let controller = Other()
        #expect(controller.tableView.numberOfElements == 1)
    }

    @Test func `the table of the storyboard becomes the view, others lie in it`() {
        let controller = Fruits()
        let table = TableView()
        let button = Button(title: "More")
        controller.addOutlet("button", button)
        controller.addOutlet("tableView", table)
        #expect(controller.view === table)
        #expect(table.superview == nil)
        #expect(button.superview === table)
        #expect(controller.outlet("tableView", as: TableView.self) === table)
        #expect(lines(of: controller.view, width: 12).last == "‹More›      ")
    }

    @Test func `V2: the table is preserved below its controller`() throws {
        func made() -> Fruits {
            let controller = Fruits.named("fruits")
            let table = TableView()
            table.restorationIdentifier = "tableView"
            controller.addOutlet("tableView", table)
            return controller
        }
        let controller = made()
        let first = TestApplication(controller)
        try first.launch()
        try controller.tableView.choose([2])
        controller.tableView.isEditing = true
        first.save()
        let found = made()
        let report = try TestApplication(found).launch(restoring: first)
        #expect(report.restored == 2)
        #expect(found.tableView.indexPathsForSelectedElements == [IndexPath(row: 2, section: 0)])
        #expect(found.tableView.isEditing)
    }
}
