import Synchronization

/// A flag that is set when a launch is over and can be read from any thread.
package final class LaunchEnd: Sendable {
    private let value = Atomic(false)

    /// Whether the launch has completed, timed out or been abandoned.
    package var isReached: Bool { value.load(ordering: .relaxed) }

    func reach() { value.store(true, ordering: .relaxed) }
}
