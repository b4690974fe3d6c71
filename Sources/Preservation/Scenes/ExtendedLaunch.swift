import SavedState
import StateRestoration

/// Launch that waits until the current task has finished an object's extended restoration (R13).
struct ExtendedLaunch: Sendable {
    /// Bundle identifier of the application that is being launched.
    let bundleIdentifier: String
    /// Guard that permits the launch of only one scene at a time across all applications.
    let launchGuard: LaunchGuard
    let launchEnd: LaunchEnd

    @TaskLocal static var current: ExtendedLaunch?

    /// Unfinished launch that is waiting for the current task, or `nil` if no launch is waiting for the task.
    static var unfinished: ExtendedLaunch? { current.flatMap { $0.launchEnd.isReached ? nil : $0 } }
}
