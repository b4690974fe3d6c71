import ExactText
import Logging
import SavedState

/// Events that an application logs, each with its MESSAGE_ID (see systemd.journal-fields(7)).
///
/// Operators can search the journal for an event by its MESSAGE_ID. An identifier is never reused for another event.
enum LogEvent: String {
    /// A scene was launched, with or without restored state.
    case launched = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c101"
    /// A scene was restored, completely or partly.
    case restored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c102"
    /// A pass finished.
    case passFinished = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c103"
    /// The application stopped in an orderly way.
    case stopped = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c104"
    /// The application was registered but never started, and a caller is waiting for one of its values.
    case neverStarted = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13b"
    /// The application could not be launched.
    case launchFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c105"
    /// State was moved or copied to quarantine, for example because the archive is damaged.
    case quarantined = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c106"
    /// A change could not be saved.
    case saveFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c107"
    /// Saving works again after a failure.
    case saveResumed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c108"
    /// A launch converted saved values with a migration.
    case migrated = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c164"
    /// A launch found or created the object for a record (R18).
    case objectFound = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12d"
    /// An object was not restored.
    case notRestored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c109"
    /// A pass could not preserve an object or a value.
    case notPreserved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10a"
    /// An object changed without being invalidated, and a later check detected the change (P20).
    case notInvalidated = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c126"
    /// All changes saved since the last summary are durable.
    case saved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c127"
    /// A generation was added to the history.
    case generationMade = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10b"
    /// A generation could not be added to the history.
    case generationFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10c"
    /// A view controller disappeared from a scene although no command dismissed it.
    case controllersVanished = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c119"
    /// Generations were removed from the history.
    case generationsRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c114"
    /// The history could not be pruned to its limits.
    case generationsNotRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c153"
    /// Files were removed from quarantine.
    case quarantineRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c125"
    /// The quarantine could not be pruned to its limits.
    case quarantineNotRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c155"
    /// A command closed a scene. The scene's state remains saved.
    case closed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10d"
    /// A scene has extended its restoration, and its launch waits for the restoration (R13).
    case restorationExtended = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10e"
    /// An extended restoration took too long, or was completed more often than it was extended (R13).
    case extensionMisused = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10f"
    /// A forced quit removed the application's saved state (L1).
    case stateRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c110"
    /// The process is configured to exit at a given stage, for debugging.
    case debugExitArmed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c111"
    /// The archive was replaced by a new file, because another program had changed the archive or because a sync had
    /// failed.
    case archiveReplaced = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c112"
    /// A compaction removed obsolete records from the archive.
    case compacted = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c113"
    /// The archive could not be compacted.
    case compactionFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c152"
    /// The saved state of running scenes was replaced, and the scenes were launched from the new state (L8).
    case replaced = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c118"
    /// Storyboards were replaced.
    case reloaded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c117"
    /// Scenes could not be replaced, and the previous scenes continue to run.
    case replacementFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c115"
    /// A scene is being launched again after the process crashed during or shortly after the scene's launch (L2, L3).
    case launchedAgain = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c120"
    /// A scene is not launched because its launches crash the process even without saved state (L8).
    case launchBlocked = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c121"
    /// State was put back from quarantine into the archive.
    case putBack = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c122"
    /// State could not be put back from quarantine into the archive.
    case putBackFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c154"
    /// Crashes during launches cannot be recorded, or cannot be distinguished from `SIGKILL`.
    case guardImpaired = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c123"
    /// An earlier process died during or soon after a scene's launch. The scene is not launched until a user opens it
    /// (L2, L3).
    case crashedDuringLaunch = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c124"
    /// State that several launches could not restore is about to be removed from the archive (R16).
    case recordsExpiring = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12c"
    /// State that several launches could not restore is being removed from the archive (R16).
    case recordsExpired = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c157"
    /// The quarantine cannot be listed.
    case quarantineUnreadable = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12f"
    /// The application continues from state that another host replicated.
    case takenOver = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c140"
    /// This host's state was superseded by the state that the cluster continues from.
    case stateSuperseded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c141"
    /// A document on this host was replaced by the document that the cluster continues from.
    case documentReplaced = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c15f"
    /// An operation took longer than the limit.
    case operationSlow = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12e"
    /// Another program removed one of the running application's documents, and the application recreated it.
    case documentRestored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c150"
    /// Another program removed one of the running application's documents, and the application could not recreate it.
    case documentMissing = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c151"
}

/// Logger for an application. It adds the application's name to each entry, and stores the last problem for the status.
final class ApplicationLog {
    private let logger: Logger
    private let bundleIdentifier: String
    private let now: () -> Int64
    /// Metrics of the application.
    let metrics: ApplicationMetrics
    /// Whether entries contain the fields of journal messages.
    private let usesJournalFields: Bool
    /// Tracing for the application.
    let tracing: ApplicationTracing
    /// Follower that receives the application's events at every log level, or `nil` if there is no follower.
    var follower: (any ApplicationEventFollower)?
    /// Sentence that describes the last problem, or `nil` if no problem has occurred.
    private(set) var lastProblem: String?
    /// Time at which the last problem first occurred, in microseconds since 1970-01-01 UTC, or `nil` if no problem has
    /// occurred.
    private(set) var lastProblemTime: Int64?
    /// Closure that is called with each problem, unless it repeats the previous problem.
    var onProblem: ((RecordedProblem) -> Void)?

    /// Creates the logger for an application.
    ///
    /// - Parameters:
    ///   - usesJournalFields: Whether entries contain the fields of journal messages.
    ///   - now: A closure that returns the time of day in microseconds since 1970-01-01 UTC.
    init(
        _ logger: Logger, bundleIdentifier: String, usesJournalFields: Bool,
        now: @escaping () -> Int64,
        metrics: ApplicationMetrics, tracing: ApplicationTracing,
        follower: (any ApplicationEventFollower)? = nil
    ) {
        self.logger = logger
        self.bundleIdentifier = bundleIdentifier
        self.usesJournalFields = usesJournalFields
        self.now = now
        self.metrics = metrics
        self.tracing = tracing
        self.follower = follower
    }

    /// Whether a follower is currently receiving events.
    var isFollowed: Bool { follower?.isFollowing == true }

    /// Sends events to the follower without logging them.
    func notifyFollower(_ events: @autoclosure () -> [ApplicationEvent]) {
        guard let follower, follower.isFollowing else { return }
        let events = events()
        if !events.isEmpty { follower.receive(events, of: bundleIdentifier) }
    }

    /// Returns whether entries at the given level are logged.
    func isLogged(_ level: Logger.Level) -> Bool { logger.logLevel <= level }

    /// Logs an event, counts it in the metrics, and sends it to the follower.
    ///
    /// - Parameters:
    ///   - path: The restoration path of the object that the event relates to.
    ///   - generation: The path of the generation that was added or to which the application was rolled back.
    func log(
        _ level: Logger.Level, _ event: LogEvent, _ message: @autoclosure () -> String,
        scene: String? = nil, path: String? = nil, generation: String? = nil,
        reason: String? = nil
    ) {
        metrics.count(event, reason: reason)
        if let kind = event.followerEventKind(at: level) {
            notifyFollower([
                ApplicationEvent(
                    kind, scene: scene, path: path, generation: generation, message: message())
            ])
        }
        guard isLogged(level) else { return }
        var metadata: Logger.Metadata = [:]
        if usesJournalFields { metadata["MESSAGE_ID"] = "\(event.rawValue)" }
        let values = [
            "application": bundleIdentifier, "scene": scene, "path": path,
            "generation": generation, "reason": reason,
        ]
        for case (let key, let value?) in values {
            metadata[usesJournalFields ? "REPRISE_\(key.uppercased())" : key] = "\(value)"
        }
        let subject = scene.map { "\(bundleIdentifier) \($0)" } ?? bundleIdentifier
        logger.log(level: level, "\(subject): \(message())", metadata: metadata)
    }

    /// Logs a problem, and stores it as the last problem together with the name of its scene.
    func logProblem(
        _ level: Logger.Level, _ event: LogEvent, _ sentence: String, scene: String? = nil,
        generation: String? = nil, reason: String? = nil
    ) {
        log(level, event, sentence, scene: scene, generation: generation, reason: reason)
        recordProblem(scene.map { "the scene \($0) \(sentence)" } ?? sentence)
    }

    /// Records a problem as the last problem without logging it.
    ///
    /// Call this method for a problem that is logged elsewhere or has already been logged.
    func recordProblem(_ sentence: String) {
        if sentence == lastProblem { return }
        let time = now()
        lastProblem = sentence
        lastProblemTime = time
        onProblem?(RecordedProblem(sentence: sentence, time: time))
    }
}
