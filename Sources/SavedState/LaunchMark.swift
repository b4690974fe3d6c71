/// Says that a scene is being launched, and how far the launch has come (L2).
package struct LaunchMark: Sendable, Equatable, Codable {
    /// The machine's start that this belongs to; empty where that cannot be read.
    package var boot: String
    /// The scene.
    package var scene: SceneKey
    /// How often in a row it is launched now without that having gone well, this time included.
    package var attempt: Int
    /// Why it is launched (R2).
    package var reason: String
    /// The stage that the launch has reached.
    package var stage: String
    /// The program that launches it, see ``ProgramIdentity``.
    package var identity: ProgramIdentity

    /// A mark of these parts.
    package init(
        boot: String, scene: SceneKey, attempt: Int, reason: String, stage: String,
        identity: ProgramIdentity
    ) {
        self.boot = boot
        self.scene = scene
        self.attempt = attempt
        self.reason = reason
        self.stage = stage
        self.identity = identity
    }
}
