import Encryption
import FoundationEssentials
import LinuxIO
import SavedState
import TestSupport
import Testing

/// Writer for the files of a backup.
@Suite struct BackupWriterTests {
    private static let archive = "Saved Application State/org.example.A.savedState/data.archive"
    private static let document = "Documents/org.example.A/text"

    private let scratch: ScratchDirectory
    private let parent: Directory
    private let writer: BackupWriter

    init() throws {
        scratch = try ScratchDirectory()
        parent = try #require(try Directory.open(scratch.path))
        writer = try BackupWriter("backup.partial", in: parent)
    }

    private func write(_ text: String, of path: String, at offset: Int = 0, size: Int) throws {
        try writer.write(Array(text.utf8), of: path, at: offset, byteCount: size)
    }

    /// Returns the paths that open descriptors of this process refer to.
    private func openPaths() throws -> [String] {
        try #require(try Directory.open("/proc/self/fd")).names().compactMap { number in
            // A descriptor of another test may have been closed.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
    }

    @Test func `files are assembled from their parts, with checksums`() throws {
        try write("ab", of: Self.archive, size: 5)
        try write("cde", of: Self.archive, at: 2, size: 5)
        try write("", of: Self.document, size: 0)
        #expect(writer.byteCount == 5)
        try writer.finish(as: "backup")
        #expect(try parent.names() == ["backup"])
        let backup = try SavedBackup("\(scratch.path)/backup", keys: .none)
        #expect(backup.files.map(\.path) == [Self.archive, Self.document])
        #expect(try backup.files.map { try backup.read($0) } == [Array("abcde".utf8), []])
    }

    @Test
    func `parts that are invalid or out of order are refused, and so is an incomplete backup`()
        throws
    {
        for path in ["Documents/../text", "Documents/a", "Other/a/b", ""] {
            #expect(throws: BackupFailure.self) { try write("a", of: path, size: 1) }
        }
        #expect(throws: BackupFailure.self) { try write("a", of: Self.archive, at: 1, size: 2) }
        try write("ab", of: Self.archive, size: 5)
        for (text, offset) in [("cd", 1), ("cd", 3), ("cdef", 2)] {
            #expect(throws: BackupFailure.self) {
                try write(text, of: Self.archive, at: offset, size: 5)
            }
        }
        for size in [Int.min, -1, 0, 2, 4] {
            #expect(throws: BackupFailure.self) {
                try write("cde", of: Self.archive, at: 2, size: size)
            }
        }
        // The file is incomplete.
        #expect(throws: BackupFailure.self) { try write("a", of: Self.document, size: 1) }
        #expect(throws: BackupFailure.self) { try writer.complete() }
        #expect(throws: BackupFailure.self) { try writer.finish(as: "backup") }
        #expect(try parent.names() == ["backup.partial"])
        #expect(
            try parent.openSubdirectory("backup.partial")?.names() == ["Saved Application State"])
    }

    @Test func `existing directories and files are not replaced`() throws {
        #expect(throws: IOError.self) { try BackupWriter("backup.partial", in: parent) }
        try write("a", of: Self.document, size: 1)
        let failure = #expect(throws: BackupFailure.self) {
            try write("b", of: Self.document, size: 1)
        }
        #expect(failure?.kind == .unexpectedPart)
        try scratch.write("backup/file", "")
        #expect(throws: IOError.self) { try writer.finish(as: "backup") }
        #expect(try parent.names() == ["backup", "backup.partial"])
    }

    @Test func `a discarded backup leaves no directory and no open file`() throws {
        try write("a", of: Self.document, size: 1)
        try write("a", of: "Documents/org.example.A/other", size: 1)
        try write("a", of: "Documents/org.example.B/text", size: 1)
        try write("a", of: "Documents/org.example.B/unfinished", size: 2)
        let partial = "\(scratch.path)/backup.partial/"
        #expect(try openPaths().contains { $0.hasPrefix(partial) })
        writer.discard()
        #expect(try parent.names().isEmpty)
        #expect(try !openPaths().contains { $0.hasPrefix("\(partial)Documents/org.example.B/un") })
    }

    @Test func `discarding a complete backup also removes its checksums`() throws {
        try write("a", of: Self.archive, size: 1)
        try write("a", of: Self.document, size: 1)
        try writer.complete()
        #expect(try parent.read("backup.partial/SHA256SUMS", limit: 999) != nil)
        writer.discard()
        #expect(try parent.names().isEmpty)
    }
}
