import Encryption
import FoundationEssentials
import Glibc
import LinuxIO
import RepriseControl
import SavedState
import TestSupport
import Testing
import Varlink

@testable import reprisectl

/// Writer for the files of a backup.
@Suite struct BackupWriterTests {
    /// Returns the paths that open descriptors of this process refer to.
    private func openPaths() throws -> [String] {
        try #require(try Directory.open("/proc/self/fd")).names().compactMap { number in
            // Another test may have closed its descriptor.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
    }

    @Test func `a discarded backup leaves no directory and no open file`() throws {
        let scratch = try ScratchDirectory()
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

    private static let archive = "Saved Application State/org.example.A.savedState/data.archive"
    private static let document = "Documents/org.example.A/text"

    private func part(
        _ path: String?, _ text: String, at offset: Int = 0, of size: Int
    ) -> BackupCall.Reply {
        .with {
            ($0.path, $0.bytes, $0.offset) = (path, size, offset)
            $0.data = Data(text.utf8).base64EncodedString()
        }
    }

    @Test func `files are assembled from their parts and have valid checksums`() throws {
        let scratch = try ScratchDirectory()
        let parent = try #require(try Directory.open(scratch.path))
        let writer = try BackupWriter("backup.partial", in: parent)
        try writer.write(part(Self.archive, "ab", of: 5))
        try writer.write(part(Self.archive, "cde", at: 2, of: 5))
        try writer.write(part(Self.document, "", of: 0))
        #expect(writer.byteCount == 5)
        try writer.finish(as: "backup")
        #expect(try parent.names() == ["backup"])
        #expect(try parent.read("backup/\(Self.archive)", limit: 99) == Array("abcde".utf8))
        #expect(try parent.read("backup/\(Self.document)", limit: 99) == [])
        let backup = try SavedBackup("\(scratch.path)/backup", keys: .none)
        #expect(backup.files.count == 2)
        #expect(try backup.files.map { try backup.read($0).count } == [5, 0])
    }

    @Test(arguments: 0..<9)
    func `a part that is out of order is refused`(number: Int) throws {
        let scratch = try ScratchDirectory()
        let parent = try #require(try Directory.open(scratch.path))
        let writer = try BackupWriter("backup.partial", in: parent)
        if number > 3 { try writer.write(part(Self.archive, "ab", of: 5)) }
        var undecodable = part(Self.archive, "", of: 1)
        undecodable.data = "?"
        let wrong = [
            part(nil, "a", of: 1), undecodable, part(Self.archive, "a", at: 1, of: 2),
            part("Documents/../text", "a", of: 1),
            // The first two of five bytes have been written.
            part(Self.archive, "cd", at: 1, of: 5), part(Self.archive, "cd", at: 3, of: 5),
            part(Self.archive, "cdef", at: 2, of: 5), part(Self.document, "a", of: 1),
        ]
        #expect(throws: BackupFailure.self) {
            if number < wrong.count {
                try writer.write(wrong[number])
            } else {
                try writer.finish(as: "backup")
            }
        }
        #expect(try parent.names() == ["backup.partial"])
    }

    @Test func `existing directories and files are not replaced`() throws {
        let scratch = try ScratchDirectory()
        let parent = try #require(try Directory.open(scratch.path))
        let writer = try BackupWriter("backup.partial", in: parent)
        #expect(throws: IOError.self) { try BackupWriter("backup.partial", in: parent) }
        try writer.write(part(Self.document, "a", of: 1))
        let failure = #expect(throws: BackupFailure.self) {
            try writer.write(part(Self.document, "b", of: 1))
        }
        #expect(failure?.kind == .unexpectedPart)
        try scratch.write("backup/file", "")
        #expect(throws: IOError.self) { try writer.finish(as: "backup") }
        #expect(try parent.names() == ["backup", "backup.partial"])
        writer.discard()
        #expect(try parent.names() == ["backup"])
    }
}
