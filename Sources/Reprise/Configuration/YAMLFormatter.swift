import PositionedYAML
import TerminalText
import Varlink

/// YAML for values in a configuration.
enum YAMLFormatter {
    /// Returns a configuration value as YAML.
    static func text(_ value: Any) -> String {
        switch value {
        case let value as any OptionalConfigurationValue: value.wrapped.map(text) ?? "null"
        case let value as Duration: value.textWithUnit
        case let value as [String]: "[\(value.map(text).joined(separator: ", "))]"
        case let value as String: quoted(value)
        case let value as any RawRepresentable<String>: value.rawValue
        default: "\(value)"
        }
    }

    /// Quotes a string for YAML, which accepts JSON strings. Characters that a terminal would interpret are escaped.
    private static func quoted(_ text: String) -> String {
        JSONText.string(text).unicodeScalars.map { scalar in
            let character = String(scalar)
            if character.printable.utf8.elementsEqual(character.utf8) { return character }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let width = scalar.value > 0xFFFF ? 8 : 4
            let zeros = String(repeating: "0", count: width - digits.utf8.count)
            return (width == 8 ? "\\U" : "\\u") + zeros + digits
        }.joined()
    }
}

/// An `Optional` with any wrapped type.
private protocol OptionalConfigurationValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalConfigurationValue {
    var wrapped: Any? { map { $0 } }
}
