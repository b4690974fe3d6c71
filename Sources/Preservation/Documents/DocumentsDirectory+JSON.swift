import FoundationEssentials

extension DocumentsDirectory {
    /// Reads and decodes a JSON document.
    ///
    /// - Parameters:
    ///   - type: The type of the content.
    ///   - name: The name of the document.
    /// - Returns: The decoded content, or `nil` if the document does not exist.
    /// - Throws: ``UnreadableDocument`` if the content cannot be decoded, or an error from ``read(_:limit:)``.
    public func readJSON<Content: Decodable>(
        _ type: Content.Type = Content.self, from name: String
    ) throws -> Content? {
        guard let bytes = try read(name) else { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw UnreadableDocument(path: path(of: name), reason: Self.describe(error))
        }
    }

    /// Encodes content as JSON and durably replaces a document with it, like ``replace(_:with:)``.
    ///
    /// The keys are sorted, so that the file changes only where the content has changed.
    public func replaceJSON(_ name: String, with content: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try replace(name, with: Array(encoder.encode(content)))
    }

    private static func describe(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            locationPrefix(context) + "the key \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            locationPrefix(context)
                + (context.debugDescription.hasSuffix(".")
                    ? String(context.debugDescription.dropLast()) : context.debugDescription)
        default: String(describing: error)
        }
    }

    private static func locationPrefix(_ context: DecodingError.Context) -> String {
        guard !context.codingPath.isEmpty else { return "" }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
        return "at \(path.joined()): "
    }
}

/// Error for a document whose content cannot be decoded. The document is not changed.
public struct UnreadableDocument: Error, CustomStringConvertible {
    /// Path of the document.
    public let path: String
    /// Reason why the document cannot be decoded, without a period.
    public let reason: String

    /// Creates an error from the path of the document and a reason without a period.
    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// Sentence that describes the document, the reason and the remedy.
    public var description: String {
        "the document \(path) cannot be used: \(reason): repair it, or move it away"
    }
}
