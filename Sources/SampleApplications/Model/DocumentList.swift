import Preservation
import StateRestoration

/// The model data of an application that keeps a list: shared by its scenes, and kept as JSON in
/// the application's documents, apart from the saved state, which only refers to the elements.
///
/// A second document holds what was removed last, so that a scene whose saved state refers to it can
/// be told that it is gone on purpose.
final class DocumentList<Element: Codable & Identifiable>: ApplicationModel
where Element.ID: Codable {
    private let documents: DocumentsFolder
    private let name: String
    private var isChanged = false
    /// The identifiers of the elements that were removed last.
    private var removed: [Element.ID]
    private var areRemovedChanged = false
    private static var mostRemoved: Int { 1000 }
    private var indexes: [Element.ID: Int] = [:]
    private var observers: [(isAlive: () -> Bool, tell: () -> Void)] = []

    /// The elements in their order.
    private(set) var elements: [Element] {
        didSet {
            isChanged = true
            indexes = Self.indexes(of: elements)
            for observer in observers { observer.tell() }
        }
    }

    /// - Parameters:
    ///   - documents: the application's documents.
    ///   - name: the name of the document that holds the list.
    ///   - initial: what it holds at the first launch.
    /// - Throws: why the document cannot be read; it is left as it is.
    init(_ documents: DocumentsFolder, name: String, initial: [Element] = []) throws {
        self.documents = documents
        self.name = name
        removed = try documents.readJSON([Element.ID].self, from: "Removed\(name)") ?? []
        if let elements = try documents.readJSON([Element].self, from: name) {
            self.elements = elements
        } else {
            elements = initial
            isChanged = true
        }
        indexes = Self.indexes(of: elements)
        guard indexes.count == elements.count else {
            throw UnreadableDocument(
                path: documents.path(of: name), reason: "two elements have the same id")
        }
    }

    private static func indexes(of elements: [Element]) -> [Element.ID: Int] {
        Dictionary(
            elements.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var hasChanges: Bool { isChanged || areRemovedChanged }

    /// The elements are written before any state that may refer to them (P19).
    func saveChanges() throws {
        // What was removed comes first: a kill between the two must not make it look lost.
        if areRemovedChanged { try documents.replaceJSON("Removed\(name)", with: removed) }
        areRemovedChanged = false
        if isChanged { try documents.replaceJSON(name, with: elements) }
        isChanged = false
    }

    /// The reason for which what showed an element that is not there any more is not restored (R3).
    func absence(of id: Element.ID) -> RestorationError {
        removed.contains(id) ? .gone : .declined("\(name) has no element \(id)")
    }

    func index(of id: Element.ID) -> Int? { indexes[id] }

    subscript(id: Element.ID) -> Element? { index(of: id).map { elements[$0] } }

    func append(_ element: Element) { elements.append(element) }

    /// Replaces the element that has the same identifier, if it is still there.
    func replace(_ element: Element) {
        if let index = index(of: element.id) { elements[index] = element }
    }

    func remove(_ ids: [Element.ID]) {
        removed = (removed + ids).suffix(Self.mostRemoved)
        areRemovedChanged = true
        let ids = Set(ids)
        elements.removeAll { ids.contains($0.id) }
    }

    func move(from index: Int, to destination: Int) {
        var elements = elements
        elements.insert(elements.remove(at: index), at: destination)
        self.elements = elements
    }

    /// Tells an object of each change, for as long as it lives.
    func observe<Observer: AnyObject>(
        _ observer: Observer, _ changed: @escaping (Observer) -> Void
    ) {
        observers.removeAll { !$0.isAlive() }
        observers.append(
            (
                isAlive: { [weak observer] in observer != nil },
                tell: { [weak observer] in observer.map(changed) }
            ))
    }
}
