/// A controller whose view is a table.
///
/// A storyboard states the table among the controller's views, under the name `tableView`; without
/// that the controller makes one. If a subclass is a ``ListViewDataSource`` or a
/// ``ListViewDelegate``, it is the table's, unless the table has another when its view is loaded.
open class TableViewController: ViewController {
    private static let outletName = "tableView"

    /// The controller's view. A subclass that makes another view, which is no table, may not ask.
    public var tableView: TableView {
        guard let table = view as? TableView else {
            preconditionFailure("\(Self.self).makeView() made no TableView")
        }
        return table
    }

    /// The table that the storyboard states, or a new one.
    open override func makeView() -> View {
        statedView(Self.outletName) as? TableView ?? TableView()
    }

    /// Ties the table to the controller.
    open override func viewDidLoad() {
        super.viewDidLoad()
        if tableView.delegate == nil { tableView.delegate = self as? any ListViewDelegate }
        if tableView.dataSource == nil { tableView.dataSource = self as? any ListViewDataSource }
    }
}
