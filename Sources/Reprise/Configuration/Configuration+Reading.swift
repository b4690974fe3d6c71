package import PositionedYAML

extension Configuration {
    private static let mostApplications = 256
    private static let mostNames = 256

    /// Reads the document of a configuration, after the drop-ins were laid over it.
    ///
    /// - Parameter log: Receives everything that is wrong. When it received anything the result is
    ///   not to be used.
    package static func read(_ document: PositionedNode, log: ProblemLog) -> Configuration {
        document.readMapping("", log: log) { reader in
            var configuration = Configuration(applications: applications(reader))
            for section in ConfigurationKey.sections {
                _ = reader.mapping(section) { reader in
                    for key in ConfigurationKey.all where key.section == section {
                        key.read(reader, &configuration)
                    }
                }
            }
            return configuration
        } ?? Configuration(applications: [])
    }

    /// Reads the key `applications`.
    static func applications(_ reader: MappingReader) -> [ConfiguredApplication] {
        guard let entry = reader.requiredEntry("applications"),
            let applications = reader.mappings("applications", application)
        else { return [] }
        if case .sequence(let elements) = entry.value.content,
            elements.isEmpty || elements.count > mostApplications
        {
            reader.log.report(
                "applications has \(elements.count) entries: "
                    + "write from 1 to \(mostApplications).", at: entry.value.position)
        }
        checkDistinct(applications.map(\.bundleIdentifier), "the application", log: reader.log)
        return applications
    }

    private static func application(_ reader: MappingReader) -> ConfiguredApplication? {
        let bundleIdentifier = reader.required("bundleIdentifier", .bundleIdentifier)
        let scenes = names(reader, "scenes", .sceneName, "the scene")
        let storyboards = names(reader, "storyboards", .storyboardFile, "the storyboard")
        guard let bundleIdentifier else { return nil }
        let defaultScene = Positioned(
            ConfiguredApplication.defaultScene, at: bundleIdentifier.position)
        return ConfiguredApplication(
            bundleIdentifier: bundleIdentifier, scenes: scenes ?? [defaultScene],
            storyboards: storyboards)
    }

    private static func names(
        _ reader: MappingReader, _ key: String, _ format: ScalarFormat<String>, _ noun: String
    ) -> [Positioned<String>]? {
        guard let names = reader.list(key, of: format) else { return nil }
        if let value = reader.entry(key)?.value, case .sequence(let elements) = value.content,
            elements.isEmpty || elements.count > mostNames
        {
            reader.log.report(
                "\(reader.path(of: key)) has \(elements.count) entries: "
                    + "write from 1 to \(mostNames), or take the key out.", at: value.position)
        }
        checkDistinct(names, noun, log: reader.log)
        return names
    }

    private static func checkDistinct(
        _ names: [Positioned<String>], _ noun: String, log: ProblemLog
    ) {
        var first: [[UInt8]: SourcePosition] = [:]
        for name in names {
            let bytes = Array(name.value.utf8)
            guard let earlier = first[bytes] else {
                first[bytes] = name.position
                continue
            }
            log.report(
                "\(noun) \(Quotation(name.value)) is already listed in line \(earlier.line): "
                    + "keep one of them.", at: name.position)
        }
    }
}
