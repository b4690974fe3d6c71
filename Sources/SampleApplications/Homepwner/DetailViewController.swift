import ControllerKit
import FoundationEssentials
import StateRestoration

/// One possession. A new one is presented, and can be cancelled; another is pushed. What a person
/// types is the possession's at once, but for a value that is no number: that is this controller's
/// state.
final class DetailViewController: ViewController, ObjectRestoration {
    @Restorable("possession") private var possessionID: UUID?
    private var isNew = false
    private var store: DocumentList<Possession>?
    private let nameField = TextField()
    private let serialField = TextField()
    @RestorableText("value") private var valueField = TextField()

    convenience init(isNew: Bool, store: DocumentList<Possession>) {
        self.init()
        self.isNew = isNew
        self.store = store
        title = isNew ? "New" : "Detail"
        restorationIdentifier = "DetailViewController"
        restoration.restorationClass = DetailViewController.self
        guard isNew else { return }
        navigationItem.leftBarButtonItems = [
            .named("cancelButton", "Cancel") { [weak self] in self?.cancel() }
        ]
        navigationItem.rightBarButtonItems = [
            .named("doneButton", "Done") { [weak self] in self?.dismiss() }
        ]
    }

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$possessionID)
        visitor.visit($valueField)
    }

    /// Makes the detail again; nil, which cuts the stack there, if its possession is gone. With
    /// three components in its path it stands in the second navigation controller: it is new.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) -> (any StateRestoring)? {
        guard let store = (coder.scene.delegate as? HomepwnerDelegate)?.store,
            let id = try? coder.decode(UUID.self, forKey: "possession"),
            store[id] != nil
        else { return nil }
        return DetailViewController(isNew: path.components.count == 3, store: store)
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let fields: [(TextField, RestorationIdentifier, String)] = [
            (nameField, "nameField", "Name"), (serialField, "serialField", "Serial"),
            (valueField, "valueField", "Value"),
        ]
        for (field, identifier, placeholder) in fields {
            field.restorationIdentifier = identifier
            field.placeholder = placeholder
            field.addAction(for: .editingChanged) { [weak self] in self?.fieldsChanged() }
            view.addSubview(field)
        }
        store?.observe(self) { $0.closeIfVanished() }
    }

    /// Shows a possession of the store, or one that will be in it.
    func show(_ possession: Possession) {
        possessionID = possession.id
        valueField.text = String(possession.value)
        fill(from: possession)
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        // Now, before the fields take their carets back.
        if let possession = possessionID.flatMap({ store?[$0] }) { fill(from: possession) }
    }

    private func fill(from possession: Possession) {
        nameField.text = possession.name
        serialField.text = possession.serialNumber
        if Int(valueField.text) != nil { valueField.text = String(possession.value) }
    }

    private func fieldsChanged() {
        guard let store, var possession = possessionID.flatMap({ store[$0] }) else { return }
        possession.name = nameField.text
        possession.serialNumber = serialField.text
        possession.value = Int(valueField.text) ?? possession.value
        store.replace(possession)
    }

    private func cancel() {
        if let possessionID { store?.remove([possessionID]) }
    }

    /// Another scene, or this one's Cancel, took the possession away.
    private func closeIfVanished() {
        guard let possessionID, store?[possessionID] == nil else { return }
        if isNew { return dismiss() }
        let navigation = navigationController
        navigation?.setViewControllers(navigation?.viewControllers.filter { $0 !== self } ?? [])
    }
}
