import Testing

@testable import Systemd

@Suite struct ServiceNotificationTests {
    private func encode(_ notifications: ServiceNotification...) -> String {
        ServiceNotification.encode(notifications, monotonicMicroseconds: 1_234)
    }

    @Test func `each notification is encoded as an sd_notify assignment`() {
        #expect(encode(.ready) == "READY=1")
        #expect(encode(.stopping) == "STOPPING=1")
        #expect(encode(.watchdog) == "WATCHDOG=1")
        #expect(encode(.status("two scenes")) == "STATUS=two scenes")
        #expect(encode(.errno(28)) == "ERRNO=28")
    }

    @Test func `RELOADING contains a monotonic timestamp`() {
        #expect(encode(.reloading) == "RELOADING=1\nMONOTONIC_USEC=1234")
    }

    @Test func `several notifications are lines of one datagram`() {
        #expect(encode(.ready, .status("up"), .watchdog) == "READY=1\nSTATUS=up\nWATCHDOG=1")
    }

    @Test(arguments: ["a\nREADY=1", "a\r\nREADY=1", "a\u{0}READY=1", "a\u{85}READY=1"])
    func `a status cannot inject a second assignment`(sentence: String) {
        let lines = encode(.status(sentence)).split(whereSeparator: \.isNewline)
        #expect(lines.count == 1)
        #expect(encode(.status(sentence)).hasSuffix("READY=1"))
        #expect(!encode(.status(sentence)).unicodeScalars.contains("\u{0}"))
    }

    @Test func `a long status is truncated at a scalar and marked`() {
        let status = encode(.status(String(repeating: "ö", count: 4_000)))
        #expect(status.hasSuffix("ö…"))
        #expect(status.utf8.count <= "STATUS=".utf8.count + ServiceNotification.maximumStatusBytes)
        #expect(status.utf8.count > ServiceNotification.maximumStatusBytes - 4)
    }

    @Test(arguments: [
        (Duration.seconds(90), "90000000"), (.milliseconds(-5), "0"), (.zero, "0"),
        (.microseconds(7), "7"),
        (.seconds(Int64.max), "18446744073709551615"),
    ])
    func `a time extension is in whole microseconds and never negative`(
        duration: Duration, microseconds: String
    ) {
        #expect(encode(.extendTimeout(duration)) == "EXTEND_TIMEOUT_USEC=\(microseconds)")
    }
}
