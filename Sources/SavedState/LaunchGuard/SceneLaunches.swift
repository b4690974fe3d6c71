import ExactText

/// Launch records of a scene.
package struct SceneLaunches: Sendable, Equatable, Codable {
    /// Program that most recently began to launch the scene. The counts refer to launches by this program.
    package var identity: ProgramIdentity?
    /// Program that most recently launched the scene successfully.
    package var goodIdentity: ProgramIdentity?
    /// Number of crashes with a stamp during a launch, since the last successful launch.
    package var crashes = 0
    /// Number of times that the process died without a stamp during a launch, since the last successful launch.
    package var kills = 0
    /// Number of consecutive crashes with a stamp within ``LaunchLimits/gracePeriodMilliseconds`` after a launch.
    package var deaths = 0
    /// Phrase that describes the last crash or kill that was counted.
    package var lastEnd: String?
    /// Time at which the current process launched the scene, in milliseconds since the machine started, or `nil` if the
    /// process has not launched it.
    package var launchedAt: UInt64?
    /// Quarantined state that may have caused a crash, or `nil` if there is none.
    ///
    /// The property becomes `nil` once it is known whether the state caused the crash.
    package var quarantined: QuarantinedState?
    /// Path of the generation that contains the scene's previous state, or `nil` if the state was not replaced or the
    /// new state is known to be good (L8).
    package var replaced: String? {
        didSet { isChanged = nil }
    }
    /// Whether a user has changed the scene since its previous state was replaced. `nil` means `false`.
    package private(set) var isChanged: Bool?
    /// Whether the scene's state was replaced and the scene has not been launched since (R2). `nil` means `false`.
    private var hasNewState: Bool?
    /// Reason why the scene is not launched, or `nil` if it may be launched.
    package var stopped: LaunchRefusal?

    /// Creates empty records.
    package init() {}

    /// Whether nothing is recorded about the scene except the programs that launched it.
    var hasNoProblems: Bool {
        var problemFreeLaunches = SceneLaunches()
        problemFreeLaunches.identity = identity
        problemFreeLaunches.goodIdentity = goodIdentity
        return self == problemFreeLaunches
    }

    /// Number of consecutive launches that the process did not survive.
    package var failedLaunchCount: Int { crashes + kills }

    /// Total number of counted crashes and kills.
    package var crashAndKillCount: Int { failedLaunchCount + deaths }

    /// Returns the kind of crash for which the launch guard must intervene, or `nil` if the counts are within the
    /// limits.
    func fault(within limits: LaunchLimits) -> LaunchFault? {
        if crashes >= limits.launchCrashLimit || kills > limits.launchKillLimit {
            return .launching
        }
        return deaths >= limits.laterCrashLimit ? .running : nil
    }

    /// Whether the next launch is the first launch with new state, and no crash has been counted since the state was
    /// replaced (R2).
    package var nextLaunchUsesNewState: Bool { hasNewState == true && crashAndKillCount == 0 }

    /// Records that a program has begun to launch the scene. Crashes of a different program are forgotten.
    mutating func beginLaunch(by identity: ProgramIdentity) {
        if self.identity != identity { resetCounts() }
        if stopped?.identity != identity { stopped = nil }
        self.identity = identity
        launchedAt = nil
    }

    /// Records that the launch is complete.
    ///
    /// If state was quarantined because of crashes during a launch, it is now known to be the cause. If state was
    /// quarantined because of crashes after a launch, it may still turn out not to be the cause.
    mutating func recordLaunch(by identity: ProgramIdentity, at time: UInt64) {
        goodIdentity = identity
        hasNewState = nil
        crashes = 0
        kills = 0
        stopped = nil
        launchedAt = time
        if let quarantined, quarantined.cause == .launching, quarantined.isTakenOut {
            self.quarantined = nil
        }
        if deaths == 0 { lastEnd = nil }
    }

    /// Whether the scene has been launched and has records that will be removed after the grace period.
    var isInGracePeriod: Bool {
        launchedAt != nil && (deaths > 0 || replaced != nil || quarantined?.isTakenOut == true)
    }

    /// Returns whether the scene has survived the grace period. Its earlier records can then be removed.
    func hasSurvivedGracePeriod(at time: UInt64) -> Bool {
        guard let launchedAt, isInGracePeriod else { return false }
        return time > launchedAt && time - launchedAt > LaunchLimits.gracePeriodMilliseconds
    }

    /// Records that the scene has been closed normally. All its problems are forgotten.
    mutating func recordClose() {
        launchedAt = nil
        recordSurvival()
    }

    /// Records that the scene has survived the grace period. All its problems are forgotten.
    mutating func recordSurvival() {
        replaced = nil
        resetCounts()
        if quarantined?.isTakenOut == true { quarantined = nil }
    }

    /// Records that the scene has new state. Earlier crashes do not count against the new state.
    mutating func recordNewState() {
        hasNewState = true
        stopped = nil
        quarantined = nil
        resetCounts()
    }

    /// Records that a user has changed the scene. From then on, crashes of other scenes do not discard its new state.
    mutating func recordUserChange() {
        if replaced != nil { isChanged = true }
    }

    /// Records that the previous state has been restored. The counted crashes are forgotten, because they are
    /// attributed to the discarded state.
    mutating func recordFallback() {
        replaced = nil
        hasNewState = nil
        resetCounts()
    }

    /// Records that the quarantined state has been removed from the archive.
    ///
    /// The counted crashes are forgotten, because they are attributed to that state.
    mutating func recordRemovalFromArchive() {
        quarantined?.isTakenOut = true
        resetCounts()
    }

    /// Records that the process crashed after launching the scene. A crash long after the launch counts as a normal
    /// close.
    mutating func recordCrashAfterLaunch(_ end: String, at time: UInt64) {
        guard let launchedAt, time >= launchedAt else { return }
        if time - launchedAt > LaunchLimits.gracePeriodMilliseconds {
            recordClose()
        } else {
            deaths += 1
            lastEnd = end
        }
    }

    /// Limits counts that were read from a file, so that incrementing them cannot overflow.
    mutating func limitCounts() {
        for count in [\SceneLaunches.crashes, \.kills, \.deaths] {
            self[keyPath: count] = min(max(self[keyPath: count], 0), 1_000_000)
        }
    }

    mutating func resetCounts() {
        crashes = 0
        kills = 0
        deaths = 0
        lastEnd = nil
    }
}

/// Saved state of a scene, quarantined because of a crash.
package struct QuarantinedState: Sendable, Equatable, Codable {
    /// Name of the file in quarantine.
    package var name: String
    /// Number that the scene's record had in the archive.
    package var record: UInt32
    /// Kind of crash that is attributed to the state.
    package var cause: LaunchFault
    /// Whether it is certain that the archive no longer contains the state.
    package var isTakenOut = false

    /// Creates a record of a quarantined state.
    package init(name: String, record: UInt32, cause: LaunchFault) {
        self.name = name
        self.record = record
        self.cause = cause
    }
}

/// Key that identifies a scene among all applications' scenes.
package struct SceneKey: Sendable, Codable, Hashable, Comparable {
    /// Bundle identifier of the application.
    package var application: String
    /// Name of the scene.
    package var scene: String

    /// Creates a key.
    package init(application: String, scene: String) {
        self.application = application
        self.scene = scene
    }

    package static func < (left: SceneKey, right: SceneKey) -> Bool {
        left.application == right.application
            ? left.scene < right.scene : left.application < right.application
    }
}
