import Dispatch
import Synchronization

/// Tells the service manager on a thread of its own, in order.
///
/// A manager that does not read what it is sent makes `sd_notify(3)` wait for as long as it likes.
/// Here only that thread waits, and the newest ``mostWaiting`` messages with it.
package final class NotificationQueue: Sendable {
    private struct State {
        var waiting: [[Notification]] = []
        /// Whether the thread sends, or is about to.
        var isSending = false
        /// Whether the manager was told that shutting down has begun.
        var isStopping = false
    }

    /// The most messages that wait to be sent. Beyond them the oldest is given up that only tells
    /// how the service is; if there is none, the oldest.
    package static let mostWaiting = 64

    /// Sends notifications in one datagram.
    package typealias Send = @Sendable ([Notification]) throws(SystemdFailure) -> Void

    private let sendOne: Send
    private let thread = DispatchQueue(label: "Notifications")
    private let state = Mutex(State())
    private let onFailure: @Sendable (SystemdFailure) -> Void

    /// - Parameters:
    ///   - send: sends to the service manager; another one only in tests.
    ///   - onFailure: told on the queue's thread why a message could not be sent.
    package init(
        send: @escaping Send = { messages throws(SystemdFailure) in
            try Notifier.send(messages)
        }, onFailure: @escaping @Sendable (SystemdFailure) -> Void
    ) {
        sendOne = send
        self.onFailure = onFailure
    }

    /// Sends the notifications in one datagram, after those before; does not wait for it.
    ///
    /// A status alone is not sent any more once ``Notification/stopping`` was: it may have been
    /// made up before.
    package func send(_ notifications: Notification...) {
        let isFirst = state.withLock { state in
            if state.isStopping, notifications.isStatus { return false }
            if notifications.contains(.stopping) { state.isStopping = true }
            state.waiting.append(notifications)
            if state.waiting.count > Self.mostWaiting {
                state.waiting.remove(at: state.waiting.firstIndex(where: \.isPassing) ?? 0)
            }
            defer { state.isSending = true }
            return !state.isSending
        }
        if isFirst { thread.async { self.sendAll() } }
    }

    /// Returns when all that was sent so far has left the process, or after a time.
    ///
    /// - Returns: false if the time was over first.
    @discardableResult
    package func flush(within time: Duration) -> Bool {
        let end = DispatchSemaphore(value: 0)
        thread.async { end.signal() }
        let milliseconds = time / .milliseconds(1)
        return end.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success
    }

    private func sendAll() {
        while let next = takeNext() {
            do throws(SystemdFailure) {
                try sendOne(next)
            } catch {
                onFailure(error)
            }
        }
    }

    private func takeNext() -> [Notification]? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isSending = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}

extension [Notification] {
    /// Whether this only tells what the service is doing.
    fileprivate var isStatus: Bool {
        allSatisfy { if case .status = $0 { true } else { false } }
    }

    /// Whether a later message makes this one needless.
    fileprivate var isPassing: Bool {
        allSatisfy { notification in
            switch notification {
            case .status, .extendTimeout, .watchdog: true
            case .ready, .stopping, .reloading, .errno: false
            }
        }
    }
}
