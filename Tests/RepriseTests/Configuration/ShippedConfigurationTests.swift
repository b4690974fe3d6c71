import LinuxIO
import PositionedYAML
import Testing

@testable import Reprise

/// Files in `config/`, which are installed and which users copy.
@Suite struct ShippedConfigurationTests {
    private static let directory = #filePath.containingDirectory.containingDirectory
        .containingDirectory
        .containingDirectory.appendingPath("config")

    @Test func `the installed configuration contains the default values`() throws {
        let loaded = try LoadedConfiguration.load(
            option: "\(Self.directory)/reprised.yaml", environment: [:])
        let position = SourcePosition(file: "")
        let shipped = [
            ("ChildViews", ["ChildViews.yaml"]), ("StateRestore", ["StateRestore.yaml"]),
            ("Homepwner", nil), ("Scrapbook", ["Scrapbook.yaml"]),
        ]
        let applications = shipped.map { name, storyboards in
            ConfiguredApplication(
                bundleIdentifier: Positioned("org.reprise.\(name)", at: position),
                scenes: [Positioned("main", at: position)],
                storyboards: storyboards?.map { Positioned($0, at: position) })
        }
        #expect(loaded.configuration == Configuration(applications: applications))
        #expect(loaded.dropIns == [])
    }

    @Test func `the installed configuration contains the expected keys`() throws {
        let path = "\(Self.directory)/reprised.yaml"
        let bytes = try LocalConfigurationFileReader().read(path, limit: YAMLLimits.maximumBytes)
        let document = try PositionedNode(yaml: bytes, file: path)
        guard case .mapping(let entries) = document.content else {
            Issue.record("no mapping")
            return
        }
        let keys = entries.flatMap { entry in
            guard case .mapping(let inner) = entry.value.content else { return [entry.key] }
            return inner.map { "\(entry.key).\($0.key)" }
        }
        #expect(
            keys == [
                "applications", "preservation.interval", "preservation.durability",
                "preservation.encryption", "replication.interval", "replication.timeout",
                "history.count", "history.bytes", "history.interval", "quarantine.count",
                "quarantine.bytes", "launch.crashLimit", "launch.timeout", "launch.eager",
                "launch.idle",
                "limits.stateWarning", "limits.state", "limits.turn",
                "control.socket", "control.connectionsPerUser", "control.requestBytes",
                "control.unsentBytes", "control.observers", "metrics.file", "log.level",
                "debug.exits",
            ])
    }

    @Test func `the storyboards that the configuration lists are installed next to it`() throws {
        let loaded = try LoadedConfiguration.load(
            option: "\(Self.directory)/reprised.yaml", environment: [:])
        let names = loaded.configuration.applications.flatMap { $0.storyboards ?? [] }
        #expect(!names.isEmpty)
        for name in names {
            let path = loaded.location.storyboardsDirectory.appendingPath(name.value)
            let bytes = try LocalConfigurationFileReader().read(
                path, limit: YAMLLimits.maximumBytes)
            let log = ProblemLog()
            let version = try PositionedNode(yaml: bytes, file: path).readMapping("", log: log) {
                reader in
                for key in ["storyboard", "initial", "controllers"] {
                    #expect(reader.entry(key) != nil, "\(key)")
                }
                return reader.requiredValue("bundleVersion", .string)?.value
            }
            try log.throwReportedProblems()
            #expect(version == (name.value == "Scrapbook.yaml" ? "2" : "1"))
        }
    }
}
