/// A view controller whose view is a table.
///
/// The table is the storyboard view named `tableView`. If there is no such view, the controller creates a table.
///
/// A subclass that conforms to ``ListViewDataSource`` or ``ListViewDelegate`` becomes the table's data source or
/// delegate when the view is loaded, unless the table already has one.
open class TableViewController: ViewController {
    private static let outletName = "tableView"

    /// The controller's view as a table.
    ///
    /// A subclass that overrides ``makeView()`` must return a table. Returning any other view is a programming error
    /// and traps.
    public var tableView: TableView {
        guard let table = view as? TableView else {
            preconditionFailure("\(Self.self).makeView() did not return a TableView")
        }
        return table
    }

    /// Returns the table that the storyboard defines, or a new table.
    open override func makeView() -> View {
        storyboardView(Self.outletName) as? TableView ?? TableView()
    }

    /// Makes the controller the table's data source and delegate if it conforms to their protocols.
    open override func viewDidLoad() {
        super.viewDidLoad()
        if tableView.delegate == nil { tableView.delegate = self as? any ListViewDelegate }
        if tableView.dataSource == nil { tableView.dataSource = self as? any ListViewDataSource }
        if super.isEditing { tableView.isEditing = true }
    }

    // MARK: Editing

    /// Whether the table is in edit mode.
    ///
    /// The table preserves this value (V2).
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
