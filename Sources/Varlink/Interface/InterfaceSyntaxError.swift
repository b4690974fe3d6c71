/// Syntax error in an interface definition, with its line and column.
public struct InterfaceSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of syntax error.
    public enum Reason: Sendable, Equatable {
        /// The text contains `found` instead of `expected`.
        case unexpected(found: String, expected: String)
        /// The name of the interface is not in reverse-domain form.
        case badInterfaceName(String)
        /// The name of a type, method or error does not start with a capital letter, or contains a character that is
        /// not allowed.
        case badName(String)
        /// The name of a field or enumeration case contains a character that is not allowed.
        case badFieldName(String)
        /// The name is declared twice in the same scope.
        case duplicate(String)
        /// A field has a type that the interface does not declare.
        case unknownType(String)
        /// Types are nested deeper than ``InterfaceDefinition/maximumDepth``.
        case tooDeep
    }

    /// Kind of the error.
    public let reason: Reason

    /// Line of the error, counted from 1.
    public let line: Int

    /// Column of the error in bytes, counted from 1.
    public let column: Int

    /// Message that states the location and the cause of the error and, in most cases, how to fix the error.
    public var description: String {
        "interface definition, line \(line), column \(column): \(sentence)"
    }

    private var sentence: String {
        switch reason {
        case .unexpected(let found, let expected): "found \(found), expected \(expected)"
        case .badInterfaceName(let name):
            "\"\(name)\" is not an interface name; write a name like org.example.Name"
        case .badName(let name):
            "\"\(name)\" is not a valid name; a name starts with a capital letter and contains only letters and digits"
        case .badFieldName(let name):
            "\"\(name)\" is not a valid field name; a field name starts with a letter and contains only letters, digits and single underscores"
        case .duplicate(let name): "\"\(name)\" is declared twice; rename one of them"
        case .unknownType(let name):
            "the type \"\(name)\" is not declared; declare it or correct the name"
        case .tooDeep:
            "types are nested deeper than \(InterfaceDefinition.maximumDepth) levels; give the inner ones names"
        }
    }
}
