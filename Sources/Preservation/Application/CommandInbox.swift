import StateRestoration
import Synchronization

/// Queue of commands that are waiting for one of an application's turns (P14).
///
/// Commands can be added from any thread, and their order is preserved. ``wake()`` resumes the task that runs turns.
/// However many commands are added, the task is resumed only once, on its own executor and after the jobs that are
/// already queued there. Commands that arrive in the same iteration of an event loop therefore share a turn, without a
/// thread switch.
final class CommandInbox: Sendable {
    typealias Queue = TurnQueue<SceneCommand, RestorationIdentifier>

    private struct State {
        var queue = Queue()
        var refusalError: ApplicationError?
        var isTurnDue = false
        var isFinished = false
        var isClaimed = false
        var waitingContinuation: CheckedContinuation<Void, Never>?

        /// Marks a turn as due.
        ///
        /// - Returns: The continuation that the caller must resume, or `nil` if no task is waiting.
        mutating func markDue() -> CheckedContinuation<Void, Never>? {
            isTurnDue = true
            return waitingContinuation.take()
        }
    }

    /// Bundle identifier of the application.
    let bundleIdentifier: String
    private let state: Mutex<State>

    /// Creates an inbox that refuses commands until the application is running.
    ///
    /// - Parameter bundleIdentifier: The bundle identifier of the application.
    init(bundleIdentifier: String) {
        self.bundleIdentifier = bundleIdentifier
        state = Mutex(State(refusalError: .notRunning(application: bundleIdentifier)))
    }

    /// Error with which new commands are refused, or `nil` if new commands are accepted.
    var refusalError: ApplicationError? {
        get { state.withLock { $0.refusalError } }
        set { state.withLock { $0.refusalError = newValue } }
    }

    /// Queues a command for a turn, or refuses it.
    ///
    /// If the command was queued, the caller must wake the task that runs turns.
    ///
    /// - Returns: Whether the command was queued.
    func append(_ command: SceneCommand) -> Bool {
        let refusalError = state.withLock { state -> ApplicationError? in
            // Checked under the lock, because a command added after the application has stopped would never run.
            if let refusalError = state.refusalError { return refusalError }
            guard state.queue.hasRoom else {
                return .tooManyCommands(
                    application: bundleIdentifier, limit: Queue.maximumWaitingCommands)
            }
            state.queue.append(command)
            return nil
        }
        if let refusalError { command.refuse(refusalError) }
        return refusalError == nil
    }

    /// Calls a closure with exclusive access to the queue.
    func withQueue<Result: Sendable>(_ body: (inout Queue) -> Result) -> Result {
        state.withLock { body(&$0.queue) }
    }

    /// Wakes the task that runs turns, because there may be work for a turn.
    func wake() {
        state.withLock { $0.markDue() }?.resume()
    }

    /// Finishes the inbox. No further turns run.
    func finish() {
        let waitingContinuation = state.withLock { state in
            state.isFinished = true
            return state.waitingContinuation.take()
        }
        waitingContinuation?.resume()
    }

    /// Claims the inbox for the task that runs turns.
    ///
    /// - Returns: Whether the claim succeeded. Only the first claim succeeds.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    /// Waits until there may be work for a turn. Only one task may call this method (see ``claim()``).
    ///
    /// - Returns: Whether another turn may run, or `false` after ``finish()``.
    func waitForTurn() async -> Bool {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isTurnDue || state.isFinished { return true }
                state.waitingContinuation = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            state.isTurnDue = false
            return !state.isFinished
        }
    }
}
