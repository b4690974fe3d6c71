import SystemPackage
import Testing

@testable import reprisectl

@Suite struct AttachInputTests {
    @Test func `the client exits when its terminal is closed`() throws {
        let terminal = try FileDescriptor.pipe()
        try terminal.readEnd.closeAfter {
            let input = AttachInput(
                watching: try AttachFeed(), from: terminal.readEnd, escapeDelay: .seconds(300))
            try terminal.writeEnd.closeAfter {
                try terminal.writeEnd.writeAll("a".utf8)
                try input.wait(until: nil)
                #expect(!input.shouldExit)
            }
            try input.wait(until: nil)
            #expect(input.shouldExit)
        }
    }

    @Test func `without input, the client waits until the deadline`() throws {
        let terminal = try FileDescriptor.pipe()
        try terminal.readEnd.closeAfter {
            try terminal.writeEnd.closeAfter {
                let input = AttachInput(
                    watching: try AttachFeed(), from: terminal.readEnd, escapeDelay: .seconds(300))
                let end = ContinuousClock.now + .milliseconds(20)
                try input.wait(until: end)
                #expect(ContinuousClock.now >= end)
                // A deadline in the past does not wait.
                try input.wait(until: end)
                #expect(input.next() == nil)
            }
        }
    }
}
