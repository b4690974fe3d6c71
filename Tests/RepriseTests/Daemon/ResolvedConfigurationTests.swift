import ControllerKit
import Glibc
import Logging
import Preservation
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Reprise

@Suite struct ResolvedConfigurationTests {
    private static let availableApplications = ["org.example.Notes", "org.example.Pictures"].map {
        name in
        HostedApplication(
            bundleIdentifier: name, bundleVersion: "3", storyboards: ["Main.yaml"],
            registerClasses: { _ in }, makeDelegate: { _ in NoDelegate() })
    }

    private final class NoDelegate: ApplicationDelegate {
        var window: Window? { nil }
    }

    private static func storyboard(version: String = "3", class name: String = "ViewController")
        -> String
    {
        """
        storyboard: Main
        bundleVersion: "\(version)"
        initial: first
        controllers:
          first: { class: \(name), restorationIdentifier: first }
        """
    }

    /// Resolves a configuration. An error contains paths relative to the scratch directory.
    private func resolve(
        _ configuration: String, storyboards: [String: String] = ["Main.yaml": storyboard()],
        logLevel: DaemonOptions.LogLevel? = nil
    ) throws -> Result<ResolvedConfiguration, Refusal> {
        let scratch = try ScratchDirectory()
        try scratch.write("reprised.yaml", configuration)
        for (name, text) in storyboards { try scratch.write("storyboards/\(name)", text) }
        let options = DaemonOptions(
            configuration: "\(scratch.path)/reprised.yaml", logLevel: logLevel)
        do throws(ConfigurationError) {
            return .success(
                try ResolvedConfiguration(
                    availableApplications: Self.availableApplications, options: options,
                    environment: [:])
            )
        } catch {
            let error = DaemonError(error)
            let text = error.description.split(separator: "\(scratch.path)/").joined()
            return .failure(Refusal(kind: error.kind, text: text))
        }
    }

    private struct Refusal: Error, Equatable {
        var kind: DaemonError.Kind
        var text: String
    }

    private func refusal(
        _ configuration: String, storyboards: [String: String] = ["Main.yaml": storyboard()]
    ) throws -> String? {
        guard case .failure(let refusal) = try resolve(configuration, storyboards: storyboards)
        else { return nil }
        #expect(refusal.kind == .configuration)
        return refusal.text
    }

    @Test func `applications are listed in the order of the configuration, with their scenes`()
        throws
    {
        let resolvedConfiguration = try resolve(
            """
            applications:
              - { bundleIdentifier: org.example.Pictures, scenes: [left, right] }
              - bundleIdentifier: org.example.Notes
            """
        ).get()
        let definitions = resolvedConfiguration.definitions
        #expect(
            definitions.map(\.bundleIdentifier) == ["org.example.Pictures", "org.example.Notes"])
        #expect(definitions.map(\.bundleVersion) == ["3", "3"])
        #expect(definitions.map { $0.scenes.map(\.text) } == [["left", "right"], ["main"]])
    }

    @Test func `L8: storyboards have the same fingerprint only if their bytes are the same`() throws
    {
        func fingerprint(_ storyboard: String) throws -> UInt64 {
            let configuration = "applications: [{ bundleIdentifier: org.example.Notes }]"
            return try resolve(configuration, storyboards: ["Main.yaml": storyboard]).get()
                .definitions[0].resourceFingerprint
        }
        let first = try fingerprint(Self.storyboard())
        #expect(try fingerprint(Self.storyboard()) == first)
        #expect(try fingerprint(Self.storyboard() + "\n# mended") != first)
    }

    @Test
    func
        `S1: a scene's delegate receives the model, which reading a configuration does not create`()
        async throws
    {
        let scratch = try ScratchDirectory()
        try scratch.write(
            "reprised.yaml", "applications: [{ bundleIdentifier: org.example.Model }]")
        let creationCount = Mutex(0)
        let availableApplications = HostedApplication(
            bundleIdentifier: "org.example.Model", bundleVersion: "1", registerClasses: { _ in },
            makeModel: { documents in
                creationCount.withLock { $0 += 1 }
                return Model(path: documents.path)
            },
            makeDelegate: { resources in
                let model = try resources.model(of: Model.self)
                #expect(resources.model === model)
                #expect(throws: MissingModel.self) { try resources.model(of: OtherModel.self) }
                return ModelDelegate(model)
            })
        let definition = try ResolvedConfiguration(
            availableApplications: [availableApplications],
            options: DaemonOptions(configuration: "\(scratch.path)/reprised.yaml"),
            environment: [:]
        ).definitions[0]
        #expect(creationCount.withLock { $0 } == 0)

        let application = try Application(
            definition: definition,
            stateDirectory: ApplicationStateDirectory(path: "\(scratch.path)/state"),
            logger: .quiet)
        let running = Task { try await application.run() }
        try await application.waitUntilLaunched()
        let path = try await application.performEvenIfUnsaved {
            ($0.delegate as? ModelDelegate)?.model.path
        }.result
        #expect(path == "\(scratch.path)/state/Documents/org.example.Model")
        #expect(creationCount.withLock { $0 } == 1)
        running.cancel()
        try await running.value
    }

    private final class Model: ApplicationModel {
        let hasChanges = false
        let path: String

        init(path: String) {
            self.path = path
        }

        func saveChanges() {}
    }

    private final class OtherModel: ApplicationModel {
        let hasChanges = false

        func saveChanges() {}
    }

    private final class ModelDelegate: ApplicationDelegate {
        let model: Model
        var window: Window? { nil }

        init(_ model: Model) {
            self.model = model
        }
    }

    @Test func `an unknown application is reported with line and column and the closest match`()
        throws
    {
        let text = try refusal(
            """
            applications:
              - bundleIdentifier: org.example.Notse
            """)
        #expect(
            text
                == "reprised.yaml:2:23: the application \"org.example.Notse\" is unknown to this "
                + "program: did you mean \"org.example.Notes\"?")
    }

    @Test func `an application without a close match is reported with the known applications`()
        throws
    {
        let text = try refusal("applications: [{ bundleIdentifier: com.other.Thing }]")
        #expect(
            text
                == "reprised.yaml:1:36: the application \"com.other.Thing\" is unknown to this "
                + "program: its applications are org.example.Notes, org.example.Pictures.")
    }

    @Test func `L6: a storyboard for another version of the program is refused with its position`()
        throws
    {
        let text = try refusal(
            "applications: [{ bundleIdentifier: org.example.Notes }]",
            storyboards: ["Main.yaml": Self.storyboard(version: "4")])
        let expected = "storyboards/Main.yaml:2:16: the storyboard is for version \"4\""
        #expect(try #require(text).hasPrefix(expected))
    }

    @Test func `the error about a missing storyboard names its file`() throws {
        let text = try refusal(
            """
            applications:
              - { bundleIdentifier: org.example.Notes, storyboards: [Absent.yaml] }
            """)
        #expect(try #require(text).contains("storyboards/Absent.yaml"))
        #expect(try #require(text).split(separator: "\n").count == 1)
    }

    @Test func `several errors in one configuration are reported together`() throws {
        let text = try refusal(
            """
            applications:
              - bundleIdentifier: org/example
            preservation: { interval: soon }
            unheardOf: 1
            """)
        let lines = try #require(text).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines.map { $0.prefix(16) }
                == ["reprised.yaml:2:", "reprised.yaml:3:", "reprised.yaml:4:"])
    }

    @Test func `several errors in one storyboard are reported together`() throws {
        let text = try refusal(
            "applications: [{ bundleIdentifier: org.example.Notes }]",
            storyboards: [
                "Main.yaml": """
                storyboard: Main
                bundleVersion: "3"
                initial: first
                controllers:
                  first: { class: NoSuchController }
                  second: { class: ViewController, colour: blue }
                """
            ])
        let lines = try #require(text).split(separator: "\n")
        #expect(
            lines.map { $0.prefix(24) } == ["storyboards/Main.yaml:5:", "storyboards/Main.yaml:6:"])
        #expect(lines[0].contains("NoSuchController"))
        #expect(lines[1].contains("colour"))
    }

    private static let two = """
        applications:
          - { bundleIdentifier: org.example.Notes, storyboards: [Main.yaml, Other.yaml] }
        """

    private static let leading = """
        storyboard: Main
        bundleVersion: "3"
        initial: first
        controllers:
          first:
            class: ViewController
            segues: { open: { kind: show, destination: second, storyboard: Other } }
        """

    @Test func `an application's storyboards can refer to each other`() throws {
        let other = """
            storyboard: Other
            bundleVersion: "3"
            initial: second
            controllers:
              second:
                class: ViewController
                children: [{ controller: third, storyboard: Main }]
            """
        let resolvedConfiguration = try resolve(
            Self.two,
            storyboards: [
                "Main.yaml": Self.leading + "\n  third: { class: ViewController }",
                "Other.yaml": other,
            ])
        _ = try resolvedConfiguration.get()
    }

    @Test
    func `errors in several storyboards are reported together, in the order of the storyboards`()
        throws
    {
        let text = try refusal(
            Self.two,
            storyboards: [
                "Main.yaml": Self.leading.replacing("class", with: "kind"),
                "Other.yaml": Self.storyboard(version: "4"),
            ])
        let lines = try #require(text).split(separator: "\n")
        #expect(lines.first?.hasPrefix("storyboards/Main.yaml:6:") == true)
        #expect(lines.last?.hasPrefix("storyboards/Other.yaml:2:16:") == true)
    }

    @Test func `a segue to a storyboard that is not configured is refused with its position`()
        throws
    {
        let text = try refusal(
            "applications: [{ bundleIdentifier: org.example.Notes }]",
            storyboards: ["Main.yaml": Self.leading])
        #expect(
            text
                == "storyboards/Main.yaml:7:68: controllers.first.segues.open.destination names the "
                + "storyboard \"Other\", but there is no such storyboard: the application has Main."
        )
    }

    @Test func `two storyboards with the same name are refused with both positions`() throws {
        let text = try refusal(
            Self.two,
            storyboards: ["Main.yaml": Self.storyboard(), "Other.yaml": Self.storyboard()])
        let line = try #require(text)
        #expect(
            line.hasPrefix(
                "storyboards/Other.yaml:1:13: the storyboard \"Main\" is already defined "))
        #expect(line.contains("storyboards/Main.yaml:1:13"))
    }

    @Test func `the command line's log level overrides the configuration's log level`() throws {
        let configuration =
            "{ applications: [{ bundleIdentifier: org.example.Notes }], log: { level: warning } }"
        #expect(try resolve(configuration).get().logLevel == .warning)
        #expect(try resolve(configuration, logLevel: .trace).get().logLevel == .trace)
    }

    @Test
    func `every file is listed, and files and directories that others can change cause warnings`()
        throws
    {
        let scratch = try ScratchDirectory()
        try scratch.write("reprised.yaml", Self.two)
        try scratch.write("storyboards/Main.yaml", Self.storyboard())
        try scratch.write(
            "storyboards/Other.yaml", Self.storyboard().replacing("Main", with: "Other"))
        for name in ["storyboards/Other.yaml", "storyboards"] {
            #expect(chmod(scratch.file(name), 0o777) == 0)
        }
        let resolvedConfiguration = try ResolvedConfiguration(
            availableApplications: Self.availableApplications,
            options: DaemonOptions(configuration: scratch.file("reprised.yaml")),
            environment: [:])
        let names = ["reprised.yaml", "storyboards/Main.yaml", "storyboards/Other.yaml"]
        #expect(resolvedConfiguration.files == names.map { scratch.file($0) })
        #expect(
            resolvedConfiguration.warnings(passedSockets: nil).map(\.filePath)
                == [scratch.file("storyboards/Other.yaml"), scratch.file("storyboards")])
    }

    @Test func `a program without a configuration hosts all its applications`() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("storyboards/Main.yaml", Self.storyboard())
        let resolvedConfiguration = try ResolvedConfiguration(
            of: ProgramDescription(name: "jobs", version: "1"),
            availableApplications: Self.availableApplications, options: DaemonOptions(),
            environment: ["CONFIGURATION_DIRECTORY": scratch.path])
        #expect(
            resolvedConfiguration.definitions.map(\.bundleIdentifier)
                == Self.availableApplications.map(\.bundleIdentifier))
        #expect(
            resolvedConfiguration.files == [
                scratch.file("storyboards/Main.yaml"), scratch.file("storyboards/Main.yaml"),
            ])
    }
}
