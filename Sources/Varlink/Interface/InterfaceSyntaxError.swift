/// Text that is not an interface definition, with the place where it stops being one.
public struct InterfaceSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// Something else stands here; `found` shows it, `expected` names what may stand here.
        case unexpected(found: String, expected: String)
        /// The interface's name is not in reverse-domain form.
        case badInterfaceName(String)
        /// A name that must start with a capital does not, or holds a character that names may not
        /// have.
        case badName(String)
        /// A field's or word's name holds a character that it may not have.
        case badFieldName(String)
        /// The name is declared twice in one place.
        case duplicate(String)
        /// A field is of a type that the interface does not declare.
        case unknownType(String)
        /// Types are nested deeper than ``InterfaceDefinition/maximumDepth``.
        case tooDeep
    }

    /// What is wrong.
    public let reason: Reason

    /// The line, counted from 1.
    public let line: Int

    /// The column in bytes, counted from 1.
    public let column: Int

    /// One sentence with the place, what is wrong and what should stand there.
    public var description: String {
        "interface definition, line \(line), column \(column): \(sentence)"
    }

    private var sentence: String {
        switch reason {
        case .unexpected(let found, let expected): "found \(found), expected \(expected)"
        case .badInterfaceName(let name):
            "\"\(name)\" is not an interface name; write it like org.example.Name"
        case .badName(let name):
            "\"\(name)\" is not a name; it starts with a capital letter and has letters and digits only"
        case .badFieldName(let name):
            "\"\(name)\" is not a field name; it starts with a letter and has letters, digits and single underscores"
        case .duplicate(let name): "\"\(name)\" is declared twice; rename one of them"
        case .unknownType(let name):
            "the type \"\(name)\" is not declared here; declare it or correct the name"
        case .tooDeep:
            "types are nested deeper than \(InterfaceDefinition.maximumDepth) levels; give the inner ones names"
        }
    }
}
