import ControllerKit
import FoundationEssentials
import StateRestoration

/// A controller that shows the details of an item.
///
/// It refers to the item by its identifier. The text in its fields is preserved even if it is not saved to the item
/// yet.
final class ItemViewController: ViewController, ObjectRestoration {
    /// The controller's name in the storyboard, from which it is created again.
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

    /// Creates the controller during restoration, unless its item no longer exists.
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

    /// Shows the title and the notes of an item.
    func show(_ item: Item, of store: DocumentList<Item>) {
        itemID = item.id
        titleField.text = item.title
        notesView.text = item.notes
        self.store = store
        store.observe(self) { $0.closeIfVanished() }
    }

    /// Whether the text fields contain changes that are not saved to the item.
    override var isModalInPresentation: Bool {
        get {
            guard let itemID, let item = store?[itemID] else { return super.isModalInPresentation }
            // Compares bytes, because Swift treats two spellings of `é` as equal.
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

    /// Closes the controller if its item was deleted, for example by another scene.
    private func closeIfVanished() {
        if let itemID, store?[itemID] == nil { close() }
    }

    /// Closes the controller, which was presented or pushed by a segue of the storyboard.
    private func close() {
        if presentingViewController == nil {
            navigationController?.viewControllers.removeAll { $0 === self }
        } else {
            dismiss()
        }
    }
}
