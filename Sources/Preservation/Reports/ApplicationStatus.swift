import ExactText
public import FoundationEssentials
public import StateRestoration

/// Status of an application, as operators see it.
public struct ApplicationStatus: Sendable {
    /// Phase in the life cycle of an application.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Equatable {
        /// The application was not launched yet, or was stopped in an orderly way.
        case stopped
        /// The scenes are being launched, or a scene waits for its restoration to complete (R13).
        case launching
        /// The application accepts commands.
        case running
        /// The application could not be launched.
        case failed(reason: String)
    }

    /// Default maximum number of scenes in a status.
    public static let maximumScenes = 1000

    /// The application's bundle identifier.
    public var bundleIdentifier: String
    /// The application's bundle version.
    public var bundleVersion: String
    /// The application's phase.
    public var phase: Phase
    /// The application's scenes, launched or only saved.
    ///
    /// Configured scenes come first, followed by the others in the order in which they were first saved. If
    /// there are very many scenes, only the first ones are listed.
    public var scenes: [SceneStatus]
    /// The number of scenes that accept commands.
    public var launchedSceneCount: Int
    /// The number of scenes that could not be launched.
    public var failedSceneCount: Int
    /// The number of scenes in the archive, launched or not.
    public var savedSceneCount: Int
    /// The number of objects in the archive.
    public var savedObjectCount = 0
    /// The durability level of the application's state.
    public var saved: Saved
    /// The number of writes that are not durable yet, and that a power cut would lose.
    public var notDurableWrites = 0
    /// The number of writes that would be lost with this host, or `nil` if the application is not replicated
    /// or does not run here now.
    public var notReplicated: Int?
    /// The time since which state has not been durable, or `nil` if all state is durable.
    public var notDurableSince: Date?
    /// The time for which state has not been durable, measured by a monotonic clock.
    public var notDurableTime: Duration?
    /// The interval at which written data is made durable.
    public var interval = Duration.zero
    /// Whether state is unsaved only because the delegate does not want a scene saved (P1).
    public var isUnwanted = false
    /// The reason why the saved state cannot be added to the history now, as a sentence, or `nil` if there is
    /// no known reason.
    public var notKept: String?
    /// The time of the last pass that wrote something.
    public var lastPass: Date?
    /// The last problem, or `nil` if there was none.
    public var lastError: String?
    /// The time of the first consecutive occurrence of that problem.
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

/// Status of a scene, as operators see it.
public struct SceneStatus: Sendable {
    /// Phase in the life cycle of a scene.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Equatable {
        /// The scene is in the archive and was not launched; a command that names it launches it (S3).
        case saved
        /// The scene waits to be launched, or for its restoration to complete (R13).
        ///
        /// Commands to the scene wait.
        case restoring
        /// The scene accepts commands.
        case running
        /// The scene could not be launched; its saved state is untouched.
        case failed(reason: String)
    }

    /// The scene's name.
    public var name: RestorationIdentifier
    /// The scene's phase.
    public var phase: Phase
    /// The report about the scene's restoration, or `nil` if the scene was not launched.
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
