import ControllerKit
import FoundationEssentials
import StateRestoration

/// A controller that lists all possessions.
///
/// Tapping a row pushes a controller that shows the details of the possession in that row. The `+` button presents the
/// details of a new possession in a second navigation controller.
final class ItemsViewController: TableViewController, ObjectRestoration {
    private(set) var store: DocumentList<Possession>?

    convenience init(store: DocumentList<Possession>) {
        self.init()
        self.store = store
        title = "Homepwner"
        restorationIdentifier = "ItemsViewController"
        restoration.restorationClass = ItemsViewController.self
        navigationItem.rightBarButtonItem = .named("addButton", "+") { [weak self] in
            self?.addPossession()
        }
    }

    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) -> (any StateRestoring)? {
        guard let delegate = coder.scene.delegate as? HomepwnerDelegate else { return nil }
        return ItemsViewController(store: delegate.store)
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        tableView.restorationIdentifier = "tableView"
        store?.observe(self) { $0.tableView.reloadData() }
    }

    private func addPossession() {
        guard let store else { return }
        let possession = Possession()
        let detail = DetailViewController(isNewPossession: true, store: store)
        detail.show(possession)
        if present(NavigationController.homepwner(showing: detail)) { store.append(possession) }
    }
}

extension ItemsViewController: DocumentListDataSource {
    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
        guard let possession = element(at: indexPath) else { return ListElement(text: "") }
        return ListElement(
            text: possession.name.isEmpty ? "(no name)" : possession.name,
            detail: "\(possession.value)")
    }
}

extension ItemsViewController: ListViewDelegate {
    func listView(_ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath) {
        guard let store, let possession = element(at: indexPath) else { return }
        let detail = DetailViewController(isNewPossession: false, store: store)
        detail.show(possession)
        navigationController?.pushViewController(detail)
    }
}
