import Encryption
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

@testable import SavedState

/// Tests with a file system whose files have extreme sizes, times and numbers.
@Suite struct ExtremeStatusTests {
    private static let changes: [@Sendable (inout FileStatus, Int64) -> Void] = [
        { $0.size = Int($1) },
        { $0.linkCount = UInt64(bitPattern: $1) },
        { $0.inode = UInt64(bitPattern: $1) },
        { $0.device = UInt64(bitPattern: $1) },
        { $0.mode = UInt32(truncatingIfNeeded: $1) },
        { $0.modificationTime = $1 },
    ]

    @Test(arguments: changes.indices, ExtremeNumbers.integers)
    func `every operation on an application's files returns or throws, whatever their status`(
        change: Int, number: Int64
    ) throws {
        for keys in [.none, EncryptionKeys(sealing: try EncryptionKey(Array(0..<32)))] {
            let disk = SimulatedDisk()
            func archive() throws -> ApplicationArchive {
                try StateDirectory(locked: disk.root, keys: keys, pid: 1).archive(
                    of: Sample.application)
            }
            let open = try archive()
            _ = try open.load()
            try open.append(Sample.first)
            _ = try open.makeGeneration(because: "of a test")
            try open.append(Sample.second)
            _ = try open.quarantineScenes([1], reason: "of a test")
            disk.changeStatus { Self.changes[change](&$0, number) }
            use(open)
            // A state directory with an unusual lock file may be refused.
            do { use(try archive()) } catch is IOError {}
        }
    }

    /// Calls all operations that read the status of a file.
    private func use(_ archive: ApplicationArchive) {
        let operations: [() throws -> Void] = [
            { _ = try archive.load() },
            { _ = try archive.check(readingContents: false) },
            { _ = try archive.check(readingContents: true) },
            { _ = try archive.append(Sample.third) },
            { _ = try archive.makeGeneration(because: "of a test") },
            { _ = try archive.generations() },
            { _ = archive.pruneGenerations(count: 1, bytes: 1) },
            { _ = archive.pruneGenerations(count: 10, bytes: .max) },
            { _ = try archive.quarantinedFiles() },
            { _ = archive.pruneQuarantine(count: 1, bytes: 1, keeping: []) },
            {
                if let job = archive.beginCompaction() { _ = archive.endCompaction(job, job.run()) }
            },
            { if let job = archive.beginSync() { try archive.endSync(job, job.run()) } },
            { try archive.requireNewFile() },
            { try archive.close() },
        ]
        // An operation may throw an error but must not crash.
        for operation in operations { do { try operation() } catch {} }
    }
}
