import SavedState
import StateRestoration

/// The launch that waits for the task that it is known in: an object finishes its restoration there (R13).
struct AwaitedLaunch: Sendable {
    /// The bundle identifier of the application that is launched.
    let application: String
    /// Lets one scene of all applications be launched at a time.
    let launchGuard: LaunchGuard
    let end: LaunchEnd

    @TaskLocal static var current: AwaitedLaunch?

    /// The launch, unless it is over.
    static var unfinished: AwaitedLaunch? { current.flatMap { $0.end.isReached ? nil : $0 } }
}

extension Application {
    /// Refuses a command that would wait for a launch which waits for it.
    ///
    /// - Parameter scene: the scene that it is for; nil: the one that commands without a name go to.
    func refuseCommand(on scene: RestorationIdentifier?) throws {
        if case .running(let hosted) = phase, let name = scene ?? hosted.firstName,
            case .launched = hosted.state(of: name)
        {
            return
        }
        try refuseWithinLaunch()
    }

    /// Refuses what waits for every launch, where one waits for it.
    func refuseWithinLaunch() throws {
        guard let launch = AwaitedLaunch.unfinished, areScenesLaunching || isLaunching,
            launch.launchGuard === stateDirectory.launchGuard
        else { return }
        throw ApplicationError.restoring(application: bundleIdentifier)
    }
}
