import StateRestoration
import Synchronization

/// The commands that wait for turns of an application, and what wakes the task that makes the turns
/// (P14).
///
/// Commands come from any thread and stay in their order. The task is resumed once however many
/// come, and on its own executor, behind what that has to do already: what comes in the same round
/// of an event loop shares a turn, and nothing there changes the thread.
final class TurnSchedule: Sendable {
    typealias Queue = TurnQueue<SceneCommand, RestorationIdentifier>

    private struct State {
        var queue = Queue()
        var refusal: ApplicationError?
        var isDue = false
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?

        /// A turn is due.
        ///
        /// - Returns: the task to resume for it.
        mutating func call() -> CheckedContinuation<Void, Never>? {
            isDue = true
            return waiting.take()
        }
    }

    private let application: String
    private let state: Mutex<State>

    /// Refuses commands at first, because the application is not running.
    ///
    /// - Parameter application: the bundle identifier.
    init(application: String) {
        self.application = application
        state = Mutex(State(refusal: .notRunning(application: application)))
    }

    /// Why commands that come now are refused; nil: they are taken.
    var refusal: ApplicationError? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// A command waits for its turn, unless it is refused. Whoever calls sees to it that a turn is made.
    ///
    /// - Returns: whether it waits.
    func append(_ command: SceneCommand) -> Bool {
        let refusal = state.withLock { state -> ApplicationError? in
            // Looked at under the lock: after the application has ended nobody would take it.
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

    /// Looks at the commands that wait, or takes some out.
    func withQueue<Result: Sendable>(_ body: (inout Queue) -> Result) -> Result {
        state.withLock { body(&$0.queue) }
    }

    /// A turn may have something to do.
    func wake() {
        state.withLock { $0.call() }?.resume()
    }

    /// No more turns are made.
    func finish() {
        let waiting = state.withLock { state in
            state.isOver = true
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Returns when a turn may have something to do; for one task alone.
    ///
    /// - Returns: false when no more turns are made.
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
