import ControllerKit
import Logging
import NIOCore
import NIOPosix
import Preservation
import StateRestoration
import TestSupport
import Varlink
import VarlinkServing

@testable import Reprise

/// Two applications whose configuration is in a scratch directory, with a reloader.
struct ReloadingHost {
    static let notes = "org.example.Notes"
    static let pictures = "org.example.Pictures"

    let scratch: ScratchDirectory
    let applications: ApplicationList
    let server: VarlinkServer
    let level: LiveLogLevel
    let daemonState: DaemonState
    let log = LogRecorder()
    let reloader: Reloader

    /// Delegate that shows the storyboard's first controller and refuses a storyboard named `Refused`.
    private final class Delegate: ApplicationDelegate {
        let window: Window? = Window()
        private let storyboard: any Storyboard

        struct Refusal: Error, CustomStringConvertible {
            let description = "nobody wants this storyboard"
        }

        init(_ storyboard: any Storyboard) throws {
            if storyboard.name == "Refused" { throw Refusal() }
            self.storyboard = storyboard
        }

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
            window?.rootViewController = try storyboard.instantiateInitialViewController()
            window?.makeKeyAndVisible()
        }

        func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
            true
        }

        func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool
        {
            true
        }
    }

    private static let availableApplications = ["Notes", "Pictures", "Maps"].map { name in
        HostedApplication(
            bundleIdentifier: "org.example.\(name)", bundleVersion: "3",
            storyboards: ["\(name).yaml"], registerClasses: { _ in },
            makeDelegate: { try Delegate(try $0.mainStoryboard()) })
    }

    /// Returns the initial configuration of every test, with the additional lines of one test.
    static func configuration(_ lines: String = "") -> String {
        """
        applications:
          - bundleIdentifier: \(notes)
          - bundleIdentifier: \(pictures)
        \(lines)

        """
    }

    static func storyboard(
        _ title: String, name: String = "Main", version: String = "3"
    ) -> String {
        """
        storyboard: \(name)
        bundleVersion: "\(version)"
        initial: first
        controllers:
          first: { class: ViewController, restorationIdentifier: first, title: \(title) }

        """
    }

    /// Starts the applications, runs the body, and stops the applications.
    ///
    /// - Parameter notes: Storyboard that the first application starts with.
    static func with(
        logLevel: DaemonOptions.LogLevel? = nil, socket: String? = nil,
        notes: String = storyboard("old"), clock: any Clock<Duration> = ContinuousClock(),
        _ body: (ReloadingHost) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let host = try ReloadingHost(group, logLevel, socket, notes, clock)
        let running = host.applications.applications.map { application in
            Task { try await application.run() }
        }
        for application in host.applications.applications {
            try await application.waitUntilLaunched()
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(host))
        } catch {
            result = .failure(error)
        }
        for task in running {
            task.cancel()
            try await task.value
        }
        try await group.shutdownGracefully()
        try result.get()
    }

    private init(
        _ group: MultiThreadedEventLoopGroup, _ logLevel: DaemonOptions.LogLevel?,
        _ socket: String?, _ notes: String, _ clock: any Clock<Duration>
    ) throws {
        scratch = try ScratchDirectory()
        try scratch.write("reprised.yaml", Self.configuration())
        try scratch.write("storyboards/Notes.yaml", notes)
        for name in ["Pictures", "Maps"] {
            try scratch.write("storyboards/\(name).yaml", Self.storyboard("old"))
        }
        let options = DaemonOptions(
            configuration: "\(scratch.path)/reprised.yaml", socket: socket, logLevel: logLevel)
        let resolvedConfiguration = try ResolvedConfiguration(
            availableApplications: Self.availableApplications, options: options, environment: [:])
        let directory = try ApplicationStateDirectory(path: "\(scratch.path)/state")
        let quiet = Logger.quiet
        applications = ApplicationList(
            applications: try resolvedConfiguration.definitions.map {
                try Application(
                    definition: $0, stateDirectory: directory,
                    settings: PreservationSettings(
                        resolvedConfiguration.loadedConfiguration.configuration),
                    executor: group.next().executor, logger: quiet)
            })
        server = try VarlinkServer(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""), interfaces: [],
            group: group, logger: quiet)
        level = LiveLogLevel(resolvedConfiguration.logLevel)
        daemonState = DaemonState(resolvedConfiguration.loadedConfiguration.configuration)
        reloader = Reloader(
            source: ConfigurationSource(
                availableApplications: Self.availableApplications, options: options,
                environment: [:],
                startupConfiguration: resolvedConfiguration.loadedConfiguration.configuration,
                clock: clock),
            applications: applications, server: server, level: level, daemonState: daemonState,
            log: DaemonLog(logger: log.logger()))
    }

    /// Reloads the configuration, and requires that the reload succeeds.
    func reload() async throws -> ReloadReport {
        let outcome = await reloader.reload(because: [.command])
        guard case .done(let report) = outcome else { throw Unexpected(outcome: outcome) }
        return report
    }

    struct Unexpected: Error {
        let outcome: ReloadOutcome
    }

    func application(_ name: String) throws -> Application {
        try applications.find(name)
    }

    /// Returns the title of the controller that an application shows.
    func title(_ name: String) async throws -> String? {
        try await application(name).perform {
            ($0.delegate as? any ApplicationDelegate)?.window?.rootViewController?.title
        }.result
    }

    func reason(_ name: String) async throws -> LaunchReason {
        try await application(name).report().reason
    }
}

extension LogRecorder {
    /// Logged events of the daemon itself.
    var events: [(event: DaemonEvent, fields: [String: String])] {
        entries.compactMap { entry in
            var fields = entry.metadata
            let id = fields.removeValue(forKey: "MESSAGE_ID")
            return id.flatMap(DaemonEvent.init(rawValue:)).map { ($0, fields) }
        }
    }
}
