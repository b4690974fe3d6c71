import Testing

@testable import reprisectl

/// Time for which an escape character waits.
@Suite struct EscapeDelayTests {
    @Test func `the escape delay is longer for a remote terminal`() {
        #expect(EscapeDelay.delay(in: [:]) == EscapeDelay.localTerminal)
        #expect(EscapeDelay.delay(in: ["SSH_CONNECTION": ""]) == EscapeDelay.localTerminal)
        for name in ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] {
            #expect(
                EscapeDelay.delay(in: [name: "192.0.2.1 1 192.0.2.2 22"])
                    == EscapeDelay.remoteTerminal)
        }
        #expect(EscapeDelay.localTerminal < EscapeDelay.remoteTerminal)
    }

    @Test func `ESCDELAY sets the delay in milliseconds, and invalid values are ignored`() {
        #expect(EscapeDelay.delay(in: ["ESCDELAY": "25"]) == .milliseconds(25))
        #expect(
            EscapeDelay.delay(in: ["ESCDELAY": "1000", "SSH_TTY": "/dev/pts/1"]) == .seconds(1))
        #expect(EscapeDelay.delay(in: ["ESCDELAY": "0"]) == .zero)
        for text in ["", "-1", "30001", "1s", "0.5", "99999999999999999999"] {
            #expect(EscapeDelay.delay(in: ["ESCDELAY": text]) == EscapeDelay.localTerminal)
        }
    }
}
