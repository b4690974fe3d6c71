/// A view controller whose view is a table.
///
/// A storyboard defines the table among the controller's views, under the name `tableView`. Otherwise the
/// controller creates a table.
///
/// A subclass that conforms to ``ListViewDataSource`` or ``ListViewDelegate`` becomes the table's data source or
/// delegate. If the table already has one when its view is loaded, it keeps that object.
open class TableViewController: ViewController {
    private static let outletName = "tableView"

    /// The controller's view.
    ///
    /// A subclass that overrides ``makeView()`` must return a table. Any other view is a programming error and traps
    /// when it is loaded.
    public var tableView: TableView {
        guard let table = view as? TableView else {
            preconditionFailure("\(Self.self).makeView() made no TableView")
        }
        return table
    }

    /// Returns the table that the storyboard defines, or a new table.
    open override func makeView() -> View {
        statedView(Self.outletName) as? TableView ?? TableView()
    }

    /// Sets the controller as the table's data source and delegate if it conforms to their protocols.
    open override func viewDidLoad() {
        super.viewDidLoad()
        if tableView.delegate == nil { tableView.delegate = self as? any ListViewDelegate }
        if tableView.dataSource == nil { tableView.dataSource = self as? any ListViewDataSource }
        if super.isEditing { tableView.isEditing = true }
    }

    // MARK: Editing

    /// Whether the table is in edit mode, which the table preserves (V2).
    open override var isEditing: Bool { isViewLoaded ? tableView.isEditing : super.isEditing }

    /// Turns the table's edit mode on or off.
    open override func setEditing(_ isOn: Bool) {
        super.setEditing(isOn)
        if isViewLoaded { tableView.isEditing = isOn }
    }

    /// Turns the table's edit mode on or off on behalf of the user.
    open override func changeEditing(_ isOn: Bool) throws(OperationError) {
        try tableView.changeEditing(isOn)
    }
}
