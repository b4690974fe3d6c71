import ExactText
import Logging
import SavedState

/// The events of an application that an operator may look for, each with its MESSAGE_ID
/// (systemd.journal-fields(7)). An identifier is never given to another event.
enum LogEvent: String {
    /// A scene was launched, whatever it restored.
    case launched = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c101"
    /// A scene was restored, wholly or in part.
    case restored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c102"
    /// A pass was made.
    case passed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c103"
    /// The application ended in an orderly way.
    case stopped = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c104"
    /// Nobody runs the application, and something waits for that.
    case notRun = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13b"
    /// The application could not be launched.
    case launchFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c105"
    /// What was saved is damaged, and lies in quarantine.
    case quarantined = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c106"
    /// What changed could not be saved.
    case saveFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c107"
    /// Saving works again.
    case saveResumed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c108"
    /// A launch found an object for its record (R18).
    case found = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12d"
    /// An object was not restored.
    case notRestored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c109"
    /// A pass could not preserve something.
    case notPreserved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10a"
    /// An object changed and was not invalidated, which a later look at it found (P20).
    case notInvalidated = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c126"
    /// Something was saved within an interval, and is durable.
    case saved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c127"
    /// What was saved is kept as a generation.
    case generationMade = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10b"
    /// What was saved could not be kept as a generation.
    case generationFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10c"
    /// What another scene did took a controller of a scene away.
    case vanished = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c119"
    /// Generations were removed from the history.
    case generationsRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c114"
    /// The history could not be kept within its bounds.
    case generationsNotRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c153"
    /// Files were removed from quarantine.
    case quarantineRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c125"
    /// The quarantine could not be kept within its bounds.
    case quarantineNotRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c155"
    /// A scene was ended by command; its state stays.
    case closed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10d"
    /// A scene extends its restoration, and is waited for (R13).
    case extended = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10e"
    /// A scene's restoration was extended for too long, or completed too often (R13).
    case extensionMisused = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c10f"
    /// The application's saved state was removed by a forced quit (L1).
    case stateRemoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c110"
    /// The program will end at a stage, because somebody asked for it.
    case debugExitArmed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c111"
    /// Another program changed the archive, or it could not be made durable; a whole new one takes
    /// its place.
    case archiveReplaced = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c112"
    /// Obsolete records were removed from the archive.
    case compacted = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c113"
    /// The archive could not be compacted.
    case compactionFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c152"
    /// The saved state of scenes was replaced while they lived, and they were launched from it
    /// (L8).
    case replaced = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c118"
    /// New storyboards took the place of others.
    case reloaded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c117"
    /// New scenes did not take the places of others, which go on.
    case exchangeFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c115"
    /// A scene is launched again after the program died while it launched it, or soon after (L2,
    /// L3).
    case launchedAgain = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c120"
    /// A scene is not launched, because that made the program die, and not for its saved state
    /// (L8).
    case heldBack = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c121"
    /// State was put back into the archive.
    case putBack = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c122"
    /// State could not be put back into the archive.
    case putBackFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c154"
    /// Crashes while scenes are launched cannot be noted, or not told from kills.
    case guardImpaired = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c123"
    /// The program died with a scene that is not launched again now (L2, L3).
    case died = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c124"
    /// What no launch could place leaves the archive, or will at the next (R16).
    case expiring = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12c"
    /// What lies in quarantine cannot be listed.
    case quarantineUnreadable = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12f"
    /// The application goes on from what another host replicated.
    case takenOver = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c140"
    /// What this host had saved is not what the cluster goes on from.
    case passedBy = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c141"
    /// A turn took longer than it may.
    case slow = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c12e"
    /// Another program removed a document of the running application, and the application wrote it again.
    case documentRestored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c150"
    /// Another program removed a document of the running application, and the application cannot write it again.
    case documentMissing = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c151"
}

/// Tells what happens to one application, with its name in every entry, and remembers the last
/// problem for its status.
final class ApplicationLog {
    private let logger: Logger
    private let application: String
    private let now: () -> Int64
    /// Counts what happens.
    let metrics: ApplicationMetrics
    /// Is told what happens, whatever the level of the log.
    var follower: (any ApplicationFollower)?
    /// The last thing that went wrong.
    private(set) var lastProblem: String?
    /// When that was, the first time in a row: microseconds since 1970-01-01 UTC.
    private(set) var lastProblemTime: Int64?
    /// Called when another thing goes wrong.
    var onProblem: ((NotedProblem) -> Void)?

    /// - Parameter now: the time of day in microseconds since 1970-01-01 UTC.
    init(
        _ logger: Logger, application: String, now: @escaping () -> Int64,
        metrics: ApplicationMetrics, follower: (any ApplicationFollower)? = nil
    ) {
        self.logger = logger
        self.application = application
        self.now = now
        self.metrics = metrics
        self.follower = follower
    }

    /// Whether anybody wants to know of events.
    var isFollowed: Bool { follower?.isFollowing == true }

    /// Tells those who follow, and nobody else.
    func follow(_ events: @autoclosure () -> [ApplicationEvent]) {
        guard let follower, follower.isFollowing else { return }
        let events = events()
        if !events.isEmpty { follower.note(events, of: application) }
    }

    /// Whether entries of a level are told.
    func isTold(_ level: Logger.Level) -> Bool { logger.logLevel <= level }

    /// - Parameters:
    ///   - path: the restoration path of the object that it is about.
    ///   - generation: the path of the generation that was made, or gone back to.
    func tell(
        _ level: Logger.Level, _ event: LogEvent, _ message: @autoclosure () -> String,
        scene: String? = nil, path: String? = nil, generation: String? = nil,
        reason: String? = nil
    ) {
        metrics.note(event, reason: reason)
        if let kind = event.kind(at: level) {
            follow([
                ApplicationEvent(
                    kind, scene: scene, path: path, generation: generation, message: message())
            ])
        }
        guard isTold(level) else { return }
        var metadata: Logger.Metadata = [
            "MESSAGE_ID": "\(event.rawValue)", "REPRISE_APPLICATION": "\(application)",
        ]
        if let scene { metadata["REPRISE_SCENE"] = "\(scene)" }
        if let path { metadata["REPRISE_PATH"] = "\(path)" }
        if let generation { metadata["REPRISE_GENERATION"] = "\(generation)" }
        if let reason { metadata["REPRISE_REASON"] = "\(reason)" }
        let subject = scene.map { "\(application) \($0)" } ?? application
        logger.log(level: level, "\(subject): \(message())", metadata: metadata)
    }

    /// Tells a problem, and remembers it; of a scene with its name.
    func tellProblem(
        _ level: Logger.Level, _ event: LogEvent, _ sentence: String, scene: String? = nil,
        generation: String? = nil, reason: String? = nil
    ) {
        tell(level, event, sentence, scene: scene, generation: generation, reason: reason)
        noteProblem(scene.map { "the scene \($0) \(sentence)" } ?? sentence)
    }

    /// Remembers a problem that is told elsewhere, or was told before.
    func noteProblem(_ sentence: String) {
        if sentence == lastProblem { return }
        let time = now()
        lastProblem = sentence
        lastProblemTime = time
        onProblem?(NotedProblem(sentence: sentence, time: time))
    }
}
