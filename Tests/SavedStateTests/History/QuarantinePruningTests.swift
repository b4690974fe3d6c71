import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of the limits of the quarantine.
@Suite struct QuarantinePruningTests {
    private static let quarantine = "\(Sample.directory)/quarantine"

    /// Returns an archive with files of these sizes in quarantine, numbered from 1.
    private func archive(
        on disk: SimulatedDisk, with sizes: [Int]
    ) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        for (index, size) in sizes.enumerated() {
            let file = "\(Self.quarantine)/\(name(index + 1))"
            disk.put(Array(repeating: 7, count: size), at: file)
            disk.put(Array("It is of a test.\n".utf8), at: "\(file).reason")
        }
        return archive
    }

    private func name(_ number: Int) -> String {
        "\(NumberedName.paddedNumber(number))-main.archive"
    }

    @Test(arguments: [
        (10, 1000, [1, 2, 3, 4]), (4, 100, [1, 2, 3, 4]), (3, 1000, [2, 3, 4]), (0, 1000, [4]),
        (10, 99, [2, 3, 4]), (10, 89, [3, 4]), (10, 0, [4]), (2, 41, [4]),
    ])
    func `pruning removes the oldest files and their reasons beyond the limits, never the newest`(
        count: Int, bytes: Int, left: [Int]
    ) throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [10, 20, 30, 40])
        let pruned = archive.pruneQuarantine(count: count, bytes: bytes)
        #expect(pruned.failure == nil)
        #expect(pruned.removedNames == [1, 2, 3, 4].prefix(4 - left.count).map(name))
        #expect(try archive.quarantinedFiles().map(\.name) == left.map(name))
        #expect(
            disk.names(in: Self.quarantine) == left.flatMap { [name($0), "\(name($0)).reason"] })
    }

    @Test func `files that can be put back are kept, but count toward the limits`() throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [10, 20, 30, 40])
        let pruned = archive.pruneQuarantine(count: 2, bytes: 1000, keeping: [1, 3].map(name))
        #expect(pruned.removedNames == [name(2)])
        #expect(try archive.quarantinedFiles().map(\.name) == [1, 3, 4].map(name))
    }

    @Test func `files from other programs do not count and are kept`() throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [10, 10])
        for name in ["notes", "notes.reason", "000009-x.reason"] {
            disk.put(Array(repeating: 1, count: 500), at: "\(Self.quarantine)/\(name)")
        }
        disk.put([1], at: "\(Self.quarantine)/000003-folder/inside")
        #expect(archive.pruneQuarantine(count: 2, bytes: 20) == PrunedFiles())
        let names = disk.names(in: Self.quarantine)
        #expect(Set(["notes", "notes.reason", "000003-folder"]).isSubset(of: names))
    }

    @Test func `numbers already used in quarantine are not assigned again`() throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [10, 10])
        // An operator moved the file of this reason away.
        disk.put([1], at: "\(Self.quarantine)/000007-main.archive.reason")
        disk.put([1], at: "\(Self.quarantine)/000001-gone.archive.reason")
        _ = archive.pruneQuarantine(count: 1, bytes: 1000)
        #expect(!disk.names(in: Self.quarantine).contains("000001-gone.archive.reason"))
        #expect(try archive.quarantineScenes([1], reason: "It is red.") == name(8))
    }

    @Test func `a missing quarantine needs no pruning, and a failed removal is reported`() throws {
        let disk = SimulatedDisk()
        #expect(
            try Sample.loaded(on: disk).pruneQuarantine(count: 1, bytes: 1) == PrunedFiles())
        let archive = try archive(on: disk, with: [50, 10])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EPERM, kinds: [.remove]))
        let pruned = archive.pruneQuarantine(count: 1, bytes: 30)
        #expect(pruned.removedNames == [])
        #expect(pruned.failure?.code == EPERM)
        disk.inject(nil)
        #expect(archive.pruneQuarantine(count: 1, bytes: 30).removedNames == [name(1)])
    }

    @Test func `a file does not count as a copy of a torn archive because of its reason alone`()
        throws
    {
        let disk = SimulatedDisk()
        _ = try archive(on: disk, with: [10])
        let notes = "\(Self.quarantine)/000002-notes"
        disk.put([1, 2, 3], at: notes)
        disk.put(Array("torn tail: mine\n".utf8), at: "\(notes).reason")
        let torn = Sample.log([Sample.first], synced: 0) + [1, 2, 3]
        for _ in 1...17 {
            try #require(try disk.root.openSubdirectory(Sample.directory)).remove("data.archive")
            disk.put(torn, at: Sample.file)
            try Sample.loaded(on: disk).append(TurnRecords())
        }
        #expect(disk.file(notes) == [1, 2, 3])
        #expect(try Sample.loaded(on: disk).quarantinedFiles().count == 2 + 16)
    }

    @Test func `the newest 16 copies of torn archives and all other files are kept`()
        throws
    {
        let disk = SimulatedDisk()
        _ = try archive(on: disk, with: [10])
        let torn = Sample.log([Sample.first], synced: 0) + [1, 2, 3]
        for _ in 1...20 {
            try #require(try disk.root.openSubdirectory(Sample.directory)).remove("data.archive")
            disk.put(torn, at: Sample.file)
            let archive = try Sample.loaded(on: disk)
            try archive.append(TurnRecords())
        }
        let listed = try Sample.loaded(on: disk).quarantinedFiles()
        #expect(listed.map(\.name).first == name(1))
        #expect(listed.count == 17)
        #expect(listed.dropFirst().allSatisfy { $0.reason?.hasPrefix("torn tail: ") == true })
        #expect(listed.last?.name == "000021-data.archive")
    }
}
