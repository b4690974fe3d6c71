import ExactText
public import FoundationEssentials
public import StateRestoration

/// Status of an application, as shown to operators.
public struct ApplicationStatus: Sendable {
    /// Phase in the life cycle of an application.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Equatable {
        /// The application has not been launched yet, or has stopped in an orderly way.
        case stopped
        /// The scenes are being launched, or a scene is waiting for its extended restoration to finish (R13).
        case launching
        /// The application accepts commands.
        case running
        /// The application could not be launched.
        case failed(reason: String)
    }

    /// Default maximum number of scenes in a status.
    public static let maximumScenes = 1000

    /// Bundle identifier of the application.
    public var bundleIdentifier: String
    /// Bundle version of the application.
    public var bundleVersion: String
    /// Phase of the application.
    public var phase: Phase
    /// The application's scenes, whether or not they are launched.
    ///
    /// Configured scenes come first, followed by the other scenes in the order they were first saved. If the number of
    /// scenes exceeds a limit, only the first scenes are listed.
    public var scenes: [SceneStatus]
    /// Number of scenes that accept commands.
    public var launchedSceneCount: Int
    /// Number of scenes that could not be launched.
    public var failedSceneCount: Int
    /// Number of scenes in the archive, whether or not they are launched.
    public var savedSceneCount: Int
    /// Number of objects in the archive.
    public var savedObjectCount = 0
    /// Durability level of the application's state.
    public var saved: DurabilityLevel
    /// Number of writes that are not durable yet and would be lost in a power cut.
    public var notDurableWrites = 0
    /// Number of writes that are not replicated yet and would be lost with this host, or `nil` if this host does not
    /// replicate the application.
    public var notReplicated: Int?
    /// Time of the oldest change that is not durable, or `nil` if all state is durable.
    public var notDurableSince: Date?
    /// Age of the oldest change that is not durable, measured by a monotonic clock, or `nil` if all state is durable.
    public var notDurableDuration: Duration?
    /// Interval at which written data is made durable.
    public var interval = Duration.zero
    /// Whether the only reason for unsaved state is that a delegate does not opt in to saving its scene (P1).
    public var isUnsavedByOptOut = false
    /// Sentence that states why the saved state cannot be added to the history, or `nil` if no attempt has failed.
    public var historyFailure: String?
    /// Time of the last pass that wrote changes, or `nil` if no pass has written changes.
    public var lastPass: Date?
    /// Last problem, or `nil` if no problem has occurred.
    public var lastError: String?
    /// Time at which the last problem first occurred, or `nil` if no problem has occurred.
    public var lastErrorTime: Date?

    package init(
        bundleIdentifier: String, bundleVersion: String, phase: Phase, scenes: [SceneStatus],
        saved: DurabilityLevel, notDurableWrites: Int = 0, notDurableSince: Date? = nil,
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

/// Status of a scene, as shown to operators.
public struct SceneStatus: Sendable {
    /// Phase in the life cycle of a scene.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Equatable {
        /// The scene is saved but not running. A command that addresses the scene launches it (S3).
        case saved
        /// The scene is waiting to be launched or waiting for its extended restoration to finish (R13).
        ///
        /// Commands that address the scene wait until its launch has finished.
        case restoring
        /// The scene accepts commands.
        case running
        /// The scene could not be launched. Its saved state is unchanged.
        case failed(reason: String)
    }

    /// Name of the scene.
    public var name: RestorationIdentifier
    /// Phase of the scene.
    public var phase: Phase
    /// Report on the scene's restoration, or `nil` if the scene has not been launched.
    public var report: RestorationReport?
    /// Reason why an object with a restoration identifier is not preserved, or `nil` if all such objects are preserved.
    ///
    /// Either a sibling has the same identifier (I3), or the path is too long (I2). The reason does not end with a
    /// period.
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
