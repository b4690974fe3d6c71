import ExactText
import PositionedYAML
import TerminalText
import Varlink

/// Configuration with all its values, as YAML that is itself a valid configuration.
///
/// A comment after each value states where the value is set.
struct ConfigurationText: CustomStringConvertible {
    /// YAML lines, each of which ends with a newline.
    let description: String

    init(_ loaded: LoadedConfiguration) {
        var lines: [(text: String, origin: String?)] = loaded.files.map {
            ("# \($0.printable)", nil)
        }
        lines.append(("applications:", nil))
        for application in loaded.configuration.applications {
            let identifier = application.bundleIdentifier
            lines.append(
                ("  - bundleIdentifier: \(Self.yaml(identifier.value))", "\(identifier.position)"))
            lines.append(Self.line("scenes", application.scenes, of: identifier))
            if let storyboards = application.storyboards {
                lines.append(Self.line("storyboards", storyboards, of: identifier))
            }
        }
        let positions = loaded.positions
        for section in ConfigurationKey.sections {
            if section == "cluster", !loaded.configuration.cluster.isConfigured {
                // A cluster without endpoints must not have other values.
                lines.append(("cluster: null", "default"))
                continue
            }
            lines.append(("\(section):", nil))
            for key in ConfigurationKey.all where key.section == section {
                let name = key.name.dropFirst(section.count + 1)
                let position = positions[ExactString(key.name)]
                lines.append(
                    (
                        "  \(name): \(key.text(loaded.configuration))",
                        position.map { "\($0)" } ?? "default"
                    ))
            }
        }
        description = lines.map { line in
            "\(line.text)\(line.origin.map { "  # \($0.printable)" } ?? "")\n"
        }.joined()
    }

    private static func line(
        _ key: String, _ values: [Positioned<String>], of application: Positioned<String>
    ) -> (String, String?) {
        // Default values have the position of the bundle identifier.
        let position = values.first?.position ?? application.position
        return (
            "    \(key): \(yaml(values.map(\.value)))",
            position == application.position ? "default" : "\(position)"
        )
    }

    /// Returns a configuration value as YAML.
    static func yaml(_ value: Any) -> String {
        switch value {
        case let value as any OptionalConfigurationValue: value.wrapped.map(yaml) ?? "null"
        case let value as Duration: value.writtenWithUnit
        case let value as [String]: "[\(value.map(yaml).joined(separator: ", "))]"
        case let value as String: quoted(value)
        case let value as any RawRepresentable<String>: value.rawValue
        default: "\(value)"
        }
    }

    /// Quotes a string for YAML, which accepts JSON strings. Scalars that a terminal would interpret are escaped.
    private static func quoted(_ text: String) -> String {
        JSONText.string(text).unicodeScalars.map { scalar in
            let shown = String(scalar)
            if shown.printable.utf8.elementsEqual(shown.utf8) { return shown }
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
