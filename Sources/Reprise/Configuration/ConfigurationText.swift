import ExactText
import PositionedYAML
import TerminalText

/// YAML text that contains every value of a configuration, and that is itself a valid configuration.
///
/// A comment after each value shows where the value is set.
struct ConfigurationText: CustomStringConvertible {
    /// YAML lines, each of which ends with a newline.
    let description: String

    init(_ loadedConfiguration: LoadedConfiguration) {
        var lines: [(text: String, origin: String?)] = loadedConfiguration.files.map {
            ("# \($0.printable)", nil)
        }
        lines.append(("applications:", nil))
        for application in loadedConfiguration.configuration.applications {
            let identifier = application.bundleIdentifier
            lines.append(
                (
                    "  - bundleIdentifier: \(YAMLFormatter.text(identifier.value))",
                    "\(identifier.position)"
                ))
            lines.append(Self.line("scenes", application.scenes, of: identifier))
            if let storyboards = application.storyboards {
                lines.append(Self.line("storyboards", storyboards, of: identifier))
            }
        }
        let positions = loadedConfiguration.positions
        for section in ConfigurationKey.sections {
            if section == "cluster", !loadedConfiguration.configuration.cluster.isConfigured {
                // A cluster without endpoints may not have any other values.
                lines.append(("cluster: null", "default"))
                continue
            }
            lines.append(("\(section):", nil))
            for key in ConfigurationKey.all where key.section == section {
                let name = key.name.dropFirst(section.count + 1)
                let position = positions[ExactString(key.name)]
                lines.append(
                    (
                        "  \(name): \(key.yamlText(loadedConfiguration.configuration))",
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
        // Default values have the same position as the bundle identifier.
        let position = values.first?.position ?? application.position
        return (
            "    \(key): \(YAMLFormatter.text(values.map(\.value)))",
            position == application.position ? "default" : "\(position)"
        )
    }
}
