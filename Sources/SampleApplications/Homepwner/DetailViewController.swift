import ControllerKit
import FoundationEssentials
import StateRestoration

/// A controller that shows the details of one possession.
///
/// For a new possession, the controller is presented. For an existing possession, it is pushed onto the stack.
///
/// The user can cancel a new possession. Edits are applied to the possession immediately, except for text in the value
/// field that is not a number. The controller saves such text as part of its own state.
final class DetailViewController: ViewController, ObjectRestoration {
    @Restorable("possession") private var possessionID: UUID?
    private var isNewPossession = false
    private var store: DocumentList<Possession>?
    private let nameField = TextField()
    private let serialField = TextField()
    @RestorableText("value") private var valueField = TextField()

    convenience init(isNewPossession: Bool, store: DocumentList<Possession>) {
        self.init()
        self.isNewPossession = isNewPossession
        self.store = store
        title = isNewPossession ? "New" : "Detail"
        restorationIdentifier = "DetailViewController"
        restoration.restorationClass = DetailViewController.self
        guard isNewPossession else { return }
        navigationItem.leftBarButtonItem = .named("cancelButton", "Cancel") { [weak self] in
            self?.cancelNewPossession()
        }
        navigationItem.rightBarButtonItem = .named("doneButton", "Done") { [weak self] in
            self?.dismiss()
        }
    }

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$possessionID)
        visitor.visit($valueField)
    }

    /// Creates the controller during restoration.
    ///
    /// If the possession no longer exists, neither this controller nor the controllers above it in the stack are
    /// restored. If the path has three components, the controller is in the second navigation controller, so the
    /// possession is new.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)? {
        guard let store = (coder.scene.delegate as? HomepwnerDelegate)?.store,
            let id = try coder.decode(UUID.self, forKey: "possession")
        else { return nil }
        guard store[id] != nil else { throw store.missingElementError(for: id) }
        return DetailViewController(isNewPossession: path.components.count == 3, store: store)
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        addField(nameField, "nameField", "Name") { $0.name = $1 }
        addField(serialField, "serialField", "Serial") { $0.serialNumber = $1 }
        addField(valueField, "valueField", "Value") { $0.value = Int($1) ?? $0.value }
        store?.observe(self) { $0.possessionsDidChange() }
    }

    /// Adds a field that updates the possession after each edit.
    private func addField(
        _ field: TextField, _ identifier: RestorationIdentifier, _ placeholder: String,
        _ update: @escaping (inout Possession, String) -> Void
    ) {
        field.restorationIdentifier = identifier
        field.placeholder = placeholder
        field.addAction(for: .editingChanged) { [weak self, weak field] in
            guard let self, let field, var possession else { return }
            update(&possession, field.text)
            store?.replace(possession)
        }
        view.addSubview(field)
    }

    private var possession: Possession? { possessionID.flatMap { store?[$0] } }

    /// Shows a possession from the store, or a new possession before it is added to the store.
    func show(_ possession: Possession) {
        possessionID = possession.id
        valueField.text = String(possession.value)
        updateFields(from: possession)
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        // The fields restore their carets later, so they need their text now.
        if let possession { updateFields(from: possession) }
    }

    /// Updates the fields whose text differs from the possession.
    ///
    /// The carets in the other fields do not move.
    private func updateFields(from possession: Possession) {
        // Compare bytes, because Swift treats the two encodings of `é` as equal.
        if !nameField.text.utf8.elementsEqual(possession.name.utf8) {
            nameField.text = possession.name
        }
        if !serialField.text.utf8.elementsEqual(possession.serialNumber.utf8) {
            serialField.text = possession.serialNumber
        }
        if let value = Int(valueField.text), value != possession.value {
            valueField.text = String(possession.value)
        }
    }

    /// Whether the value field contains text that is not a number.
    ///
    /// Such text would be lost, because it is not stored in the possession.
    override var isModalInPresentation: Bool {
        get {
            super.isModalInPresentation
                || (!valueField.text.isEmpty && Int(valueField.text) == nil)
        }
        set { super.isModalInPresentation = newValue }
    }

    private func cancelNewPossession() {
        if let possessionID { store?.remove([possessionID]) }
    }

    /// Updates the fields if the possession still exists, or closes the controller if it has been removed.
    private func possessionsDidChange() {
        if let possession { return updateFields(from: possession) }
        if isNewPossession { return dismiss() }
        navigationController?.viewControllers.removeAll { $0 === self }
    }
}
