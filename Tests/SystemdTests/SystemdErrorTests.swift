import Glibc
import Testing

@testable import Systemd

@Suite struct SystemdErrorTests {
    @Test(arguments: [
        (SystemdError.Operation.notify, "$NOTIFY_SOCKET"), (.readWatchdog, "$WATCHDOG_USEC"),
        (.adoptSockets, "$LISTEN_FDS"), (.useListener(name: "varlink"), "\"varlink\""),
    ])
    func `a failure says what failed, where, why and what to do`(
        operation: SystemdError.Operation, place: String
    ) {
        let sentence = SystemdError(operation: operation, errno: EACCES).description
        #expect(sentence.contains(place))
        #expect(sentence.contains("Permission denied"))
        #expect(sentence.contains("; "))
    }
}
