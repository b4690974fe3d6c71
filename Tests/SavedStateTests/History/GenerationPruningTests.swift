import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of the limits of the history.
@Suite struct GenerationPruningTests {
    private static let history = "\(Sample.directory)/history"

    /// Returns an archive with generations of these sizes, numbered from 1.
    private func archive(
        on disk: SimulatedDisk, with sizes: [Int]
    ) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        for (index, size) in sizes.enumerated() {
            let file = "\(Self.history)/\(NumberedName.paddedNumber(index + 1)).archive"
            disk.put(Array(repeating: 7, count: size), at: file)
            disk.put(Array("of a test\n".utf8), at: "\(file).reason")
        }
        return archive
    }

    private func numbers(_ archive: ApplicationArchive) throws -> [Int] {
        try archive.generations().compactMap { Int($0.name) }
    }

    @Test(arguments: [
        (10, 1000, [1, 2, 3, 4]), (4, 1000, [1, 2, 3, 4]), (3, 1000, [2, 3, 4]),
        (1, 1000, [4]), (0, 1000, [4]), (-1, 1000, [4]), (10, 100, [1, 2, 3, 4]),
        (10, 99, [2, 3, 4]), (10, 90, [2, 3, 4]), (10, 89, [3, 4]), (10, 41, [4]), (10, 0, [4]),
        (2, 89, [3, 4]), (3, 41, [4]),
    ])
    func `pruning removes the oldest generations beyond the limits, but never the newest`(
        count: Int, bytes: Int, left: [Int]
    ) throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [10, 20, 30, 40])
        let pruned = archive.pruneGenerations(count: count, bytes: bytes)
        #expect(pruned.failure == nil)
        #expect(pruned.removedNames.map(Int.init) == Array([1, 2, 3, 4].prefix(4 - left.count)))
        #expect(try numbers(archive) == left)
        #expect(
            disk.names(in: Self.history)
                == left.flatMap { ["00000\($0).archive", "00000\($0).archive.reason"] })
    }

    @Test
    func `files that are not generations are neither counted nor removed, except orphaned reasons`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [10, 10])
        let others = ["7.archive", "notes", "x.archive.reason", "archive.new"]
        for name in others {
            disk.put(Array(repeating: 1, count: 500), at: "\(Self.history)/\(name)")
        }
        disk.put([1], at: "\(Self.history)/000009.archive.reason")
        disk.put([1], at: "\(Self.history)/000010.archive/inside")
        let pruned = archive.pruneGenerations(count: 2, bytes: 20)
        #expect(pruned == PrunedFiles())
        #expect(try numbers(archive) == [1, 2])
        let names = disk.names(in: Self.history)
        #expect(Set(others).isSubset(of: names))
        #expect(!names.contains("000009.archive.reason"))
        #expect(names.contains("000010.archive"))
    }

    @Test func `without a history there is nothing to remove`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        #expect(archive.pruneGenerations(count: 1, bytes: 1) == PrunedFiles())
    }

    @Test func `a generation that cannot be removed does not cause a newer one to be removed`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk, with: [50, 10, 10, 10])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EPERM, kinds: [.remove]))
        let pruned = archive.pruneGenerations(count: 10, bytes: 30)
        #expect(pruned.removedNames == [])
        #expect(pruned.failure?.code == EPERM)
        #expect(try numbers(archive) == [1, 2, 3, 4])
        disk.inject(nil)
        #expect(archive.pruneGenerations(count: 10, bytes: 30).removedNames == ["000001"])
    }

    @Test(arguments: ArchiveFaultTests.faults.indices)
    func `after any failure, pruning keeps the newest generations and finishes the next time`(
        index: Int
    ) throws {
        let fault = ArchiveFaultTests.faults[index]
        for number in 1...200 {
            let disk = SimulatedDisk()
            let archive = try archive(on: disk, with: [10, 20, 30, 40])
            disk.inject(
                SimulatedDisk.Fault(
                    operation: number, code: fault.code, isPermanent: fault.isPermanent))
            _ = archive.pruneGenerations(count: 2, bytes: 1000)
            let hasOccurred = disk.hasFaultOccurred
            disk.inject(nil)
            for cut in [false, true] {
                let copy = disk.copy(afterPowerCut: cut)
                let left = try Sample.loaded(on: copy)
                #expect(try numbers(left).suffix(2) == [3, 4], "operation \(number)")
                #expect(left.pruneGenerations(count: 2, bytes: 1000).failure == nil)
                #expect(
                    copy.names(in: Self.history) == [
                        "000003.archive", "000003.archive.reason", "000004.archive",
                        "000004.archive.reason",
                    ], "operation \(number)")
            }
            guard hasOccurred else {
                #expect(number > 6)
                return
            }
        }
        Issue.record("the task does not end")
    }

    @Test(arguments: ArchiveFaultTests.faults.indices)
    func `a failure at any step leaves a generation complete or absent, and a retry adds it`(
        index: Int
    ) throws {
        let fault = ArchiveFaultTests.faults[index]
        for number in 1...200 {
            let disk = SimulatedDisk()
            let archive = try archive(on: disk, with: [])
            disk.inject(
                SimulatedDisk.Fault(
                    operation: number, code: fault.code, isPermanent: fault.isPermanent))
            var made: String?
            do { made = try archive.makeGenerationIfChanged(because: "of a test") } catch {}
            let hasOccurred = disk.hasFaultOccurred
            disk.inject(nil)
            let cut = try Sample.loaded(on: disk.copy(afterPowerCut: true))
            for kept in try cut.generations() {
                let read = try cut.contents(ofGeneration: "\(kept.name)")
                #expect(read.shortfall == nil, "operation \(number)")
                #expect(read.contents.numbers == [1, 2, 3, 4])
                #expect([nil, "of a test"].contains(kept.reason))
            }
            if made != nil { #expect(try cut.generations().count == 1, "operation \(number)") }
            if made == nil {
                _ = try archive.makeGenerationIfChanged(because: "of a test")
                #expect(try !archive.generations().isEmpty)
            }
            #expect(try archive.makeGenerationIfChanged(because: "of another") == nil)
            guard hasOccurred else {
                #expect(number > 8)
                return
            }
        }
        Issue.record("the task does not end")
    }
}
