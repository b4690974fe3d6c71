import PositionedYAML
import TerminalText
import Varlink

/// Formatter that writes configuration values as YAML.
enum YAMLFormatter {
    /// Returns a configuration value as YAML.
    static func text(_ value: Any) -> String {
        switch value {
        case let value as any OptionalConfigurationValue: value.wrappedValue.map(text) ?? "null"
        case let value as Duration: value.textWithUnit
        case let value as [String]: "[\(value.map(text).joined(separator: ", "))]"
        case let value as String: quoted(value)
        case let value as any RawRepresentable<String>: value.rawValue
        default: "\(value)"
        }
    }

    /// Returns a quoted YAML string, with escapes for characters that a terminal would interpret.
    ///
    /// The result is based on a JSON string, which is valid YAML.
    private static func quoted(_ text: String) -> String {
        JSONText.stringLiteral(text).unicodeScalars.map { scalar in
            let character = String(scalar)
            if character.printable.utf8.elementsEqual(character.utf8) { return character }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let width = scalar.value > 0xFFFF ? 8 : 4
            let zeros = String(repeating: "0", count: width - digits.utf8.count)
            return (width == 8 ? "\\U" : "\\u") + zeros + digits
        }.joined()
    }
}

/// Optional value with any wrapped type.
private protocol OptionalConfigurationValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalConfigurationValue {
    var wrappedValue: Any? { map { $0 } }
}
