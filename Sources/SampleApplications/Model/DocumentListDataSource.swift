import ControllerKit
import FoundationEssentials

/// A data source for the elements of a ``DocumentList``. The user can delete and move the elements.
///
/// A table saves its selection by the identifiers of the elements (V3).
protocol DocumentListDataSource: ListViewDataSource, DataSourceModelAssociation {
    associatedtype Element: Codable & Identifiable where Element.ID == UUID

    /// The list, or `nil` if it has not been set yet.
    var store: DocumentList<Element>? { get }
}

extension DocumentListDataSource {
    /// Returns the element in a row, or `nil` if the row does not exist.
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
        _ listView: ListView, undoForDeletingElementAt indexPath: IndexPath
    ) -> (() -> Void)? {
        guard let element = element(at: indexPath) else { return nil }
        return { [weak store] in store?.insert(element, at: indexPath.row) }
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
