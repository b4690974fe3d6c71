import ExactText
import Glibc
import LinuxIO
import Logging
import PositionedYAML
public import Preservation
import RepriseControl
import StateRestoration
import Storyboards

/// Configuration with its applications, whose storyboards have been read and checked.
struct ResolvedConfiguration {
    let loadedConfiguration: LoadedConfiguration
    /// Definitions of the applications, in the order in which the configuration lists them.
    let definitions: [ApplicationDefinition]
    /// Errors in the storyboards of applications that require a restart, keyed by bundle identifier.
    ///
    /// The installed storyboards of these applications are for a different version of the program (L6), so the
    /// applications have no definition until the restart. At startup, the dictionary is empty.
    let deferredStoryboardErrors: [ExactString: PositionedErrors]
    let logLevel: Logger.Level
    /// Paths of the files that were read.
    let files: [String]

    /// Purpose for which a configuration is read.
    enum Purpose {
        /// The daemon is starting. Storyboards for a different version are an error.
        case start
        /// The daemon is reloading. Storyboards for a different version are ignored until the next restart (L6).
        case reload
    }

    /// Reads and checks the configuration and every file that it refers to.
    ///
    /// - Throws: ``ConfigurationError``, which lists every error with its file, line and column.
    init(
        for purpose: Purpose = .start, of program: ProgramDescription = .reprised,
        availableApplications: [HostedApplication], options: DaemonOptions,
        environment: [String: String],
        overrides: ConfigurationCheckOverrides = ConfigurationCheckOverrides(),
        fileReader: some ConfigurationFileReader = LocalConfigurationFileReader()
    ) throws(ConfigurationError) {
        loadedConfiguration = try LoadedConfiguration.load(
            option: options.configuration, environment: environment, of: program,
            availableApplications: availableApplications.map(\.bundleIdentifier),
            candidateDropIn: overrides.dropIn, fileReader: fileReader)
        let directory =
            overrides.storyboardsDirectory ?? loadedConfiguration.location.storyboardsDirectory
        var storyboards: [String] = []
        (definitions, deferredStoryboardErrors) = try Self.definitions(
            loadedConfiguration, availableApplications, StoryboardReader(directory: directory),
            purpose,
            storyboardPaths: &storyboards)
        files = loadedConfiguration.files + storyboards
        logLevel =
            options.logLevel.flatMap { Logger.Level(rawValue: $0.rawValue) }
            ?? loadedConfiguration.configuration.log.level
    }

    private static func definitions(
        _ loadedConfiguration: LoadedConfiguration, _ availableApplications: [HostedApplication],
        _ storyboardReader: StoryboardReader,
        _ purpose: Purpose, storyboardPaths: inout [String]
    ) throws(ConfigurationError) -> ([ApplicationDefinition], [ExactString: PositionedErrors]) {
        var definitions: [ApplicationDefinition] = []
        var deferredStoryboardErrors: [ExactString: PositionedErrors] = [:]
        for configuredApplication in loadedConfiguration.configuration.applications {
            let identifier = configuredApplication.bundleIdentifier
            guard
                let hostedApplication = availableApplications.first(where: {
                    $0.bundleIdentifier == identifier.value
                })
            else { throw unknownApplicationError(identifier, availableApplications) }
            let names =
                configuredApplication.storyboards?.map(\.value) ?? hostedApplication.storyboards
            let storyboards = try storyboardReader.read(
                names, bundleVersion: hostedApplication.bundleVersion)
            storyboardPaths += names.map { storyboardReader.directory.appendingPath($0) }
            if let versionErrors = storyboards.versionErrors {
                if purpose == .start { throw .refused(versionErrors) }
                deferredStoryboardErrors[identifier.value] = versionErrors
                continue
            }
            var definition = ApplicationDefinition(
                hostedApplication,
                scenes: configuredApplication.scenes.map {
                    RestorationIdentifier(recorded: $0.value)
                },
                storyboards: storyboards.definitions)
            definition.resourceFingerprint = storyboards.fingerprint
            try check(storyboards.definitions, definition)
            definitions.append(definition)
        }
        return (definitions, deferredStoryboardErrors)
    }

    /// Returns warnings about settings that are valid but probably unintended.
    ///
    /// - Parameter passedSockets: A description of the sockets that the service manager passed, or `nil` if it passed
    ///   none.
    func warnings(passedSockets: String?) -> [ConfigurationWarning] {
        let dropIns = loadedConfiguration.location.dropInsDirectory
        let directories = [dropIns] + files.map(\.containingDirectory)
        var checkedPaths: Set<ExactString> = []
        // If the drop-in directory does not exist, another user might create it.
        let directoryForNewFiles =
            access(dropIns, F_OK) == 0 ? dropIns : dropIns.containingDirectory
        let warnings = (files + directories).filter {
            checkedPaths.insert(ExactString($0)).inserted
        }
        .compactMap {
            ConfigurationWarning(writableFile: $0, readsNewFiles: $0 == directoryForNewFiles)
        }
        guard let passedSockets,
            let socketPath = loadedConfiguration.configuration.control.socketPath
        else { return warnings }
        return warnings + [
            ConfigurationWarning(
                socket: socketPath, in: loadedConfiguration.location.file, insteadOf: passedSockets)
        ]
    }

    /// Links the storyboards with each other, so that missing parts are reported before any application launches.
    private static func check(
        _ storyboards: [StoryboardDefinition], _ definition: ApplicationDefinition
    ) throws(ConfigurationError) {
        do throws(PositionedErrors) {
            _ = try StoryboardCollection(storyboards, classes: definition.makeClasses())
        } catch {
            throw .refused(error)
        }
    }

    private static func unknownApplicationError(
        _ identifier: Positioned<String>, _ availableApplications: [HostedApplication]
    ) -> ConfigurationError {
        let knownIdentifiers = availableApplications.map(\.bundleIdentifier)
        let remedy = SpellingSuggestions.remedy(
            for: identifier.value, among: knownIdentifiers,
            otherwise: "its applications are \(knownIdentifiers.joined(separator: ", ")).")
        return .refused(
            PositionedErrors(
                "the application \(Quotation(identifier.value)) is unknown to this program: \(remedy)",
                at: identifier.position))
    }
}

/// Applications that a program hosts, in the order in which its configuration lists them.
public struct ApplicationList: Sendable {
    /// Hosted applications.
    public let applications: [Application]
    /// Cluster that the program belongs to, or `nil` outside a cluster.
    let cluster: (any ClusterManaging)?

    init(applications: [Application], cluster: (any ClusterManaging)? = nil) {
        self.applications = applications
        self.cluster = cluster
    }

    /// Returns the application with the given bundle identifier, or `nil` if the program does not host the application.
    public subscript(bundleIdentifier: String) -> Application? {
        applications.first { $0.bundleIdentifier == bundleIdentifier }
    }

    /// Returns the application with the given bundle identifier, or the first application if the identifier is `nil`.
    ///
    /// - Throws: `noSuchApplication`, or `ownedElsewhere` if the application runs on another host.
    func find(_ bundleIdentifier: String?) throws(ControlError) -> Application {
        let application = try findOnAnyHost(bundleIdentifier)
        if let ownershipError = cluster?.ownershipError(application.bundleIdentifier) {
            throw ownershipError
        }
        return application
    }

    /// Returns the application with the given bundle identifier, or the first application if the identifier is `nil`,
    /// regardless of which host runs the application.
    func findOnAnyHost(_ bundleIdentifier: String?) throws(ControlError) -> Application {
        guard let bundleIdentifier else {
            guard let firstApplication = applications.first else {
                throw .noSuchApplication(application: "(none is configured)")
            }
            return firstApplication
        }
        guard let application = self[bundleIdentifier] else {
            throw .noSuchApplication(application: bundleIdentifier)
        }
        return application
    }

    /// Returns the status of each application.
    ///
    /// - Parameter limit: The maximum number of scenes to include for each application.
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
