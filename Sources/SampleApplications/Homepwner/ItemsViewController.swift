import ControllerKit
import FoundationEssentials
import StateRestoration

/// The list of everything somebody owns. A row pushes its detail; `+` presents that of a new one in
/// a second navigation controller.
final class ItemsViewController: TableViewController, ObjectRestoration {
    private var store: DocumentList<Possession>?

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

    private func possession(at indexPath: IndexPath) -> Possession? {
        guard let all = store?.elements, all.indices.contains(indexPath.row) else { return nil }
        return all[indexPath.row]
    }

    private func addPossession() {
        guard let store else { return }
        let possession = Possession()
        let detail = DetailViewController(isNew: true, store: store)
        detail.show(possession)
        if present(NavigationController.homepwner(showing: detail)) { store.append(possession) }
    }
}

extension ItemsViewController: ListViewDataSource, DataSourceModelAssociation {
    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
        store?.elements.count ?? 0
    }

    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
        guard let possession = possession(at: indexPath) else { return ListElement(text: "") }
        return ListElement(
            text: possession.name.isEmpty ? "(no name)" : possession.name,
            detail: "\(possession.value)")
    }

    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool { true }

    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool { true }

    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath) {
        if let possession = possession(at: indexPath) { store?.remove([possession.id]) }
    }

    func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
    ) {
        store?.move(from: indexPath.row, to: destination.row)
    }

    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
        possession(at: indexPath)?.id.uuidString
    }

    func indexPathForElement(
        withModelIdentifier identifier: String, in view: View
    ) -> IndexPath? {
        UUID(uuidString: identifier).flatMap { store?.index(of: $0) }
            .map { IndexPath(row: $0, section: 0) }
    }
}

extension ItemsViewController: ListViewDelegate {
    func listView(_ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath) {
        guard let store, let possession = possession(at: indexPath) else { return }
        let detail = DetailViewController(isNew: false, store: store)
        detail.show(possession)
        navigationController?.pushViewController(detail)
    }
}
