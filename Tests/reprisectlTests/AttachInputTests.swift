import SystemPackage
import Testing

@testable import reprisectl

@Suite struct AttachInputTests {
    @Test func `the client leaves when its terminal is gone`() throws {
        let terminal = try FileDescriptor.pipe()
        try terminal.readEnd.closeAfter {
            let input = AttachInput(
                besides: try AttachFeed(), from: terminal.readEnd, escapeDelay: .seconds(300))
            try terminal.writeEnd.closeAfter {
                try terminal.writeEnd.writeAll("a".utf8)
                try input.wait(until: nil)
                #expect(!input.isLeaving)
            }
            try input.wait(until: nil)
            #expect(input.isLeaving)
        }
    }
}
