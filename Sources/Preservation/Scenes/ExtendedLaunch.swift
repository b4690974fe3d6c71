import SavedState
import StateRestoration

/// Launch that waits for the extended restoration of an object, which the current task is performing (R13).
struct ExtendedLaunch: Sendable {
    /// Bundle identifier of the application that is being launched.
    let application: String
    /// Guard that permits the launch of only one scene at a time across all applications.
    let launchGuard: LaunchGuard
    let end: LaunchEnd

    @TaskLocal static var current: ExtendedLaunch?

    /// Unfinished launch that is waiting for the current task, or `nil` if no launch is waiting for it.
    static var unfinished: ExtendedLaunch? { current.flatMap { $0.end.isReached ? nil : $0 } }
}

extension Application {
    /// Throws an error if a command would wait for a launch that is itself waiting for the caller.
    ///
    /// - Parameter scene: The command's target scene, or `nil` for the default scene.
    func throwIfCommandWouldDeadlock(on scene: RestorationIdentifier?) throws {
        if case .running(let hosted) = phase, let name = scene ?? hosted.firstName,
            case .launched = hosted.state(of: name)
        {
            return
        }
        try throwIfLaunchWouldDeadlock()
    }

    /// Throws an error if the caller would wait for launches while one of the launches is waiting for the caller.
    func throwIfLaunchWouldDeadlock() throws {
        guard let launch = ExtendedLaunch.unfinished, areScenesLaunching || isLaunching,
            launch.launchGuard === stateDirectory.launchGuard
        else { return }
        throw ApplicationError.restoring(application: bundleIdentifier)
    }
}
