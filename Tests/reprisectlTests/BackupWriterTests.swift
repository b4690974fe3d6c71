import FoundationEssentials
import Glibc
import LinuxIO
import RepriseControl
import TestSupport
import Testing

@testable import reprisectl

/// Writer for the files of a backup.
@Suite struct BackupWriterTests {
    /// Returns the paths that open descriptors of this process refer to.
    private func openPaths() throws -> [String] {
        try #require(try Directory.open("/proc/self/fd")).names().compactMap { number in
            // A descriptor of another test may have been closed.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
    }

    @Test func `a discarded backup leaves no directory and no open file`() throws {
        let scratch = try ScratchFolder()
        let parent = try #require(try Directory.open(scratch.path))
        let writer = try BackupWriter("backup.partial", in: parent)
        let data = "\(scratch.path)/backup.partial/Documents/org.example.A/text"
        var part = BackupCall.Reply()
        part.path = "Documents/org.example.A/text"
        part.data = Data("ab".utf8).base64EncodedString()
        part.bytes = 4
        try writer.write(part)
        #expect(try openPaths().contains(data))
        // On NFS, a directory cannot be removed while a removed file in it is open.
        writer.discard()
        #expect(try parent.names().isEmpty)
        #expect(try !openPaths().contains { $0.hasPrefix(data) })
    }
}
