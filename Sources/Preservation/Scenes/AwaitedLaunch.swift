import SavedState
import StateRestoration

/// Launch that waits for the current task, in which an object performs an extended restoration (R13).
struct AwaitedLaunch: Sendable {
    /// Bundle identifier of the application that is being launched.
    let application: String
    /// Guard that permits the launch of only one scene at a time across all applications.
    let launchGuard: LaunchGuard
    let end: LaunchEnd

    @TaskLocal static var current: AwaitedLaunch?

    /// Unfinished launch that waits for the current task, or `nil` if there is no such launch.
    static var unfinished: AwaitedLaunch? { current.flatMap { $0.end.isReached ? nil : $0 } }
}

extension Application {
    /// Throws an error if a command would wait for a launch that itself waits for the caller.
    ///
    /// - Parameter scene: The target scene of the command, or `nil` for the default scene.
    func refuseCommand(on scene: RestorationIdentifier?) throws {
        if case .running(let hosted) = phase, let name = scene ?? hosted.firstName,
            case .launched = hosted.state(of: name)
        {
            return
        }
        try refuseWithinLaunch()
    }

    /// Throws an error if the caller would wait for launches while one of them waits for the caller.
    func refuseWithinLaunch() throws {
        guard let launch = AwaitedLaunch.unfinished, areScenesLaunching || isLaunching,
            launch.launchGuard === stateDirectory.launchGuard
        else { return }
        throw ApplicationError.restoring(application: bundleIdentifier)
    }
}
