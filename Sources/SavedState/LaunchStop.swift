/// What deaths a scene's saved state is blamed for.
package enum LaunchFault: String, Sendable, Codable {
    /// The process died while it launched the scene (L2).
    case launching
    /// The process died soon after it had launched the scene, again and again (L3).
    case running
}

/// Why a scene is not launched, and which program that holds for (L8).
package struct LaunchStop: Sendable, Equatable, Codable {
    /// A clause that follows "it is not launched: ".
    package var reason: String
    /// The program; another one tries again.
    package var identity: ProgramIdentity

    /// A stop of these parts.
    package init(reason: String, identity: ProgramIdentity) {
        self.reason = reason
        self.identity = identity
    }
}
