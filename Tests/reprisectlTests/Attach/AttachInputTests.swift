import Glibc
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
            // An error number that remains from an earlier call has no effect.
            errno = EAGAIN
            try input.wait(until: nil)
            #expect(input.shouldExit)
        }
    }

    @Test func `the client exits when its terminal can no longer be read`() throws {
        let directory = try FileDescriptor.open("/", .readOnly)
        try directory.closeAfter {
            let input = AttachInput(
                watching: try AttachFeed(), from: directory, escapeDelay: .seconds(300))
            try input.wait(until: nil)
            #expect(input.shouldExit)
        }
    }

    @Test func `an escape character counts as the Escape key if nothing follows within the delay`()
        throws
    {
        let terminal = try FileDescriptor.pipe()
        try terminal.readEnd.closeAfter {
            try terminal.writeEnd.closeAfter {
                let input = AttachInput(
                    watching: try AttachFeed(), from: terminal.readEnd,
                    escapeDelay: .milliseconds(20))
                try terminal.writeEnd.writeAll([0x1B])
                try input.wait(until: nil)
                #expect(input.next() == nil)
                try input.wait(until: nil)
                #expect(input.next() == .escape)
            }
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
