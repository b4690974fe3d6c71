import FoundationEssentials
import Preservation

/// Something that a person notes.
struct Item: Codable, Identifiable {
    /// Tells the item from every other, for ever.
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
    /// The items; four at the first launch.
    convenience init(_ documents: DocumentsFolder) throws {
        try self.init(
            documents, name: "Items.json",
            initial: (1...4).map { Item(title: "Item \($0)", notes: "Notes of item \($0)") })
    }
}
