import Glibc
import Testing

@testable import Systemd

@Suite struct WatchdogTests {
    @Test func `without a watchdog there is no period`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_USEC")
            try #expect(Watchdog.timeout == nil)
        }
    }

    @Test func `the period comes from WATCHDOG_USEC`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            try #expect(Watchdog.timeout == .seconds(30))
        }
    }

    @Test func `a watchdog for another process is ignored`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "\(getppid())", 1)
            try #expect(Watchdog.timeout == nil)
        }
    }

    @Test func `a malformed period is a failure, not a missing watchdog`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_PID")
            setenv("WATCHDOG_USEC", "soon", 1)
            #expect(throws: SystemdError(operation: .readWatchdog, errno: EINVAL)) {
                try Watchdog.timeout
            }
        }
    }
}
