import ExactText

/// Kind of crash that is attributed to a scene's saved state.
package enum LaunchFault: String, Sendable, Codable {
    /// The process died while it was launching the scene (L2).
    case launching
    /// The process repeatedly crashed soon after launching the scene (L3).
    case running
}

/// Reason why a scene is not launched, and the program to which the reason applies (L8).
package struct LaunchRefusal: Sendable, Equatable, Codable {
    /// Reason, to be appended to "it is not launched: ".
    package var reason: String
    /// Identity of the program. A different program may launch the scene.
    package var identity: ProgramIdentity

    /// Creates a reason not to launch a scene.
    package init(reason: String, identity: ProgramIdentity) {
        self.reason = reason
        self.identity = identity
    }
}

/// Numbers of crashes and kills at which the launch guard intervenes.
package struct LaunchLimits: Sendable, Equatable {
    /// Time after a launch during which a crash counts against the scene, in milliseconds (L3).
    static let gracePeriodMilliseconds: UInt64 = 300_000

    /// Number of crashes during launches of a scene at which the launch guard intervenes. The minimum is 1.
    ///
    /// A crash counts only if the process left a stamp.
    package var launchCrashLimit: Int
    /// Maximum number of times that the process may die without a stamp during launches of a scene, for example because
    /// the process is killed.
    package var launchKillLimit = 5
    /// Number of consecutive crashes soon after launches of a scene at which the launch guard intervenes.
    ///
    /// A crash counts only if the process left a stamp.
    package var laterCrashLimit = 3

    /// Creates limits with the values that L2 and L3 define.
    package init(launchCrashLimit: Int = 1) { self.launchCrashLimit = launchCrashLimit }
}
