import Glibc
import LinuxIO
import SimulatedDisk
import Testing

/// Tests of the simulated disk's faults, and of syncs that only claim to succeed.
@Suite struct SimulatedDiskFaultTests {
    @Test func `a fault affects the operation with its number, either once or from then on`() throws
    {
        for isPermanent in [false, true] {
            let disk = SimulatedDisk()
            disk.inject(SimulatedDisk.Fault(operation: 2, code: EIO, isPermanent: isPermanent))
            _ = try disk.root.names()
            #expect(!disk.hasFaultOccurred)
            #expect(throws: IOError(.list, path: "/state", code: EIO)) {
                try disk.root.names()
            }
            #expect(disk.hasFaultOccurred)
            #expect((try? disk.root.names()) == (isPermanent ? nil : []))
            disk.inject(nil)
            #expect(try disk.root.names().isEmpty)
        }
    }

    @Test
    func `a fault can be limited to some kinds of operations and counts only those operations`()
        throws
    {
        let disk = SimulatedDisk()
        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: EROFS, isPermanent: true, kinds: .refusedWhenReadOnly))
        #expect(try disk.root.names().isEmpty)
        #expect(throws: IOError.self) { try disk.root.createFile("file") }
        #expect(try disk.root.read("file", limit: 1) == nil)
    }

    @Test func `a failed write leaves the prefix that the fault specifies`() throws {
        for (percent, count) in [(0, 0), (50, 5), (99, 9), (100, 10)] {
            let disk = SimulatedDisk()
            let file = try disk.root.createFile("file")
            disk.inject(
                SimulatedDisk.Fault(operation: 1, code: ENOSPC, writtenPercent: percent))
            #expect(throws: IOError.self) { try file.write(Array(0..<10)) }
            #expect(try file.read(upTo: 99) == Array(0..<UInt8(count)))
        }
    }

    @Test
    func `a sync after a failed sync succeeds, but the lost bytes do not survive a power cut`()
        throws
    {
        let disk = SimulatedDisk()
        let file = try disk.root.createFile("file")
        try file.write([1])
        try file.synchronize()
        try disk.root.synchronize()
        try file.write([2, 3])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO))
        #expect(throws: IOError.self) { try file.synchronizeData() }
        disk.inject(nil)
        try file.synchronizeData()
        try file.write([4])
        try file.synchronizeData()
        #expect(disk.snapshot.isDurable)
        #expect(disk.file("file") == [1, 2, 3, 4])
        #expect(disk.copy(afterPowerCut: false).file("file") == [1, 2, 3, 4])
        for seed in 0..<20 {
            let cut = disk.snapshot.afterPowerCut(seed: UInt64(seed))
            #expect(cut.file("file") == [1, 0, 0, 4])
        }
    }

    @Test func `a failed directory sync can be repeated`() throws {
        let disk = SimulatedDisk()
        try disk.root.writeNewFile("file", [1])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO))
        #expect(throws: IOError.self) { try disk.root.synchronize() }
        disk.inject(nil)
        #expect(!disk.snapshot.isDurable)
        try disk.root.synchronize()
        #expect(disk.copy(afterPowerCut: true).file("file") == [1])
    }

    @Test func `an omitted sync reports success and is identified by its site`()
        throws
    {
        let disk = SimulatedDisk()
        disk.startRecording()
        disk.begin("first")
        try disk.root.writeNewFile("file000017", [1])
        try disk.root.synchronize()
        let sites = try #require(disk.stopRecording()).sites
        let file = SyncSite(
            activity: "first", kind: .synchronize, name: "fileN", previous: "write fileN")
        let directory = SyncSite(
            activity: "first", kind: .synchronizeDirectory, name: "state",
            previous: "write fileN, synchronize fileN")
        #expect(sites == [file, directory])

        for site in sites {
            let disk = SimulatedDisk()
            disk.omitSyncs { $0 == site }
            disk.begin("second")
            try disk.root.writeNewFile("file1", [1])
            try disk.root.synchronize()
            #expect(disk.omittedSyncCount == 0)
            #expect(disk.snapshot.isDurable)
            disk.begin("first")
            try disk.root.writeNewFile("file2", [1])
            try disk.root.synchronize()
            #expect(disk.omittedSyncCount == 1)
            #expect(!disk.snapshot.isDurable)
        }
    }

    @Test func `a record contains a snapshot after each operation that may change the disk`() throws
    {
        let disk = SimulatedDisk()
        disk.startRecording()
        let file = try disk.root.createFile("file")
        try file.write([1])
        _ = try disk.root.names()
        try file.write([2])
        #expect(disk.snapshotIndex == 3)
        let record = try #require(disk.stopRecording())
        let contents = record.snapshots.map { $0.afterKill().file("file") }
        #expect(contents == [nil, [], [1], [1, 2]])
        #expect(record.steps.map(\.operation.kind) == [.create, .write, .list, .write])
        #expect(record.steps.map(\.snapshot) == [1, 2, 2, 3])
    }
}
