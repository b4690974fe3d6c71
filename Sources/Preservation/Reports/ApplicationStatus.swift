import ExactText
public import FoundationEssentials
public import StateRestoration

/// What an operator wants to know of an application.
public struct ApplicationStatus: Sendable {
    /// Where an application is in its life.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Equatable {
        /// Not launched yet, or ended in an orderly way.
        case stopped
        /// Its scenes are being launched, or one waits for its restoration to complete (R13).
        case launching
        /// It takes commands.
        case running
        /// It could not be launched.
        case failed(reason: String)
    }

    /// How many scenes a status tells of unless more are asked for.
    public static let mostScenes = 1000

    /// The application's bundle identifier.
    public var bundleIdentifier: String
    /// The version of the program.
    public var bundleVersion: String
    /// Where it is in its life.
    public var phase: Phase
    /// Its scenes, launched or only saved: the configured ones first, then the others in the order
    /// in which they were first saved. Of very many the first.
    public var scenes: [SceneStatus]
    /// How many scenes take commands.
    public var launchedSceneCount: Int
    /// How many scenes could not be launched.
    public var failedSceneCount: Int
    /// How many scenes the archive holds, launched or not.
    public var savedSceneCount: Int
    /// How many objects the archive holds.
    public var savedObjectCount = 0
    /// How safe its state is.
    public var saved: Saved
    /// How many writes are not durable yet; a power cut now would take them.
    public var notDurableWrites = 0
    /// How much of what was saved a lost host would take; nil: the application runs on one host alone, or
    /// not on this one now.
    public var notReplicated: Int?
    /// Since when something is not durable; nil: everything is.
    public var notDurableSince: Date?
    /// For how long, by a clock that nobody sets.
    public var notDurableTime: Duration?
    /// How often what was written is made durable.
    public var interval = Duration.zero
    /// Whether it is not saved for the sole reason that the delegate does not want a scene saved (P1).
    public var isUnwanted = false
    /// Reason for which no copy of the saved state can be kept in the history now; a sentence, nil
    /// if none is known.
    public var notKept: String?
    /// When the last pass that wrote something was made.
    public var lastPass: Date?
    /// The last thing that went wrong.
    public var lastError: String?
    /// When that was, the first time in a row.
    public var lastErrorTime: Date?

    package init(
        bundleIdentifier: String, bundleVersion: String, phase: Phase, scenes: [SceneStatus],
        saved: Saved, notDurableWrites: Int = 0, notDurableSince: Date? = nil,
        lastPass: Date? = nil, lastError: String? = nil, lastErrorTime: Date? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.phase = phase
        self.scenes = scenes
        launchedSceneCount = scenes.count { $0.phase == .running }
        failedSceneCount = scenes.count {
            if case .failed = $0.phase { true } else { false }
        }
        savedSceneCount = scenes.count
        self.saved = saved
        self.notDurableWrites = notDurableWrites
        self.notDurableSince = notDurableSince
        self.lastPass = lastPass
        self.lastError = lastError
        self.lastErrorTime = lastErrorTime
    }
}

/// What an operator wants to know of a scene.
public struct SceneStatus: Sendable {
    /// Where a scene is in its life.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Equatable {
        /// It is in the archive and was not launched; a command that names it launches it (S3).
        case saved
        /// Its launch waits for its turn, or for its restoration to complete (R13). Commands to it
        /// wait.
        case restoring
        /// It takes commands.
        case running
        /// It could not be launched; what is saved of it is untouched.
        case failed(reason: String)
    }

    /// The scene's name.
    public var name: RestorationIdentifier
    /// Where it is in its life.
    public var phase: Phase
    /// What its launch restored; nil if it was not launched.
    public var report: RestorationReport?
    /// The reason why an object with a restoration identifier is not preserved, without a full stop, or `nil` if all
    /// such objects are preserved.
    ///
    /// Either a sibling has the same identifier (I3), or the path is too long (I2).
    public var omission: String?

    package init(
        name: RestorationIdentifier, phase: Phase = .running, report: RestorationReport? = nil,
        omission: String? = nil
    ) {
        self.name = name
        self.phase = phase
        self.report = report
        self.omission = omission
    }
}
