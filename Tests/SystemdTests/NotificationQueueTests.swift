import Glibc
import Synchronization
import Systemd
import Testing

/// What is told to a manager that may not read it; each in a process of its own.
@Suite(.timeLimit(.minutes(1))) struct NotificationQueueTests {
    @Test func `what is told arrives in its order, each call in one datagram`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let queue = NotificationQueue { _ in }
            queue.send(.ready, .status("one"))
            queue.send(.stopping)
            #expect(queue.flush(within: .seconds(30)))
            #expect(manager.received() == "READY=1\nSTATUS=one")
            #expect(manager.received() == "STOPPING=1")
            #expect(manager.received() == nil)
        }
    }

    @Test func `a manager that does not read holds nobody up, and is told what matters`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            let filled = try manager.fill()
            let queue = NotificationQueue { _ in }
            queue.send(.ready)
            #expect(!queue.flush(within: .milliseconds(1)))
            for number in 1...1000 { queue.send(.status("\(number)")) }
            queue.send(.stopping)
            var told: [String] = []
            for _ in 0..<filled { _ = manager.received() }
            while !queue.flush(within: .zero) {
                while let message = manager.received() { told.append(message) }
            }
            while let message = manager.received() { told.append(message) }
            #expect(told.first == "READY=1")
            #expect(Array(told.suffix(2)) == ["STATUS=1000", "STOPPING=1"])
            // The one that was being sent, and those that waited.
            #expect(told.count <= NotificationQueue.mostWaiting + 1)
        }
    }

    @Test func `why a message could not be sent is told`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            let failures = Mutex<[SystemdFailure]>([])
            let queue = NotificationQueue { failure in failures.withLock { $0.append(failure) } }
            queue.send(.ready)
            queue.flush(within: .seconds(30))
            #expect(failures.withLock { $0 } == [SystemdFailure(operation: .notify, errno: ENOENT)])
        }
    }
}
