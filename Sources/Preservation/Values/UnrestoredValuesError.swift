import ExactText
import StateRestoration

/// Error for a launch that could not restore all saved values and would continue without some of them.
struct UnrestoredValuesError: Error, CustomStringConvertible {
    /// Saved value, collection or element that was not restored.
    private enum Problem {
        /// A declared value could not be decoded, or its migration failed.
        case undecoded(UnrestoredObject)
        /// The program does not declare the value.
        case undeclared(UnrestoredObject)
    }

    private let problems: [Problem]
    /// Whether the report did not list all objects.
    private let isTruncated: Bool

    /// Creates the error from a launch report, or returns `nil` if all values were restored.
    ///
    /// - Parameters:
    ///   - declarations: The values that the program declares.
    ///   - classToken: A closure that returns the class token of the saved object at a path.
    ///   - valueTokens: The class tokens of values and collections.
    init?(
        _ report: RestorationReport, declarations: [ValueDeclaration],
        classToken: (String) -> String?, valueTokens: Set<ExactString>
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
                classToken(rootIdentifier).map({ valueTokens.contains(ExactString($0)) }) == true
            else { return nil }
            return .undeclared(object)
        }
        isTruncated = report.unlisted > 0
        if problems.isEmpty { return nil }
    }

    /// Text that describes the first unrestored value and how to proceed.
    var description: String {
        let otherValues = countPhrase(problems.count - 1, "other value")
        let otherValuesPhrase =
            problems.count == 1 ? "" : " (and \(isTruncated ? "at least " : "")\(otherValues))"
        switch problems.first {
        case .undecoded(let object):
            let detail =
                object.detail.hasSuffix(".") ? String(object.detail.dropLast()) : object.detail
            return """
                the saved value "\(object.path)"\(otherValuesPhrase) cannot be decoded: \(detail). The saved state was not \
                changed. Add a migration from the saved type, or set PreservationSettings.toleratesUnrestoredValues
                """
        case .undeclared(let object):
            return """
                the program does not declare the saved value "\(object.path)"\(otherValuesPhrase). The saved state was not \
                changed. Declare the value, add its identifier as an alias of another value, declare its removal with \
                removedValue("\(object.path)"), or set PreservationSettings.toleratesUnrestoredValues
                """
        case nil: return ""
        }
    }
}
