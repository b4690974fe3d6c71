import Preservation
import StateRestoration

/// A list that contains an application's model data.
///
/// All of the application's scenes share the list. It is stored as a JSON document, separately from the saved state,
/// which refers to elements only by identifier.
///
/// A second document contains the identifiers of the most recently removed elements. If saved state refers to a missing
/// element, these identifiers show whether the element was removed intentionally.
final class DocumentList<Element: Codable & Identifiable>: ApplicationModel
where Element.ID: Codable {
    private let documents: DocumentsDirectory
    private let name: String
    private var haveElementsChanged = false
    /// The identifiers of the most recently removed elements.
    private var removedIDs: [Element.ID]
    private var haveRemovedIDsChanged = false
    private static var maximumRemovedIDs: Int { 1000 }
    private var indicesByID: [Element.ID: Int] = [:]
    private var observers: [(isAlive: () -> Bool, notify: () -> Void)] = []

    /// The elements, in the list's order.
    private(set) var elements: [Element] {
        didSet {
            haveElementsChanged = true
            indicesByID = Self.indicesByID(of: elements)
            for observer in observers { observer.notify() }
        }
    }

    /// Reads the list from the application's documents.
    ///
    /// - Parameters:
    ///   - documents: The application's documents.
    ///   - name: The name of the document that contains the list.
    ///   - initial: The elements to use if the document does not exist yet.
    /// - Throws: An error if the document cannot be read. The document is not changed.
    init(_ documents: DocumentsDirectory, name: String, initial: [Element] = []) throws {
        self.documents = documents
        self.name = name
        removedIDs = try documents.readJSON([Element.ID].self, from: "Removed\(name)") ?? []
        if let elements = try documents.readJSON([Element].self, from: name) {
            self.elements = elements
        } else {
            elements = initial
            haveElementsChanged = true
        }
        indicesByID = Self.indicesByID(of: elements)
        guard indicesByID.count == elements.count else {
            throw UnreadableDocument(
                path: documents.path(of: name), reason: "two elements have the same id")
        }
    }

    private static func indicesByID(of elements: [Element]) -> [Element.ID: Int] {
        Dictionary(
            elements.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var hasChanges: Bool { haveElementsChanged || haveRemovedIDsChanged }

    /// Writes the list before any state that can refer to its elements is written (P19).
    func saveChanges() throws {
        // The identifiers of removed elements are written first. Otherwise, a crash between the two writes would make
        // removed elements look like lost elements.
        if haveRemovedIDsChanged { try documents.replaceJSON("Removed\(name)", with: removedIDs) }
        haveRemovedIDsChanged = false
        if haveElementsChanged { try documents.replaceJSON(name, with: elements) }
        haveElementsChanged = false
    }

    /// Returns the error for a controller that cannot be restored because its element does not exist (R3).
    func missingElementError(for id: Element.ID) -> RestorationError {
        removedIDs.contains(id) ? .gone : .declined("\(name) has no element \(id)")
    }

    func index(of id: Element.ID) -> Int? { indicesByID[id] }

    subscript(id: Element.ID) -> Element? { index(of: id).map { elements[$0] } }

    func append(_ element: Element) { elements.append(element) }

    /// Inserts an element that was removed, unless the list already contains it.
    ///
    /// If the index is too large, the element is inserted at the end.
    func insert(_ element: Element, at index: Int) {
        guard self.index(of: element.id) == nil else { return }
        removedIDs.removeAll { $0 == element.id }
        haveRemovedIDsChanged = true
        elements.insert(element, at: min(index, elements.count))
    }

    /// Replaces the element with the same identifier, if it still exists.
    func replace(_ element: Element) {
        if let index = index(of: element.id) { elements[index] = element }
    }

    func remove(_ ids: [Element.ID]) {
        removedIDs = (removedIDs + ids).suffix(Self.maximumRemovedIDs)
        haveRemovedIDsChanged = true
        let ids = Set(ids)
        elements.removeAll { ids.contains($0.id) }
    }

    func move(from index: Int, to destination: Int) {
        var elements = elements
        elements.insert(elements.remove(at: index), at: destination)
        self.elements = elements
    }

    /// Calls a closure after each change until the observer is deallocated.
    func observe<Observer: AnyObject>(
        _ observer: Observer, _ onChange: @escaping (Observer) -> Void
    ) {
        observers.removeAll { !$0.isAlive() }
        observers.append(
            (
                isAlive: { [weak observer] in observer != nil },
                notify: { [weak observer] in observer.map(onChange) }
            ))
    }
}
