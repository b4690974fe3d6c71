import StateRestoration
import Synchronization

/// Commands that wait for turns of an application, and the wake-up of the task that runs the turns (P14).
///
/// Commands can be added from any thread and keep their order. Any number of commands resumes the task once,
/// on the task's own executor and after the jobs that already wait there. Commands that arrive in the same
/// iteration of an event loop therefore share a turn, and no thread switch is needed.
final class TurnSchedule: Sendable {
    typealias Queue = TurnQueue<SceneCommand, RestorationIdentifier>

    private struct State {
        var queue = Queue()
        var refusal: ApplicationError?
        var isDue = false
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?

        /// Marks a turn as due.
        ///
        /// - Returns: The continuation to resume for the turn, or `nil` if no task is waiting.
        mutating func call() -> CheckedContinuation<Void, Never>? {
            isDue = true
            return waiting.take()
        }
    }

    /// Bundle identifier of the application.
    let application: String
    private let state: Mutex<State>

    /// Creates a schedule that refuses commands, because the application is not running yet.
    ///
    /// - Parameter application: Bundle identifier of the application.
    init(application: String) {
        self.application = application
        state = Mutex(State(refusal: .notRunning(application: application)))
    }

    /// Error with which new commands are refused, or `nil` if they are accepted.
    var refusal: ApplicationError? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// Queues a command for a turn, or refuses it. The caller must schedule the turn.
    ///
    /// - Returns: Whether the command was queued.
    func append(_ command: SceneCommand) -> Bool {
        let refusal = state.withLock { state -> ApplicationError? in
            // Checked under the lock, because nothing would consume a command that is added after the
            // application has stopped.
            if let refusal = state.refusal { return refusal }
            guard state.queue.hasRoom else {
                return .tooManyCommands(application: application, limit: Queue.maximumWaiting)
            }
            state.queue.append(command)
            return nil
        }
        if let refusal { command.refuse(refusal) }
        return refusal == nil
    }

    /// Calls a function with exclusive access to the queue.
    func withQueue<Result: Sendable>(_ body: (inout Queue) -> Result) -> Result {
        state.withLock { body(&$0.queue) }
    }

    /// Wakes the task, because a turn may have something to do.
    func wake() {
        state.withLock { $0.call() }?.resume()
    }

    /// Stops the schedule: no more turns are run.
    func finish() {
        let waiting = state.withLock { state in
            state.isOver = true
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits until a turn may have something to do. Only one task may call it.
    ///
    /// - Returns: Whether more turns are run.
    func next() async -> Bool {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isDue || state.isOver { return true }
                state.waiting = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            state.isDue = false
            return !state.isOver
        }
    }
}
