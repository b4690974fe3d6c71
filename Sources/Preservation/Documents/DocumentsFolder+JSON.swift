import FoundationEssentials

extension DocumentsFolder {
    /// What a JSON document holds; nil: there is no such document.
    ///
    /// - Parameters:
    ///   - type: what it holds.
    ///   - name: the document's name.
    /// - Throws: ``UnreadableDocument`` if it holds something else, or what ``read(_:limit:)``
    ///   throws.
    public func readJSON<Content: Decodable>(
        _ type: Content.Type = Content.self, from name: String
    ) throws -> Content? {
        guard let bytes = try read(name) else { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw UnreadableDocument(path: path(of: name), reason: Self.sentence(error))
        }
    }

    /// Replaces a JSON document durably, like ``replace(_:with:)``. The keys are sorted, so that it
    /// changes no more than what it holds.
    public func replaceJSON(_ name: String, with content: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try replace(name, with: Array(encoder.encode(content)))
    }

    private static func sentence(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            place(context) + "the key \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            place(context)
                + (context.debugDescription.hasSuffix(".")
                    ? String(context.debugDescription.dropLast()) : context.debugDescription)
        default: String(describing: error)
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        guard !context.codingPath.isEmpty else { return "" }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
        return "at \(path.joined()): "
    }
}

/// A document that holds something else than the application keeps in it. It is left as it is.
public struct UnreadableDocument: Error, CustomStringConvertible {
    /// The document's path.
    public let path: String
    /// What is wrong with it.
    public let reason: String

    /// A document, and what is wrong with it, without a full stop.
    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// One sentence naming both, and what to do.
    public var description: String {
        "the document \(path) cannot be used: \(reason): repair it, or move it away"
    }
}
