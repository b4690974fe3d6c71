import ExactText
import Glibc
import LinuxIO
import Logging
import PositionedYAML
public import Preservation
import RepriseControl
import StateRestoration
import Storyboards

/// Configuration together with its applications, whose storyboards have been read and checked.
struct ResolvedConfiguration {
    let loaded: LoadedConfiguration
    /// Definitions of the applications, in the order of the configuration.
    let definitions: [ApplicationDefinition]
    /// Errors in the storyboards of applications that wait for a restart, keyed by bundle identifier.
    ///
    /// The installed storyboards of these applications are for another version of the program (L6), so the
    /// applications have no definition. On startup, the dictionary is empty.
    let waiting: [ExactString: PositionedErrors]
    let logLevel: Logger.Level
    /// Paths of the files that were read.
    let files: [String]

    /// Purpose for which a configuration is read.
    enum Purpose {
        /// The start of the daemon, where storyboards for another version are an error.
        case start
        /// A reload, where storyboards for another version wait for the restart (L6).
        case reload
    }

    /// Reads and checks the configuration and every file that it refers to.
    ///
    /// - Throws: ``ConfigurationError`` with every error, each with file, line and column.
    init(
        for purpose: Purpose = .start, of program: ProgramDescription = .reprised,
        offered: [HostedApplication], options: DaemonOptions, environment: [String: String],
        trial: DaemonTrial = DaemonTrial(),
        named: some ConfigurationFiles = LocalConfigurationFiles()
    ) throws(ConfigurationError) {
        loaded = try LoadedConfiguration.load(
            option: options.configuration, environment: environment, of: program,
            offered: offered.map(\.bundleIdentifier), trial: trial.dropIn, files: named)
        let folder = trial.storyboards ?? loaded.location.storyboards
        var storyboards: [String] = []
        (definitions, waiting) = try Self.definitions(
            loaded, offered, StoryboardFiles(folder: folder), purpose, read: &storyboards)
        files = loaded.files + storyboards
        logLevel =
            options.logLevel.flatMap { Logger.Level(rawValue: $0.rawValue) }
            ?? loaded.configuration.log.level
    }

    private static func definitions(
        _ loaded: LoadedConfiguration, _ offered: [HostedApplication], _ files: StoryboardFiles,
        _ purpose: Purpose, read: inout [String]
    ) throws(ConfigurationError) -> ([ApplicationDefinition], [ExactString: PositionedErrors]) {
        var definitions: [ApplicationDefinition] = []
        var waiting: [ExactString: PositionedErrors] = [:]
        for configured in loaded.configuration.applications {
            let identifier = configured.bundleIdentifier
            guard
                let hosted = offered.first(where: { $0.bundleIdentifier == identifier.value })
            else { throw unknown(identifier, offered) }
            let names = configured.storyboards?.map(\.value) ?? hosted.storyboards
            let storyboards = try files.read(names, bundleVersion: hosted.bundleVersion)
            read += names.map { files.folder.appendingPath($0) }
            if let others = storyboards.otherVersions {
                if purpose == .start { throw .refused(others) }
                waiting[identifier.value] = others
                continue
            }
            var definition = ApplicationDefinition(
                hosted,
                scenes: configured.scenes.map { RestorationIdentifier(recorded: $0.value) },
                storyboards: storyboards.definitions)
            definition.resourceFingerprint = storyboards.fingerprint
            try check(storyboards.definitions, definition)
            definitions.append(definition)
        }
        return (definitions, waiting)
    }

    /// Returns warnings about settings that are valid but probably unintended.
    ///
    /// - Parameter passed: Sockets that the service manager passes, or `nil` if it passes none.
    func warnings(passed: String?) -> [ConfigurationWarning] {
        let dropIns = loaded.location.dropIns
        let folders = [dropIns] + files.map(\.containingFolder)
        var known: Set<ExactString> = []
        // If the directory for drop-ins does not exist, another user might create it.
        let taking = access(dropIns, F_OK) == 0 ? dropIns : dropIns.containingFolder
        let open = (files + folders).filter { known.insert(ExactString($0)).inserted }.compactMap {
            ConfigurationWarning(openFile: $0, takesNewFiles: $0 == taking)
        }
        guard let passed, let socket = loaded.configuration.control.socket else { return open }
        return open + [
            ConfigurationWarning(socket: socket, in: loaded.location.file, insteadOf: passed)
        ]
    }

    /// Links the storyboards with each other once, to report missing parts before any application is launched.
    private static func check(
        _ storyboards: [StoryboardDefinition], _ definition: ApplicationDefinition
    ) throws(ConfigurationError) {
        do throws(PositionedErrors) {
            _ = try StoryboardCollection(storyboards, classes: definition.makeClasses())
        } catch {
            throw .refused(error)
        }
    }

    private static func unknown(
        _ identifier: Positioned<String>, _ offered: [HostedApplication]
    ) -> ConfigurationError {
        let known = offered.map(\.bundleIdentifier)
        let remedy = Spelling.remedy(
            for: identifier.value, among: known,
            otherwise: "its applications are \(known.joined(separator: ", ")).")
        return .refused(
            PositionedErrors(
                "the application \(Quotation(identifier.value)) is unknown to this program: \(remedy)",
                at: identifier.position))
    }
}

/// Applications that a program hosts, in the order of its configuration.
public struct ApplicationList: Sendable {
    /// Hosted applications.
    public let applications: [Application]
    /// Cluster that the program belongs to, or `nil` outside a cluster.
    let cluster: (any ClusterView)?

    init(applications: [Application], cluster: (any ClusterView)? = nil) {
        self.applications = applications
        self.cluster = cluster
    }

    /// Returns the application with a bundle identifier, or `nil` if the program does not host it.
    public subscript(bundleIdentifier: String) -> Application? {
        applications.first { $0.bundleIdentifier == bundleIdentifier }
    }

    /// Returns the application with a bundle identifier, or the first application for `nil`.
    ///
    /// - Throws: `noSuchApplication`, or `ownedElsewhere` if the application runs on another host.
    func find(_ bundleIdentifier: String?) throws(ControlError) -> Application {
        let found = try known(bundleIdentifier)
        if let elsewhere = cluster?.elsewhere(found.bundleIdentifier) { throw elsewhere }
        return found
    }

    /// Returns the application with a bundle identifier, or the first application for `nil`, regardless of the host
    /// that runs it.
    func known(_ bundleIdentifier: String?) throws(ControlError) -> Application {
        guard let bundleIdentifier else {
            guard let first = applications.first else {
                throw .noSuchApplication(application: "(none is configured)")
            }
            return first
        }
        guard let found = self[bundleIdentifier] else {
            throw .noSuchApplication(application: bundleIdentifier)
        }
        return found
    }

    /// Returns the status of each application.
    ///
    /// - Parameter limit: Maximum number of scenes to include for each application.
    func statuses(scenesAtMost limit: Int = ApplicationStatus.maximumScenes) async
        -> [ApplicationStatus]
    {
        var statuses: [ApplicationStatus] = []
        for application in applications {
            statuses.append(await application.status(scenesAtMost: limit))
        }
        return statuses
    }
}
