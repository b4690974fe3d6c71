import ExactText

/// Kind of crash that is attributed to a scene's saved state.
package enum LaunchFault: String, Sendable, Codable {
    /// The process ended while it launched the scene (L2).
    case launching
    /// The process repeatedly crashed soon after it had launched the scene (L3).
    case running
}

/// Reason why a scene is not launched, and the program for which the reason applies (L8).
package struct LaunchStop: Sendable, Equatable, Codable {
    /// Reason, to be appended to "it is not launched: ".
    package var reason: String
    /// Identity of the program. A different program may launch the scene.
    package var identity: ProgramIdentity

    /// Creates a stop from its parts.
    package init(reason: String, identity: ProgramIdentity) {
        self.reason = reason
        self.identity = identity
    }
}

/// Numbers of crashes during or after a launch at which the launch guard intervenes.
package struct LaunchLimits: Sendable, Equatable {
    /// Time after a launch during which a crash counts against the scene, in milliseconds (L3).
    static let soon: UInt64 = 300_000

    /// Number of crashes with a stamp during a launch at which the launch guard intervenes. The minimum is 1.
    package var crashes: Int
    /// Maximum number of times that the process may end without a stamp during a launch.
    package var kills = 5
    /// Number of consecutive crashes with a stamp soon after a launch at which the launch guard intervenes.
    package var deaths = 3

    /// Creates the limits of L2 and L3.
    package init(crashes: Int = 1) { self.crashes = crashes }
}
