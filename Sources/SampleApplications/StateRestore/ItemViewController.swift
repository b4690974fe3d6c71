import ControllerKit
import FoundationEssentials
import StateRestoration

/// A controller that shows the details of an item.
///
/// The controller stores the item's identifier. The text in its fields is preserved even if the user has not saved it
/// to the item yet.
final class ItemViewController: ViewController, ObjectRestoration {
    /// The controller's name in the storyboard, which is used to recreate the controller during restoration.
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

    /// Creates the controller during restoration.
    ///
    /// - Throws: An error if the item no longer exists.
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)? {
        guard let delegate = coder.scene.delegate as? StateRestoreDelegate,
            let id = try coder.decode(UUID.self, forKey: "item")
        else { return nil }
        guard let item = delegate.store[id] else {
            throw delegate.store.missingElementError(for: id)
        }
        let controller = try delegate.storyboard.instantiateViewController(
            withIdentifier: storyboardName)
        guard let detail = controller as? ItemViewController else { return nil }
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
        store.observe(self) { $0.closeIfDeleted() }
    }

    /// Whether the fields contain changes that have not been saved to the item.
    override var isModalInPresentation: Bool {
        get {
            guard let itemID, let item = store?[itemID] else { return super.isModalInPresentation }
            // Compare bytes, because Swift treats the two encodings of `é` as equal.
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

    /// Closes the controller if its item has been deleted, for example in another scene.
    private func closeIfDeleted() {
        if let itemID, store?[itemID] == nil { close() }
    }

    /// Closes the controller, whether it was presented or pushed onto a stack.
    private func close() {
        if presentingViewController == nil {
            navigationController?.viewControllers.removeAll { $0 === self }
        } else {
            dismiss()
        }
    }
}
