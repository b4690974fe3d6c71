import ExactText
import StateRecords
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

        /// Entry of the value, collection or element in the launch report.
        var object: UnrestoredObject {
            switch self {
            case .undecoded(let object), .undeclared(let object, _): object
            }
        }
    }

    private let problems: [Problem]
    /// Phrase that describes the first value as it was saved, or `nil` if it is unknown.
    private let savedPhrase: String?
    /// Sentence that states that a value was saved as a collection or the reverse, or `nil` if neither is the case.
    private let changedDeclaration: String?
    /// Whether the report listed some of the values, and more may be unrestored.
    private let isTruncated: Bool

    /// Creates the error from a launch report, or returns `nil` if all values were restored.
    ///
    /// - Parameters:
    ///   - declarations: The values that the program declares.
    ///   - savedObject: A closure that returns the saved value or collection at a path, or `nil` if no value and no
    ///     collection was saved at the path.
    ///   - unlistedObjects: A closure that returns entries for all values that were not restored. It is called if the
    ///     report lists only some of the unrestored objects, because the other objects may include values.
    ///   - tokens: The class tokens of values and of collections.
    init?(
        _ report: RestorationReport, declarations: [ValueDeclaration],
        savedObject: (String) -> SavedObject?, unlistedObjects: () -> [UnrestoredObject],
        tokens: (value: String, collection: String)
    ) {
        let identifiers = Set(declarations.flatMap { [$0.identifier] + $0.aliases })
        func problem(_ object: UnrestoredObject) -> Problem? {
            let rootIdentifier = object.rootIdentifier
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
        let listedProblems = report.unrestored.compactMap(problem)
        isTruncated = report.unlisted > 0 && !listedProblems.isEmpty
        problems =
            listedProblems.isEmpty && report.unlisted > 0 && !report.isRefused
            ? unlistedObjects().compactMap(problem) : listedProblems
        guard let first = problems.first?.object else { return nil }
        let savedObject = savedObject(first.rootIdentifier)
        savedPhrase = savedObject.map(Self.savedPhrase)
        changedDeclaration = savedObject.flatMap {
            first.code == .decodeFailed ? nil : Self.changedDeclaration(of: $0, tokens.collection)
        }
    }

    /// Returns a sentence that states how the declaration of a value has changed.
    private static func changedDeclaration(
        of savedObject: SavedObject, _ collectionToken: String
    ) -> String? {
        savedObject.classToken.map {
            ExactString($0) == ExactString(collectionToken)
                ? "it was saved as a collection, but is declared as a value"
                : "it was saved as a value, but is declared as a collection"
        }
    }

    /// Returns a phrase that describes a saved value by its type and the version that saved it.
    private static func summary(of savedObject: SavedObject, isCollection: Bool) -> String {
        let elementsPhrase = countPhrase(savedObject.descendantCount, "element")
        let savedPhrase = savedPhrase(of: savedObject)
        if !isCollection { return savedPhrase }
        return savedPhrase.hasPrefix("type ")
            ? "\(elementsPhrase) of \(savedPhrase)" : "\(elementsPhrase), \(savedPhrase)"
    }

    /// Returns a phrase that states the type of a value or of a collection's elements, and the version that saved it.
    private static func savedPhrase(of savedObject: SavedObject) -> String {
        let versionPhrase = "saved by version \(savedObject.decoder.passMetadata.bundleVersion)"
        do throws(StateDecodingError) {
            let typeName = try savedObject.decoder.decode(
                String.self, forKey: ValueObject.typeKey)
            return typeName.map { "type \($0), \(versionPhrase)" } ?? versionPhrase
        } catch {
            return versionPhrase
        }
    }

    /// Text that describes the first unrestored value and how to proceed.
    var description: String {
        switch problems.first {
        case .undecoded(let object):
            let detail = changedDeclaration ?? object.detail
            let remedy =
                changedDeclaration == nil
                ? "Add or correct a migration from the saved type."
                : "Declare it as before, or choose another identifier."
            return """
                \(undecodedSubject(object)) cannot be decoded\(savedPhrase.map { " (\($0))" } ?? ""): \
                \(detail.hasSuffix(".") ? String(detail.dropLast()) : detail). \(otherValuesSentence)The saved state was \
                not changed. \(remedy) To launch without the value, set PreservationSettings.toleratesUnrestoredValues; the \
                next change then replaces its saved state
                """
        case .undeclared(let object, let summary):
            return """
                the program does not declare the saved value "\(object.path)" (\(summary)). \(otherValuesSentence)The \
                saved state was not changed. Declare the value, add its identifier as an alias of another value, or \
                declare its removal with removedValue("\(object.path)"). To launch without the value, set \
                PreservationSettings.toleratesUnrestoredValues; its saved state is then removed after \
                \(SceneRecords.maximumRestorationAttempts) launches
                """
        case nil: return ""
        }
    }

    /// Returns a phrase for the first value, or for the elements of its collection that could not be decoded.
    private func undecodedSubject(_ object: UnrestoredObject) -> String {
        let root = object.rootIdentifier
        if ExactString(object.path) == ExactString(root) { return "the saved value \"\(root)\"" }
        let count = problems.count { ExactString($0.object.rootIdentifier) == ExactString(root) }
        if count == 1, !isTruncated { return "the saved element \"\(object.path)\"" }
        return """
            \(isTruncated ? "at least " : "")\(countPhrase(count, "element")) of "\(root)" (for example "\(object.path)")
            """
    }

    /// Sentence about the other values that were not restored, or an empty string if there are none.
    private var otherValuesSentence: String {
        let count = Set(problems.map { ExactString($0.object.rootIdentifier) }).count - 1
        if count == 0 { return "" }
        let phrase = countPhrase(count, "other value")
        return
            "\(isTruncated ? "At least \(phrase)" : phrase) \(count == 1 ? "was" : "were") not restored either. "
    }
}

extension UnrestoredObject {
    /// Identifier of the value or collection that the path begins with.
    fileprivate var rootIdentifier: String { String(path.prefix { $0 != "/" }) }

    /// Returns entries for the values that a launch did not restore, and for other roots without a value.
    ///
    /// Unlike the entries in a report, their number is not limited.
    ///
    /// - Parameters:
    ///   - roots: The headers of the saved roots.
    ///   - valueObjects: The objects that represent the declared values.
    static func unrestoredValues(
        roots: [ObjectHeader], valueObjects: [any StateRestoring]
    ) -> [UnrestoredObject] {
        func entry(_ path: String, _ code: RestorationFailure) -> UnrestoredObject {
            UnrestoredObject(
                path: path, code: code,
                detail: "the launch report is full and does not contain the reason")
        }
        let foundNumbers = Set(valueObjects.map(\.restoration.record.number.rawValue))
        var entries = roots.filter { !foundNumbers.contains($0.number) }.map {
            entry($0.identifier, .noObject)
        }
        for object in valueObjects {
            guard let identifier = object.restoration.identifier?.text else { continue }
            if object.restoration.record.isUnrestored {
                entries.append(entry(identifier, .decodeFailed))
            }
            object.forEachRestorationChild { element in
                guard element.restoration.record.isUnrestored else { return }
                let elementIdentifier = element.restoration.identifier?.text ?? ""
                entries.append(entry("\(identifier)/\(elementIdentifier)", .decodeFailed))
            }
        }
        return entries
    }
}
