import Glibc
import LinuxIO
import SimulatedDisk
import Testing

/// Tests of the state that the simulated disk may lose, and of the state that it must retain.
@Suite struct SimulatedDiskTests {
    /// Returns all possible contents of a file after a power cut. `nil` means that the name does not exist.
    private func outcomes(of name: String, on disk: SimulatedDisk) -> Set<[UInt8]?> {
        let snapshot = disk.snapshot
        return Set((0..<2000).map { snapshot.afterPowerCut(seed: $0).file(name) })
    }

    @Test func `a kill loses nothing and makes nothing durable`() throws {
        let disk = SimulatedDisk()
        try disk.root.createFile("file").write([1, 2])
        let killed = disk.copy(afterPowerCut: false)
        #expect(killed.file("file") == [1, 2])
        #expect(killed.copy(afterPowerCut: true).file("file") == nil)
        try killed.root.remove("file")
        #expect(disk.file("file") == [1, 2])
    }

    @Test func `no power cut loses a file whose name and contents were synced`() throws {
        let disk = SimulatedDisk()
        let file = try disk.root.createFile("file")
        try file.write([1, 2])
        try file.synchronize()
        try disk.root.synchronize()
        #expect(disk.snapshot.isDurable)
        #expect(outcomes(of: "file", on: disk) == [[1, 2]])
        try file.write([3])
        try file.synchronizeData()
        #expect(outcomes(of: "file", on: disk) == [[1, 2, 3]])
    }

    @Test
    func `syncing a file does not cover its name, nor does syncing a directory cover contents`()
        throws
    {
        let disk = SimulatedDisk()
        try disk.root.writeNewFile("unnamed", [1])
        #expect(outcomes(of: "unnamed", on: disk) == [nil, [1]])
        try disk.root.createFile("unsynced").write([7])
        try disk.root.synchronize()
        #expect(outcomes(of: "unnamed", on: disk) == [[1]])
        #expect(outcomes(of: "unsynced", on: disk).isSuperset(of: [[], [7], [0]]))
        #expect(disk.copy(afterPowerCut: true).file("unsynced") == [])
    }

    @Test func `syncing a directory covers neither its parent nor its subdirectories`() throws {
        let disk = SimulatedDisk()
        let above = try disk.root.openOrCreateSubdirectory("above")
        let below = try above.openOrCreateSubdirectory("below")
        try below.writeNewFile("file", [1])
        try above.synchronize()
        #expect(disk.copy(afterPowerCut: true).names(in: "").isEmpty)
        try disk.root.synchronize()
        let cut = disk.copy(afterPowerCut: true)
        #expect(cut.names(in: "above") == ["below"])
        #expect(cut.names(in: "above/below").isEmpty)
        try below.synchronize()
        #expect(disk.snapshot.isDurable)
    }

    @Test func `an unsynced write can be lost, complete, torn at any byte, zeros or noise`() throws
    {
        let disk = SimulatedDisk()
        let file = try disk.root.createFile("file")
        try file.write([9])
        try file.synchronize()
        try disk.root.synchronize()
        try file.write([1, 2, 3])
        let outcomes = outcomes(of: "file", on: disk)
        #expect(
            outcomes.isSuperset(of: [
                [9], [9, 1], [9, 1, 2], [9, 1, 2, 3], [9, 0], [9, 0, 0, 0], [9, 1, 0, 0],
            ]))
        #expect(outcomes.allSatisfy { $0?.first == 9 && ($0?.count ?? 0) <= 4 })
        #expect(outcomes.contains { ($0?.count == 4) && ($0?.last ?? 0) > 3 })
    }

    @Test func `the later of two writes can survive without the earlier one, sector by sector`()
        throws
    {
        let disk = SimulatedDisk()
        let file = try disk.root.createFile("file")
        try disk.root.synchronize()
        try file.write([UInt8](repeating: 1, count: 1024))
        try file.write([UInt8](repeating: 2, count: 512))
        let outcomes = outcomes(of: "file", on: disk).compactMap(\.self)
        #expect(outcomes.contains { $0.count == 1536 && $0[0] == 0 && $0[1024] == 2 })
        #expect(outcomes.contains { $0.count == 1536 && $0[0] == 1 && $0[512] == 0 })
        #expect(outcomes.contains { $0.count == 1024 && $0[0] == 1 && $0[1023] == 1 })
    }

    @Test func `an unsynced truncation may leave the old end, the new end or a mixture`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put([1, 2, 3, 4], at: "file")
        let file = try #require(try disk.root.openForAppending("file"))
        try file.truncate(to: 2)
        try file.write([9])
        let outcomes = outcomes(of: "file", on: disk)
        #expect(
            outcomes.isSuperset(of: [[1, 2, 3, 4], [1, 2], [1, 2, 9], [1, 2, 9, 4]]))
        #expect(outcomes.allSatisfy { $0?.starts(with: [1, 2]) == true })
    }

    @Test func `a replacement leaves either the old file or the new file`() throws {
        let disk = SimulatedDisk()
        disk.put([1], at: "file")
        try disk.root.writeNewFile("new", [2])
        try disk.root.rename("new", to: "file")
        #expect(outcomes(of: "file", on: disk) == [[1], [2]])
        #expect(outcomes(of: "new", on: disk) == [nil, [2]])
    }

    @Test func `a replacement with unsynced contents can leave an empty file`() throws {
        let disk = SimulatedDisk()
        disk.put([1], at: "file")
        try disk.root.createFile("new").write([2])
        try disk.root.rename("new", to: "file")
        #expect(outcomes(of: "file", on: disk).isSuperset(of: [[1], [2], []]))
    }

    @Test func `an exchange takes effect completely or not at all`() throws {
        let disk = SimulatedDisk()
        disk.put([1], at: "first")
        disk.put([2], at: "second")
        try disk.root.exchange("first", with: "second")
        for seed in 0..<200 {
            let cut = disk.snapshot.afterPowerCut(seed: UInt64(seed))
            #expect(Set([cut.file("first"), cut.file("second")]) == [[1], [2]])
        }
        #expect(outcomes(of: "first", on: disk) == [[1], [2]])
    }

    @Test func `a moved file can have both names, or neither if only the old directory is synced`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put([1], at: "file")
        let below = try disk.root.openOrCreateSubdirectory("below")
        try disk.root.synchronize()
        try disk.root.rename("file", to: "below/file")
        let cuts = (0..<500).map { disk.snapshot.afterPowerCut(seed: $0) }
        #expect(cuts.allSatisfy { $0.file("file") != nil || $0.file("below/file") != nil })
        #expect(cuts.contains { $0.file("file") != nil && $0.file("below/file") != nil })
        try disk.root.synchronize()
        #expect(outcomes(of: "below/file", on: disk) == [nil, [1]])
        #expect(outcomes(of: "file", on: disk) == [nil])
        try below.synchronize()
        #expect(outcomes(of: "below/file", on: disk) == [[1]])
    }

    @Test func `operations on directories can become durable out of order`() throws {
        let disk = SimulatedDisk()
        for name in ["a", "b"] { try disk.root.writeNewFile(name, []) }
        let names = Set((0..<500).map { disk.snapshot.afterPowerCut(seed: $0).names(in: "") })
        #expect(names == [[], ["a"], ["b"], ["a", "b"]])
    }

    @Test func `the same seed produces the same disk`() throws {
        let disk = SimulatedDisk()
        try disk.root.createFile("file").write(Array(0..<200))
        for seed in 0..<50 {
            let cuts = [0, 1].map { _ in disk.snapshot.afterPowerCut(seed: UInt64(seed)) }
            #expect(cuts[0].file("file") == cuts[1].file("file"))
        }
    }
}
