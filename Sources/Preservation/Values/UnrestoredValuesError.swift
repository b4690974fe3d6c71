import ExactText
import StateRestoration

/// Error for a launch that fails because it could not restore all saved values.
struct UnrestoredValuesError: Error, CustomStringConvertible {
    /// Saved value, collection or element that was not restored.
    private enum Problem {
        /// A declared value could not be decoded, or its migration failed.
        case undecoded(UnrestoredObject)
        /// The program does not declare the value.
        ///
        /// - Parameter summary: A phrase that describes the saved value.
        case undeclared(UnrestoredObject, summary: String)
    }

    private let problems: [Problem]
    /// Whether the report listed only some of the unrestored objects.
    private let isTruncated: Bool

    /// Creates the error from a launch report, or returns `nil` if all values were restored.
    ///
    /// - Parameters:
    ///   - declarations: The values that the program declares.
    ///   - savedObject: A closure that returns the saved object at a path, or `nil` if no object was saved at the path.
    ///   - tokens: The class tokens of values and of collections.
    init?(
        _ report: RestorationReport, declarations: [ValueDeclaration],
        savedObject: (String) -> SavedObject?, tokens: (value: String, collection: String)
    ) {
        let identifiers = Set(declarations.flatMap { [$0.identifier] + $0.aliases })
        problems = report.unrestored.compactMap { object in
            let rootIdentifier = String(object.path.prefix { $0 != "/" })
            if identifiers.contains(RestorationIdentifier(recorded: rootIdentifier)) {
                switch object.code {
                case .damaged, .refusedByDelegate, .ancestorNotRestored: return nil
                case .decodeFailed: return .undecoded(object)
                // The declaration changed from a value to a collection, or from a collection to a value.
                default: return object.path == rootIdentifier ? .undecoded(object) : nil
                }
            }
            guard object.path == rootIdentifier, object.code == .noObject,
                let savedObject = savedObject(rootIdentifier), let token = savedObject.classToken
            else { return nil }
            let isCollection = ExactString(token) == ExactString(tokens.collection)
            guard isCollection || ExactString(token) == ExactString(tokens.value) else {
                return nil
            }
            return .undeclared(
                object, summary: Self.summary(of: savedObject, isCollection: isCollection))
        }
        isTruncated = report.unlisted > 0
        if problems.isEmpty { return nil }
    }

    /// Returns a phrase that describes a saved value by its type and the version that saved it.
    private static func summary(of savedObject: SavedObject, isCollection: Bool) -> String {
        let typeName: String?
        do throws(StateDecodingError) {
            typeName = try savedObject.decoder.decode(String.self, forKey: ValueObject.typeKey)
        } catch {
            typeName = nil
        }
        let elementsPhrase =
            isCollection ? countPhrase(savedObject.descendantCount, "element") : nil
        let typePhrase = typeName.map { isCollection ? " of type \($0)" : "type \($0)" }
        let contentsPhrase = (elementsPhrase ?? "") + (typePhrase ?? "")
        return (contentsPhrase.isEmpty ? "" : contentsPhrase + ", ")
            + "saved by version \(savedObject.decoder.passMetadata.bundleVersion)"
    }

    /// Text that describes the first unrestored value and how to proceed.
    var description: String {
        let otherValues =
            (isTruncated ? "at least " : "") + countPhrase(problems.count - 1, "other value")
        let hasOtherValues = problems.count > 1
        switch problems.first {
        case .undecoded(let object):
            let detail =
                object.detail.hasSuffix(".") ? String(object.detail.dropLast()) : object.detail
            return """
                the saved value "\(object.path)"\(hasOtherValues ? " (and \(otherValues))" : "") cannot be decoded: \
                \(detail). The saved state was not changed. Add a migration from the saved type, or set \
                PreservationSettings.toleratesUnrestoredValues
                """
        case .undeclared(let object, let summary):
            return """
                the program does not declare the saved value "\(object.path)" \
                (\(summary))\(hasOtherValues ? " and \(otherValues)" : ""). The saved state was not changed. Declare \
                the value, add its identifier as an alias of another value, declare its removal with \
                removedValue("\(object.path)"), or set PreservationSettings.toleratesUnrestoredValues
                """
        case nil: return ""
        }
    }
}
