import Synchronization

/// A queue that sends notifications to the service manager in order, on its own thread.
///
/// If the manager does not read its messages, `sd_notify(3)` can block indefinitely. In this case, only the queue's
/// thread blocks, and the newest ``maximumPendingMessages`` messages wait in the queue.
package final class ServiceNotificationQueue: Sendable {
    /// Maximum number of messages waiting to be sent.
    ///
    /// Above this number, the queue drops the oldest message that a later message can replace, such as a status. If
    /// there is no such message, the queue drops the oldest message.
    package static let maximumPendingMessages = 64

    /// Closure that sends notifications in one datagram.
    package typealias Send = @Sendable ([ServiceNotification]) throws(SystemdFailure) -> Void

    private let thread: SendingThread<[ServiceNotification]>
    /// Whether ``ServiceNotification/stopping`` has been queued.
    private let isStopping = Mutex(false)

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - send: A closure that sends notifications to the service manager. Only tests replace it.
    ///   - onFailure: A closure that receives, on the queue's thread, the reason why a message could not be sent. It is
    ///     not called again with the same reason until a message has been sent. A daemon with a broken socket therefore
    ///     does not fill its log.
    package init(
        send: @escaping Send = { messages throws(SystemdFailure) in
            try Notifier.send(messages)
        }, onFailure: @escaping @Sendable (SystemdFailure) -> Void
    ) {
        let lastFailure = Mutex<SystemdFailure?>(nil)
        thread = SendingThread(label: "Notifications") { notifications in
            let failure: SystemdFailure?
            do throws(SystemdFailure) {
                try send(notifications)
                failure = nil
            } catch {
                failure = error
            }
            let isNewFailure = lastFailure.withLock { lastFailure in
                defer { lastFailure = failure }
                return lastFailure != failure
            }
            if let failure, isNewFailure { onFailure(failure) }
        }
    }

    /// Queues notifications, which are sent in one datagram after earlier messages.
    ///
    /// This method does not wait until the notifications have been sent.
    ///
    /// After ``ServiceNotification/stopping``, a message that contains only a status is not sent, because the status
    /// might be outdated.
    package func send(_ notifications: ServiceNotification...) {
        isStopping.withLock { isStopping in
            if isStopping, notifications.containsOnlyStatus { return }
            if notifications.contains(.stopping) { isStopping = true }
            thread.changeWaitingMessages { waitingMessages in
                waitingMessages.append(notifications)
                if waitingMessages.count > Self.maximumPendingMessages {
                    waitingMessages.remove(
                        at: waitingMessages.firstIndex(where: \.isSupersedable)
                            ?? waitingMessages.startIndex)
                }
            }
        }
    }

    /// Waits until all messages queued so far have been sent, or until a timeout expires.
    ///
    /// - Returns: `false` if the timeout expired first.
    @discardableResult
    package func flush(within timeout: Duration) -> Bool { thread.flush(within: timeout) }
}

extension [ServiceNotification] {
    /// Whether the notifications contain only a status.
    fileprivate var containsOnlyStatus: Bool {
        allSatisfy { if case .status = $0 { true } else { false } }
    }

    /// Whether a later message can replace these notifications.
    fileprivate var isSupersedable: Bool {
        allSatisfy { notification in
            switch notification {
            case .status, .extendTimeout, .watchdog: true
            case .ready, .stopping, .reloading, .errno: false
            }
        }
    }
}
