import ControllerKit
import FoundationEssentials
import StateRestoration

/// A controller that lists all items.
///
/// The user can select and delete several items at once, and can move items. Tapping an item opens it.
///
/// The table preserves the identifiers of the selected items, the first visible row, and the edit mode.
final class ItemListViewController: TableViewController {
    /// The list of items, which is set before the view is loaded.
    var store: DocumentList<Item>?

    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(
            controllers: [RequiredController(ItemViewController.storyboardName)],
            views: [
                RequiredView("tableView", TableView.self),
                RequiredView("editButton", BarButtonItem.self),
                RequiredView("addButton", BarButtonItem.self),
                RequiredView("deleteButton", BarButtonItem.self),
            ], segues: ["showItem"])
    }

    private var editButton: BarButtonItem { outlet("editButton") }
    private var addButton: BarButtonItem { outlet("addButton") }
    private var deleteButton: BarButtonItem { outlet("deleteButton") }

    override func viewDidLoad() {
        super.viewDidLoad()
        editButton.addAction(for: .primaryActionTriggered) { [weak self] in
            guard let self else { return }
            setEditing(!isEditing)
        }
        addButton.addAction(for: .primaryActionTriggered) { [weak self] in
            self?.store?.append(Item(title: "New item"))
        }
        deleteButton.addAction(for: .primaryActionTriggered) { [weak self] in
            self?.deleteSelectedItems()
        }
        store?.observe(self) { $0.itemsDidChange() }
        updateButtons()
    }

    /// Updates the buttons after the selection and the edit mode have been restored.
    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        updateButtons()
    }

    override func setEditing(_ isOn: Bool) {
        super.setEditing(isOn)
        updateButtons()
    }

    override func prepare(for segue: Segue, sender: Any?) {
        guard let detail = segue.destination as? ItemViewController, let store,
            let item = sender as? Item
        else { return }
        detail.show(item, of: store)
    }

    private func deleteSelectedItems() {
        store?.remove(tableView.indexPathsForSelectedElements.compactMap { element(at: $0)?.id })
    }

    private func itemsDidChange() {
        tableView.reloadData()
        updateButtons()
    }

    private func updateButtons() {
        editButton.title = isEditing ? "Done" : "Edit"
        deleteButton.isEnabled = tableView.hasSelection
    }
}

extension ItemListViewController: DocumentListDataSource {
    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
        ListElement(text: element(at: indexPath)?.title ?? "")
    }
}

extension ItemListViewController: ListViewDelegate {
    func listViewDidChangeSelection(_ listView: ListView) {
        updateButtons()
    }

    func listView(_ listView: ListView, didChangeEditing isEditing: Bool) {
        updateButtons()
    }

    func listView(_ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath) {
        if let item = element(at: indexPath) {
            performSegue(withIdentifier: "showItem", sender: item)
        }
    }
}
