import ControllerKit
import FoundationEssentials

/// A data source that shows a document's elements, which a person may delete and move. They have
/// identifiers of their own, by which a table saves what is selected (V3).
protocol DocumentListShowing: ListViewDataSource, DataSourceModelAssociation {
    associatedtype Element: Codable & Identifiable where Element.ID == UUID

    /// The document; nil before it is set.
    var store: DocumentList<Element>? { get }
}

extension DocumentListShowing {
    /// The element of a row; nil if there is none.
    func element(at indexPath: IndexPath) -> Element? {
        guard let elements = store?.elements, elements.indices.contains(indexPath.row) else {
            return nil
        }
        return elements[indexPath.row]
    }

    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
        store?.elements.count ?? 0
    }

    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool { true }

    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool { true }

    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath) {
        if let element = element(at: indexPath) { store?.remove([element.id]) }
    }

    func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
    ) {
        store?.move(from: indexPath.row, to: destination.row)
    }

    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
        element(at: indexPath)?.id.uuidString
    }

    func indexPathForElement(
        withModelIdentifier identifier: String, in view: View
    ) -> IndexPath? {
        UUID(uuidString: identifier).flatMap { store?.index(of: $0) }
            .map { IndexPath(row: $0, section: 0) }
    }
}
