import Synchronization

/// A queue that sends notifications to the service manager in order, on its own thread.
///
/// `sd_notify(3)` can block indefinitely if the manager does not read its messages. In that case, only the queue's
/// thread blocks, and up to ``maximumPendingMessages`` messages accumulate in the queue.
package final class ServiceNotificationQueue: Sendable {
    /// Maximum number of queued messages.
    ///
    /// If there are more, the queue drops the oldest message that a later message can supersede, such as a status. If
    /// there is no such message, it drops the oldest message of all.
    package static let maximumPendingMessages = 64

    /// Closure that sends notifications in one datagram.
    package typealias Send = @Sendable ([ServiceNotification]) throws(SystemdError) -> Void

    private let thread: SendingThread<[ServiceNotification]>
    /// Whether ``ServiceNotification/stopping`` has been queued.
    private let isStopping = Mutex(false)

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - send: A closure that sends notifications to the service manager. Only tests replace it.
    ///   - onFailure: A closure that is called on the queue's thread with the reason why a message could not be sent.
    ///     It is not called again with the same reason until a message has been sent, so that a broken socket does not
    ///     fill the log.
    package init(
        send: @escaping Send = { messages throws(SystemdError) in
            try ServiceManagerConnection.send(messages)
        }, onFailure: @escaping @Sendable (SystemdError) -> Void
    ) {
        let lastFailure = Mutex<SystemdError?>(nil)
        thread = SendingThread(label: "Notifications") { notifications in
            let failure: SystemdError?
            do throws(SystemdError) {
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

    /// Queues notifications to be sent in one datagram after all earlier messages.
    ///
    /// This method returns before the notifications have been sent.
    ///
    /// After ``ServiceNotification/stopping``, a message that contains only a status is dropped, because the status may
    /// be out of date.
    package func send(_ notifications: ServiceNotification...) {
        isStopping.withLock { isStopping in
            if isStopping, notifications.containsOnlyStatus { return }
            if notifications.contains(.stopping) { isStopping = true }
            thread.updateQueue { waitingMessages in
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

    /// Whether a later message can supersede these notifications.
    fileprivate var isSupersedable: Bool {
        allSatisfy { notification in
            switch notification {
            case .status, .extendTimeout, .watchdog: true
            case .ready, .stopping, .reloading, .errno: false
            }
        }
    }
}
