/// Something that changes a ``LaunchLedger``.
package enum LaunchEvent: Sendable, Equatable, Codable {
    /// A scene's launch begins.
    case launching(mark: LaunchMark)
    /// The launch has come to a stage.
    case stage(name: String)
    /// The launch is complete (R13); the time is in milliseconds since the machine started.
    case launched(scene: SceneKey, identity: ProgramIdentity, time: UInt64)
    /// The launch came to nothing without the process having died.
    case abandoned
    /// A scene has lived for longer than ``LaunchLimits/soon`` since its launch.
    case endured(scene: SceneKey)
    /// A scene that was launched ended in an orderly way.
    case ended(scene: SceneKey)
    /// A scene's saved state lies in quarantine.
    case quarantined(scene: SceneKey, state: Quarantined)
    /// What lies in quarantine is not in the archive any more.
    case takenOut(scene: SceneKey)
    /// A scene is not launched any more.
    case stopped(scene: SceneKey, stop: LaunchStop)
    /// What lay in quarantine is in the archive again, or is not awaited any more.
    case putBack(scene: SceneKey)
    /// A scene got another saved state, and what it had is kept as a generation at this path; nil: it
    /// has its own again (L8).
    case replaced(scene: SceneKey, generation: String?)
    /// What is saved of a scene is another state, or none, and it is not launched from that yet: what is
    /// known of launches from the one before says nothing of it.
    case newState(scene: SceneKey)
    /// A scene that was to give way to a new one goes on: all is known of it that was before.
    case reinstated(scene: SceneKey, launches: SceneLaunches)
    /// A scene got back what it had before (L8).
    case fellBack(scene: SceneKey)
    /// The saved state of an application is gone (L1).
    case forgotten(application: String)
}
