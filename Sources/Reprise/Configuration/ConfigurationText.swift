import ExactText
import PositionedYAML
import TerminalText
import Varlink

/// A configuration with all its values, as YAML that is itself a configuration. A comment behind each value says where it
/// was written.
struct ConfigurationText: CustomStringConvertible {
    /// Lines, each with a newline at its end.
    let description: String

    init(_ loaded: LoadedConfiguration) {
        var lines: [(text: String, origin: String?)] = loaded.files.map { ("# \($0)", nil) }
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
                // Without endpoints its other values would be an error.
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
            "\(line.text.printable)\(line.origin.map { "  # \($0.printable)" } ?? "")\n"
        }.joined()
    }

    private static func line(
        _ key: String, _ values: [Positioned<String>], of application: Positioned<String>
    ) -> (String, String?) {
        // A default has the position of the identifier.
        let position = values.first?.position ?? application.position
        return (
            "    \(key): \(yaml(values.map(\.value)))",
            position == application.position ? "default" : "\(position)"
        )
    }

    /// A value of a configuration as YAML.
    static func yaml(_ value: Any) -> String {
        switch value {
        case let value as any OptionalConfigurationValue: value.wrapped.map(yaml) ?? "null"
        case let value as Duration: value.writtenWithUnit
        case let value as [String]: "[\(value.map(yaml).joined(separator: ", "))]"
        // YAML reads strings of JSON as well.
        case let value as String: JSONText.string(value)
        case let value as any RawRepresentable<String>: value.rawValue
        default: "\(value)"
        }
    }
}

/// An `Optional`, whatever it wraps.
private protocol OptionalConfigurationValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalConfigurationValue {
    var wrapped: Any? { map { $0 } }
}
