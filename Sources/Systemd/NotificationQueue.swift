import Synchronization

/// Tells the service manager on a thread of its own, in order.
///
/// A manager that does not read what it is sent makes `sd_notify(3)` wait for as long as it likes.
/// Here only that thread waits, and the newest ``mostWaiting`` messages with it.
package final class NotificationQueue: Sendable {
    /// The most messages that wait to be sent. Beyond them the oldest is given up that only tells
    /// how the service is; if there is none, the oldest.
    package static let mostWaiting = 64

    /// Sends notifications in one datagram.
    package typealias Send = @Sendable ([Notification]) throws(SystemdFailure) -> Void

    private let thread: SendingThread<[Notification]>
    /// Whether ``Notification/stopping`` was sent.
    private let isStopping = Mutex(false)

    /// - Parameters:
    ///   - send: sends to the service manager; another one only in tests.
    ///   - onFailure: Called on the queue's thread with the reason why a message could not be sent. A reason that was
    ///     passed is not passed again until a message has been sent, so that a daemon with a broken socket does not fill
    ///     its log.
    package init(
        send: @escaping Send = { messages throws(SystemdFailure) in
            try Notifier.send(messages)
        }, onFailure: @escaping @Sendable (SystemdFailure) -> Void
    ) {
        let last = Mutex<SystemdFailure?>(nil)
        thread = SendingThread(label: "Notifications") { notifications in
            let failure: SystemdFailure?
            do throws(SystemdFailure) {
                try send(notifications)
                failure = nil
            } catch {
                failure = error
            }
            let isNew = last.withLock { last in
                defer { last = failure }
                return last != failure
            }
            if let failure, isNew { onFailure(failure) }
        }
    }

    /// Sends the notifications in one datagram, after those before; does not wait for it.
    ///
    /// A status alone is not sent any more once ``Notification/stopping`` was: it may have been
    /// made up before.
    package func send(_ notifications: Notification...) {
        isStopping.withLock { isStopping in
            if isStopping, notifications.isStatus { return }
            if notifications.contains(.stopping) { isStopping = true }
            thread.change { waiting in
                waiting.append(notifications)
                if waiting.count > Self.mostWaiting {
                    waiting.remove(
                        at: waiting.firstIndex(where: \.isPassing) ?? waiting.startIndex)
                }
            }
        }
    }

    /// Returns when all that was sent so far has left the process, or after a time.
    ///
    /// - Returns: false if the time was over first.
    @discardableResult
    package func flush(within time: Duration) -> Bool { thread.flush(within: time) }
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
