import FoundationEssentials
import Preservation

/// An item with a title and notes that the user can edit.
struct Item: Codable, Identifiable {
    /// The permanent, unique identifier of the item.
    let id: UUID
    var title: String
    var notes: String

    init(title: String, notes: String = "") {
        id = UUID()
        self.title = title
        self.notes = notes
    }
}

extension DocumentList<Item> {
    /// Creates the list of items, with four items on the first launch.
    convenience init(_ documents: DocumentsDirectory) throws {
        try self.init(
            documents, name: "Items.json",
            initial: (1...4).map { Item(title: "Item \($0)", notes: "Notes of item \($0)") })
    }
}
