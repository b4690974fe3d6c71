import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct TableViewControllerTests {
    /// A table view controller that is its own data source and delegate.
    final class Fruits: TableViewController, ListViewDataSource, ListViewDelegate {
        var fruits = ["apple", "pear", "plum"]
        var opened: [Int] = []

        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
            fruits.count
        }

        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            ListElement(text: fruits[indexPath.row])
        }

        func listView(
            _ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath
        ) {
            opened.append(indexPath.row)
        }
    }

    @Test func `the view is a table whose data source and delegate are the controller`() throws {
        let controller = Fruits()
        #expect(controller.view === controller.tableView)
        #expect(controller.tableView.numberOfElements == 3)
        try controller.tableView.tapElement(at: 1)
        #expect(controller.opened == [1])
    }

    @Test func `a data source set before super.viewDidLoad is kept`() {
        final class Other: TableViewController, ListViewDataSource {
            let model = ListModel(["a"])
            override func viewDidLoad() {
                tableView.dataSource = model
                super.viewDidLoad()
            }
            func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int { 7 }
            func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
                ListElement(text: "")
            }
        }
        let controller = Other()
        #expect(controller.tableView.numberOfElements == 1)
    }

    @Test func `the storyboard's table becomes the view and contains the other views`() {
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

    @Test func `V2: a table's selection and edit mode are preserved`() throws {
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
        try controller.tableView.select([2])
        controller.tableView.isEditing = true
        first.save()
        let found = made()
        let report = try TestApplication(found).launch(restoring: first)
        #expect(report.restored == 2)
        #expect(found.tableView.indexPathsForSelectedElements == [IndexPath(row: 2, section: 0)])
        #expect(found.tableView.isEditing)
    }

    @Test func `editing a list that is its controller's view also sets the controller's edit mode`()
        throws
    {
        final class Plain: ViewController {
            override func makeView() -> View { TableView() }
        }
        let controller = Plain()
        let table = try #require(controller.view as? TableView)
        try table.changeEditing(true)
        #expect(controller.isEditing)
    }

    @Test func `a controller and its table share one edit mode, whichever of them changes it`()
        throws
    {
        final class Noting: TableViewController {
            var notes: [Bool] = []
            override func setEditing(_ isOn: Bool) {
                super.setEditing(isOn)
                notes.append(isOn)
            }
        }
        let controller = Noting()
        #expect(!controller.isEditing && !controller.isViewLoaded)
        controller.setEditing(true)
        #expect(controller.isEditing && !controller.isViewLoaded)
        #expect(controller.tableView.isEditing)
        try controller.tableView.changeEditing(false)
        #expect(!controller.isEditing)
        try controller.changeEditing(true)
        #expect(controller.tableView.isEditing)
        #expect(controller.notes == [true, false, true])
        controller.tableView.isEditing = false
        #expect(!controller.isEditing)
    }
}
