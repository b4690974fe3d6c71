import ExactText
package import PositionedYAML
import Preservation

extension Configuration {
    private static let maximumApplications = 4096
    /// Maximum number of scenes of an application. The same maximum applies to its storyboards.
    private static let maximumNames = 256

    /// Reads a configuration document to which the drop-ins have already been applied.
    ///
    /// - Parameters:
    ///   - availableApplications: The applications to host if the document has no `applications` key. If the array is
    ///     empty, the key is required.
    ///   - log: The log that receives every error. If it receives an error, the caller must not use the returned
    ///     configuration.
    package static func read(
        _ document: PositionedNode, of availableApplications: [String] = [], log: ProblemLog
    ) -> Configuration {
        document.readMapping("", log: log) { reader in
            let isConfigured = availableApplications.isEmpty || reader.entry("applications") != nil
            var configuration = Configuration(
                applications: isConfigured
                    ? readApplications(reader)
                    : availableApplications.map {
                        makeApplication(Positioned($0, at: document.position))
                    })
            for section in ConfigurationKey.sections {
                _ = reader.mapping(section) { reader in
                    for key in ConfigurationKey.all where key.section == section {
                        key.read(reader, &configuration)
                    }
                }
            }
            checkReplication(configuration, reader)
            return configuration
        } ?? Configuration(applications: [])
    }

    /// Checks that the durability level `replicated` is used only in a cluster, that the cluster has servers, and that
    /// it lists only configured applications.
    private static func checkReplication(_ configuration: Configuration, _ reader: MappingReader) {
        let cluster = configuration.cluster
        var lacksEndpoints = !cluster.isConfigured
        // Errors in the endpoints have already been reported.
        if case .mapping(let entries)? = reader.entry("cluster")?.value.content,
            let entry = entries.first(where: { $0.key == "endpoints" }),
            entry.value.content != .sequence([])
        {
            lacksEndpoints = false
        }
        if lacksEndpoints, configuration.preservation.durability == .replicated {
            reader.log.report(
                "preservation.durability is replicated, but no cluster is configured: add "
                    + "cluster.endpoints, or write commit.",
                at: reader.entry("preservation")?.value.position ?? reader.position)
        }
        guard let section = reader.entry("cluster")?.value, !section.isNull else { return }
        if lacksEndpoints {
            reader.log.report(
                "cluster has no endpoints: add the addresses of the etcd servers, such as "
                    + "[\"http://10.0.0.1:2379\"].", at: section.position)
        }
        let hostedIdentifiers = Set(
            configuration.applications.map { ExactString($0.bundleIdentifier.value) })
        for name in cluster.applications where !hostedIdentifiers.contains(ExactString(name)) {
            reader.log.report(
                "cluster.applications has \(Quotation(name)), which is not in applications: "
                    + "add it there, or remove it here.", at: section.position)
        }
    }

    /// Reads the `applications` key.
    static func readApplications(_ reader: MappingReader) -> [ConfiguredApplication] {
        guard reader.requiredEntry("applications") != nil,
            let applications = reader.mappings("applications", readApplication)
        else { return [] }
        checkCount(reader, "applications", maximum: maximumApplications, remedy: ".")
        checkDistinct(applications.map(\.bundleIdentifier), "the application", log: reader.log)
        return applications
    }

    private static func readApplication(_ reader: MappingReader) -> ConfiguredApplication? {
        let bundleIdentifier = reader.requiredValue("bundleIdentifier", .bundleIdentifier)
        let scenes = readNames(reader, "scenes", .sceneName, "the scene")
        let storyboards = readNames(reader, "storyboards", .storyboardFile, "the storyboard")
        return bundleIdentifier.map {
            makeApplication($0, scenes: scenes, storyboards: storyboards)
        }
    }

    private static func makeApplication(
        _ bundleIdentifier: Positioned<String>, scenes: [Positioned<String>]? = nil,
        storyboards: [Positioned<String>]? = nil
    ) -> ConfiguredApplication {
        let defaultScene = Positioned(
            ConfiguredApplication.defaultScene, at: bundleIdentifier.position)
        return ConfiguredApplication(
            bundleIdentifier: bundleIdentifier, scenes: scenes ?? [defaultScene],
            storyboards: storyboards)
    }

    private static func readNames(
        _ reader: MappingReader, _ key: String, _ format: ScalarFormat<String>, _ noun: String
    ) -> [Positioned<String>]? {
        guard let names = reader.list(key, of: format) else { return nil }
        checkCount(reader, key, maximum: maximumNames, remedy: ", or remove the key.")
        checkDistinct(names, noun, log: reader.log)
        return names
    }

    private static func checkCount(
        _ reader: MappingReader, _ key: String, maximum: Int, remedy: String
    ) {
        guard let value = reader.entry(key)?.value, case .sequence(let elements) = value.content,
            !(1...maximum).contains(elements.count)
        else { return }
        reader.log.report(
            "\(reader.path(of: key)) has \(elements.count) entries: write 1 to \(maximum)\(remedy)",
            at: value.position)
    }

    private static func checkDistinct(
        _ names: [Positioned<String>], _ noun: String, log: ProblemLog
    ) {
        var firstPositions: [[UInt8]: SourcePosition] = [:]
        for name in names {
            let bytes = Array(name.value.utf8)
            guard let firstPosition = firstPositions[bytes] else {
                firstPositions[bytes] = name.position
                continue
            }
            log.report(
                "\(noun) \(Quotation(name.value)) is already listed in line \(firstPosition.line): "
                    + "keep one of them.", at: name.position)
        }
    }
}
