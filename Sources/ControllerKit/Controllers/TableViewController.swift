/// A controller whose view is a table.
///
/// A storyboard states the table among the controller's views, under the name `tableView`; without
/// that the controller makes one. If a subclass is a ``ListViewDataSource`` or a
/// ``ListViewDelegate``, it is the table's, unless the table has another when its view is loaded.
open class TableViewController: ViewController {
    private static let outletName = "tableView"

    /// The controller's view. A subclass that makes its own in ``makeView()`` has to make a table:
    /// another view is a programming error and traps when it is loaded.
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
        if super.isEditing { tableView.isEditing = true }
    }

    // MARK: Editing

    /// Whether the table is edited, which the table preserves (V2).
    open override var isEditing: Bool { isViewLoaded ? tableView.isEditing : super.isEditing }

    /// Turns the table's edit mode on or off.
    open override func setEditing(_ isOn: Bool) {
        super.setEditing(isOn)
        if isViewLoaded { tableView.isEditing = isOn }
    }

    /// A person turns the table's edit mode on or off.
    open override func changeEditing(_ isOn: Bool) throws(OperationError) {
        try tableView.changeEditing(isOn)
    }
}
