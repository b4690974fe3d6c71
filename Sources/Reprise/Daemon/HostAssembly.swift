import ExactText
import Glibc
import LinuxIO
import Logging
import PositionedYAML
public import Preservation
import RepriseControl
import StateRestoration
import Storyboards

/// What a configuration comes to: the applications to host, with their storyboards read and
/// checked.
struct HostAssembly {
    let loaded: LoadedConfiguration
    /// In the order of the configuration.
    let definitions: [ApplicationDefinition]
    /// The applications without a definition, because the storyboards that are there are for
    /// another version of the program (L6), and the places that say so, by bundle identifier. At a
    /// start there are none.
    let waiting: [ExactString: PositionedErrors]
    let logLevel: Logger.Level
    /// The files that were read.
    let files: [String]

    /// What a configuration is read for.
    enum Purpose {
        /// The start, at which storyboards for another version are an error.
        case start
        /// A reload, at which they wait for the restart (L6).
        case reload
    }

    /// Reads and checks the configuration and everything it names.
    ///
    /// - Throws: ``ConfigurationError`` with everything that is wrong, each with file, line and
    ///   column.
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

    /// Things that are no error, and probably not meant so.
    ///
    /// - Parameter passed: the sockets that the service manager passes; nil: none.
    func doubts(passed: String?) -> [Doubt] {
        let dropIns = loaded.location.dropIns
        let folders = [dropIns] + files.map(\.containingFolder)
        var known: Set<ExactString> = []
        // Where no directory of drop-ins is, somebody can create one.
        let taking = access(dropIns, F_OK) == 0 ? dropIns : dropIns.containingFolder
        let open = (files + folders).filter { known.insert(ExactString($0)).inserted }.compactMap {
            Doubt(openFile: $0, takesNewFiles: $0 == taking)
        }
        guard let passed, let socket = loaded.configuration.control.socket else { return open }
        return open + [Doubt(socket: socket, in: loaded.location.file, insteadOf: passed)]
    }

    /// Links the storyboards with each other once, so that what they lack is told before anything
    /// is launched.
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
            otherwise: "this program has \(known.joined(separator: ", ")).")
        return .refused(
            PositionedErrors(
                "the application \(Quotation(identifier.value)) is unknown to this program: \(remedy)",
                at: identifier.position))
    }
}

/// The applications that a program hosts, in the order of its configuration.
public struct ApplicationList: Sendable {
    /// The applications.
    public let applications: [Application]
    /// The cluster that the program belongs to.
    let cluster: (any ClusterView)?

    init(applications: [Application], cluster: (any ClusterView)? = nil) {
        self.applications = applications
        self.cluster = cluster
    }

    /// The application of a bundle identifier; nil if the program does not host it.
    public subscript(bundleIdentifier: String) -> Application? {
        applications.first { $0.bundleIdentifier == bundleIdentifier }
    }

    /// An application by its bundle identifier; without one the first.
    ///
    /// - Throws: `noSuchApplication`, or `ownedElsewhere` if it runs on another host.
    func find(_ bundleIdentifier: String?) throws(ControlError) -> Application {
        let found = try known(bundleIdentifier)
        if let elsewhere = cluster?.elsewhere(found.bundleIdentifier) { throw elsewhere }
        return found
    }

    /// An application by its bundle identifier, wherever it runs; without one the first.
    private func known(_ bundleIdentifier: String?) throws(ControlError) -> Application {
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

    /// What an operator wants to know of each.
    ///
    /// - Parameter limit: how many scenes of one it tells of at most.
    func statuses(scenesAtMost limit: Int = ApplicationStatus.mostScenes) async
        -> [ApplicationStatus]
    {
        var statuses: [ApplicationStatus] = []
        for application in applications {
            statuses.append(await application.status(scenesAtMost: limit))
        }
        return statuses
    }
}
