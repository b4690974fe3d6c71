import Synchronization

/// A flag that is set at the end of a launch and that can be read from any thread.
package final class LaunchEnd: Sendable {
    private let reachedFlag = Atomic(false)

    /// Whether the launch has completed, timed out or been abandoned.
    package var isReached: Bool { reachedFlag.load(ordering: .relaxed) }

    func markReached() { reachedFlag.store(true, ordering: .relaxed) }
}
