import Glibc
import Testing

@testable import Systemd

/// `$NOTIFY_SOCKET` belongs to the whole process, so each test runs in its own process.
@Suite struct ServiceManagerConnectionTests {
    @Test func `without a service manager nothing is sent and nothing fails`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            try #expect(!ServiceManagerConnection.send([.ready]))
        }
    }

    @Test func `notifications of one call arrive in one datagram`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            try #expect(ServiceManagerConnection.send([.ready, .status("one\ntwo")]))
            #expect(manager.received() == "READY=1\nSTATUS=one two")
            #expect(manager.received() == nil)
        }
    }

    @Test func `a notification socket with a path is supported`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket(address: "/tmp/reprise-test-\(getpid()).notify")
            setenv("NOTIFY_SOCKET", manager.address, 1)
            try #expect(ServiceManagerConnection.send([.stopping]))
            #expect(manager.received() == "STOPPING=1")
        }
    }

    @Test func `NOTIFY_SOCKET stays set for later notifications`() async {
        await #expect(processExitsWith: .success) {
            let manager = try NotifySocket.forThisProcess()
            try ServiceManagerConnection.send([.ready])
            try ServiceManagerConnection.send([.watchdog])
            #expect(manager.received() == "READY=1")
            #expect(manager.received() == "WATCHDOG=1")
        }
    }

    @Test func `the timestamp of RELOADING is the time of the call`() async {
        await #expect(processExitsWith: .success) {
            func now() -> UInt64 {
                var time = timespec()
                clock_gettime(CLOCK_MONOTONIC, &time)
                return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
            }
            let manager = try NotifySocket.forThisProcess()
            let before = now()
            try ServiceManagerConnection.send([.reloading])
            let after = now()
            let datagram = manager.received()
            let lines = try #require(datagram).split(separator: "\n")
            #expect(lines.first == "RELOADING=1")
            let stamp = try #require(lines.last?.split(separator: "=").last.flatMap { UInt64($0) })
            #expect((before...after).contains(stamp))
        }
    }

    @Test func `a missing manager is a failure with its error number`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            #expect(throws: SystemdError(operation: .notify, errno: ENOENT)) {
                try ServiceManagerConnection.send([.ready])
            }
        }
    }
}
