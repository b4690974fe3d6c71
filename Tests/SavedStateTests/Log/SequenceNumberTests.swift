import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the sequence numbers and the lengths that a log tracks.
@Suite struct SequenceNumberTests {
    /// Returns the number that each pass end records as synced.
    private func syncedNumbers(on disk: SimulatedDisk) throws -> [UInt64] {
        let bytes = try #require(disk.file(Sample.file))
        return ArchiveInspection(bytes).records.compactMap { piece in
            if case .intact(_, _, _?, let synced) = piece.finding { synced } else { nil }
        }
    }

    // MARK: Highest number

    @Test func `L5: no write or copy decreases the highest sequence number`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        var numbers = [archive.log.highestSequence]
        let path = try #require(try archive.makeGeneration(because: "of a test"))
        numbers.append(archive.log.highestSequence)
        let generation = try archive.contents(ofGenerationAt: path).contents
        #expect(archive.log.highestSequence >= generation.sequence)
        #expect(generation.sequence > archive.lastSequenceNumber)
        // The copy in quarantine uses several numbers.
        _ = try archive.quarantineScenes([1], reason: "It is red.")
        numbers.append(archive.log.highestSequence)
        #expect(numbers[2] > numbers[1] + 1)
        try Sample.grow(archive, times: 1)
        numbers.append(archive.log.highestSequence)
        _ = try archive.makeGeneration(because: "of a test")
        numbers.append(archive.log.highestSequence)
        _ = try Sample.exchange(of: archive)
        numbers.append(archive.log.highestSequence)
        #expect(numbers == numbers.sorted())
    }

    @Test func `a turn after an exchange of names has a higher number than the turn before it`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        // The new file has the archive's name, but the archive has not processed the result yet.
        let result = job.run()
        let turn = archive.lastSequenceNumber
        try Sample.grow(archive, times: 1)
        #expect(archive.lastSequenceNumber == turn + 1)
        #expect(archive.endCompaction(job, result) == nil)
        #expect(archive.lastSequenceNumber == turn + 1)
    }

    // MARK: Synced numbers

    @Test func `L5: each pass records the number of the last synced record`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try Sample.grow(archive, times: 1)
        try Sample.synchronize(archive)
        try Sample.grow(archive, times: 2)
        #expect(archive.lastSequenceNumber == 9)
        #expect(try syncedNumbers(on: disk).suffix(3) == [6, 7, 7])
    }

    @Test func `L5: the result of an older sync does not lower the number of the synced record`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try Sample.grow(archive, times: 1)
        let job = try #require(archive.beginSync())
        try Sample.grow(archive, times: 2)
        try archive.synchronize()
        let turn = archive.lastSequenceNumber
        try archive.endSync(job, job.run())
        try Sample.grow(archive, times: 3)
        #expect(try syncedNumbers(on: disk).last == turn)
    }

    @Test(arguments: [false, true])
    func `L5: a sync during a compaction is recorded in the new file`(isJob: Bool) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        try Sample.grow(archive, times: 1)
        if isJob { try Sample.synchronize(archive) } else { try archive.synchronize() }
        let turn = archive.lastSequenceNumber
        try Sample.grow(archive, times: 2)
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(try syncedNumbers(on: disk).last == turn)
    }

    // MARK: Lengths

    @Test func `records are appended only if room for opened and closed records remains`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let count = try #require(disk.file(Sample.file)).count
        #expect(archive.log.hasRoom(upTo: count + ArchiveLog.openCloseByteCount))
        #expect(!archive.log.hasRoom(upTo: count + ArchiveLog.openCloseByteCount - 1))
    }

    @Test(arguments: [0, 1])
    func `unwritten records of up to 1 MiB are retained, regardless of the size of the state`(
        excess: Int
    ) throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        try archive.append(Sample.first)
        let length = (1 << 20) + excess
        // The record consists of a frame of 24 bytes, a number of 4 bytes and the text.
        let text = String(repeating: "x", count: length - 28)
        let records = RecordList([ArchiveEntry(.name(number: 9, text: text))])
        #expect(records.byteCount == length)
        archive.log.add(records, compactedByteCount: 0)
        #expect(archive.log.isAppending == (excess == 0))
    }

    @Test func `a file is compacted only if it is longer than the minimum`() throws {
        let disk = SimulatedDisk()
        let log = try Sample.grownArchive(on: disk).log
        let count = try #require(disk.file(Sample.file)).count
        #expect(log.beginCompaction(compactedByteCount: 0, maximumUncompactedBytes: count) == nil)
        #expect(
            log.beginCompaction(compactedByteCount: 0, maximumUncompactedBytes: count - 1) != nil)
    }
}
