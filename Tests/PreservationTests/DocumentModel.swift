import Preservation

/// Model data that is stored in a document of one byte.
final class DocumentModel: ApplicationModel {
    struct MalformedDocument: Error, CustomStringConvertible {
        var path: String
        var description: String { "\(path) has not one byte: repair it, or move it away" }
    }

    private static let name = "count"
    private let documents: DocumentsDirectory
    private(set) var hasChanges = false

    var count: UInt8 {
        didSet { hasChanges = true }
    }

    init(_ documents: DocumentsDirectory) throws {
        self.documents = documents
        let bytes = try documents.read(Self.name) ?? [0]
        guard bytes.count == 1 else { throw MalformedDocument(path: documents.path(of: Self.name)) }
        count = bytes[0]
    }

    func saveChanges() throws {
        guard hasChanges else { return }
        try documents.replace(Self.name, with: [count])
        hasChanges = false
    }
}
