import Glibc
import Synchronization
import Testing

@testable import Systemd

/// Notifications to a manager that might not read them. Each test runs in its own process.
@Suite(.timeLimit(.minutes(10))) struct ServiceNotificationQueueTests {
    @Test func `notifications arrive in order, one datagram per call`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let queue = ServiceNotificationQueue { _ in }
            queue.send(.ready, .status("one"))
            queue.send(.stopping)
            #expect(queue.flush(within: .seconds(30)))
            #expect(manager.received() == "READY=1\nSTATUS=one")
            #expect(manager.received() == "STOPPING=1")
            #expect(manager.received() == nil)
        }
    }

    @Test func `repeated failures are reported once until a message is sent`() {
        let refused = SystemdError(operation: .notify, errno: ECONNREFUSED)
        let denied = SystemdError(operation: .notify, errno: EACCES)
        let outcomes = Mutex<[SystemdError?]>([refused, refused, denied, denied, nil, denied])
        let reportedFailures = Mutex<[SystemdError]>([])
        let queue = ServiceNotificationQueue { _ throws(SystemdError) in
            if let failure = outcomes.withLock({ $0.removeFirst() }) { throw failure }
        } onFailure: { failure in
            reportedFailures.withLock { $0.append(failure) }
        }
        for _ in 0..<6 {
            queue.send(.watchdog)
            #expect(queue.flush(within: .seconds(30)))
        }
        #expect(reportedFailures.withLock(\.self) == [refused, denied, denied])
    }

    @Test
    func `a manager that does not read blocks no sender and gets the essential messages later`()
        async
    {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let filled = try manager.fill()
            let queue = ServiceNotificationQueue { _ in }
            queue.send(.ready)
            #expect(!queue.flush(within: .milliseconds(1)))
            for number in 1...1000 { queue.send(.status("\(number)")) }
            queue.send(.stopping)
            for _ in 0..<filled { _ = manager.received() }
            let messages = Self.received(by: manager, from: queue)
            #expect(messages.first == "READY=1")
            #expect(Array(messages.suffix(2)) == ["STATUS=1000", "STOPPING=1"])
            // The messages are the message that was being sent, and the waiting messages.
            #expect(messages.count <= ServiceNotificationQueue.maximumPendingMessages + 1)
        }
    }

    @Test func `essential messages are retained regardless of how many follow`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let filled = try manager.fill()
            let queue = ServiceNotificationQueue { _ in }
            // The thread is sending this message when the others are queued.
            queue.send(.status("first"))
            queue.send(.ready, .status("up"))
            for number in 1...1000 { queue.send(.status("\(number)")) }
            for _ in 0..<filled { _ = manager.received() }
            let messages = Self.received(by: manager, from: queue)
            #expect(messages.contains("READY=1\nSTATUS=up"))
            #expect(messages.last == "STATUS=1000")
        }
    }

    @Test func `if all pending messages are essential, the oldest are dropped`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let filled = try manager.fill()
            let queue = ServiceNotificationQueue { _ in }
            for number in 1...1000 { queue.send(.errno(CInt(number))) }
            for _ in 0..<filled { _ = manager.received() }
            let messages = Self.received(by: manager, from: queue)
            let newest = (1...1000).suffix(ServiceNotificationQueue.maximumPendingMessages).map {
                "ERRNO=\($0)"
            }
            #expect(
                Array(messages.suffix(ServiceNotificationQueue.maximumPendingMessages)) == newest)
            #expect(messages.count <= ServiceNotificationQueue.maximumPendingMessages + 1)
        }
    }

    /// Returns the messages that the manager receives until the queue is empty.
    private static func received(
        by manager: borrowing NotifySocket, from queue: ServiceNotificationQueue
    ) -> [String] {
        var messages: [String] = []
        while !queue.flush(within: .zero) {
            while let message = manager.received() { messages.append(message) }
        }
        while let message = manager.received() { messages.append(message) }
        return messages
    }

    @Test func `a status alone is not sent after STOPPING`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let queue = ServiceNotificationQueue { _ in }
            queue.send(.status("up"))
            queue.send(.status("saving"), .stopping)
            queue.send(.status("up"))
            queue.send(.status("failed"), .errno(5))
            #expect(queue.flush(within: .seconds(30)))
            #expect(manager.received() == "STATUS=up")
            #expect(manager.received() == "STATUS=saving\nSTOPPING=1")
            #expect(manager.received() == "STATUS=failed\nERRNO=5")
            #expect(manager.received() == nil)
        }
    }

    @Test func `the reason for an unsent message is reported`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            let failures = Mutex<[SystemdError]>([])
            let queue = ServiceNotificationQueue { failure in
                failures.withLock { $0.append(failure) }
            }
            queue.send(.ready)
            queue.flush(within: .seconds(30))
            #expect(failures.withLock { $0 } == [SystemdError(operation: .notify, errno: ENOENT)])
        }
    }
}
