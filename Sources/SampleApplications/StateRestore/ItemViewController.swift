import ControllerKit
import FoundationEssentials
import StateRestoration

/// The detail of an item. It refers to the item by its identifier; what is in its text fields is
/// preserved as it is, saved to the item or not.
final class ItemViewController: ViewController, ObjectRestoration {
    /// Its name in the storyboard, by which it is made again.
    static let storyboardName = "viewController"

    @Restorable("item") private var itemID: UUID?
    @RestorableText("title", outlet: "EditField") private var titleField: TextField
    @RestorableText("notes", outlet: "TextView") private var notesView: TextView
    private var store: DocumentList<Item>?

    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(views: [
            RequiredView("EditField", TextField.self), RequiredView("TextView", TextView.self),
            RequiredView("saveButton", Button.self), RequiredView("cancelButton", Button.self),
        ])
    }

    required init() {
        super.init()
        restoration.restorationClass = Self.self
    }

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$itemID)
        visitor.visit($titleField)
        visitor.visit($notesView)
    }

    /// Makes the detail again, which stays closed if its item is gone.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)? {
        guard let delegate = coder.scene.delegate as? StateRestoreDelegate,
            let id = try coder.decode(UUID.self, forKey: "item")
        else { return nil }
        guard let item = delegate.store[id] else { throw delegate.store.absence(of: id) }
        let made = try delegate.storyboard.instantiateViewController(withIdentifier: storyboardName)
        guard let detail = made as? ItemViewController else { return nil }
        detail.show(item, of: delegate.store)
        return detail
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        outlet("saveButton", as: Button.self).addAction(for: .primaryActionTriggered) {
            [weak self] in self?.save()
        }
        outlet("cancelButton", as: Button.self).addAction(for: .primaryActionTriggered) {
            [weak self] in self?.close()
        }
    }

    /// Begins with what the item says.
    func show(_ item: Item, of store: DocumentList<Item>) {
        itemID = item.id
        titleField.text = item.title
        notesView.text = item.notes
        self.store = store
        store.observe(self) { $0.closeIfVanished() }
    }

    /// Whether the text fields have what the item has not.
    override var isModalInPresentation: Bool {
        get {
            guard let itemID, let item = store?[itemID] else { return super.isModalInPresentation }
            // By their bytes: to Swift, two spellings of `é` are equal.
            return super.isModalInPresentation
                || !titleField.text.utf8.elementsEqual(item.title.utf8)
                || !notesView.text.utf8.elementsEqual(item.notes.utf8)
        }
        set { super.isModalInPresentation = newValue }
    }

    private func save() {
        guard let store, let itemID, var item = store[itemID] else { return close() }
        item.title = titleField.text
        item.notes = notesView.text
        store.replace(item)
        close()
    }

    /// Another scene may have deleted the item.
    private func closeIfVanished() {
        if let itemID, store?[itemID] == nil { close() }
    }

    /// The storyboard decides whether a detail is presented or pushed.
    private func close() {
        if presentingViewController == nil {
            navigationController?.viewControllers.removeAll { $0 === self }
        } else {
            dismiss()
        }
    }
}
