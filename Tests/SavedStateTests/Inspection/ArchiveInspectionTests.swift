import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the inspection of whole files and of files with every kind of damage.
@Suite struct ArchiveInspectionTests {
    private static let headerLength = 72
    private static let whole = Sample.log(
        [Sample.first, Sample.second, Sample.late], published: 12)

    /// Returns all pieces of an archive, and checks that there are no gaps between them.
    private func pieces(
        _ bytes: [UInt8], _ note: String, from start: Int? = nil
    ) -> [InspectedPart] {
        let pieces = Array(ArchiveInspection(bytes).records)
        if let start { #expect(pieces.first.map(\.offset) ?? start == start, "\(note)") }
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            #expect(piece.offset + piece.byteCount == next.offset, "\(note)")
        }
        #expect(
            pieces.last.map { $0.offset + $0.byteCount } ?? bytes.count == bytes.count, "\(note)")
        return pieces
    }

    private func intact(_ pieces: [InspectedPart]) -> [ArchiveRecord] {
        pieces.compactMap { piece in
            if case .intact(let record, _, _, _) = piece.finding { record } else { nil }
        }
    }

    /// Checks that an inspection agrees with a load.
    private func checkVerdict(_ bytes: [UInt8], _ note: String) {
        let inspection = ArchiveInspection(bytes)
        let outcome = ArchiveReader.read(bytes, bundleIdentifier: nil)
        switch (inspection.condition, outcome) {
        case (.whole, .whole(let prefix)):
            #expect(inspection.contents == prefix.contents, "\(note)")
            #expect(inspection.completeByteCount == bytes.count, "\(note)")
        case (.torn(let told), .torn(let prefix, let tail)):
            #expect(told == tail, "\(note)")
            #expect(
                inspection.completeByteCount == prefix.byteCount || !prefix.hasCompletePass,
                "\(note)")
        case (.damaged(let told, let at), .damaged(let reason, let offset, let salvaged)):
            #expect(told == reason && at == offset, "\(note)")
            if let salvaged {
                #expect(inspection.contents == salvaged.contents, "\(note)")
            } else if inspection.isHeaderIntact {
                // The intact objects of the damaged file.
                let salvage = ArchiveSalvage(bytes, bundleIdentifier: nil) { _ in [] }
                #expect(inspection.contents == salvage?.contents, "\(note)")
            }
        default:
            Issue.record("\(note): \(inspection.condition), and \(outcome)")
        }
    }

    @Test func `L5: an inspection of an intact archive lists all records and their totals`() throws
    {
        let inspection = ArchiveInspection(Self.whole)
        #expect(inspection.condition == .whole)
        #expect(inspection.isHeaderIntact)
        #expect(inspection.header?.bundleIdentifier == Sample.application)
        #expect(inspection.contents?.numbers == [1, 2, 3, 5, 6])
        let pieces = pieces(Self.whole, "whole", from: Self.headerLength)
        #expect(intact(pieces).count == pieces.count)
        #expect(pieces.allSatisfy { $0.isChecksumValid == true })
        #expect(pieces.compactMap(\.prefix?.sequence) == Array(1...UInt64(pieces.count)))
        #expect(pieces.prefix(3).map(\.prefix?.typeName) == ["name", "name", "object"])
        #expect(
            inspection.totals()
                == ArchiveInspection.Totals(recordCount: pieces.count, passCount: 4, faultCount: 0))
    }

    @Test
    func `L5: only passes before any damage are counted, without a record that closes the file`()
        throws
    {
        let closed = [
            ArchiveEntry(.nothing, end: PassEnd()), ArchiveEntry(.nothing, end: PassEnd()),
            ArchiveEntry(.closed, end: PassEnd()),
        ]
        #expect(
            ArchiveInspection(Sample.log(closed)).totals()
                == ArchiveInspection.Totals(recordCount: 3, passCount: 2, faultCount: 0))
        let pieces = pieces(Self.whole, "whole")
        var bytes = Self.whole
        // The first record of the second pass.
        bytes[pieces[6].offset + 20] ^= 1
        #expect(
            ArchiveInspection(bytes).totals()
                == ArchiveInspection.Totals(
                    recordCount: pieces.count - 1, passCount: 1, faultCount: 1))
    }

    @Test func `L5: an inspection of any truncation reaches the same verdict as a launch`() {
        for length in Self.whole.indices {
            let bytes = Array(Self.whole.prefix(length))
            checkVerdict(bytes, "cut to \(length)")
            _ = pieces(bytes, "cut to \(length)")
        }
    }

    @Test func `L5: every flipped byte damages only the record that contains it`() {
        let all = intact(pieces(Self.whole, "whole"))
        for offset in Self.headerLength..<Self.whole.count {
            let mask = FlippedBits.mask(offset)
            var bytes = Self.whole
            bytes[offset] ^= mask
            let note = "byte \(offset) flipped by \(mask)"
            checkVerdict(bytes, note)
            let pieces = pieces(bytes, note, from: Self.headerLength)
            let others = intact(pieces)
            #expect(others.count == all.count - 1, "\(note)")
            #expect(others.allSatisfy(all.contains), "\(note)")
            #expect(pieces.count == all.count, "\(note)")
            let spoiled = pieces.filter { $0.isChecksumValid != true }
            #expect(spoiled.count == 1, "\(note)")
            #expect(spoiled.allSatisfy { $0.offset <= offset }, "\(note)")
        }
    }

    @Test func `L5: all records after a damaged header are listed, and their objects are salvaged`()
    {
        let all = intact(pieces(Self.whole, "whole"))
        for offset in 0..<Self.headerLength {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = Self.whole
                bytes[offset] ^= mask
                let note = "byte \(offset) flipped by \(mask)"
                checkVerdict(bytes, note)
                let inspection = ArchiveInspection(bytes)
                #expect(!inspection.isHeaderIntact, "\(note)")
                #expect(intact(pieces(bytes, note)) == all, "\(note)")
                #expect(inspection.contents?.numbers == [1, 2, 3, 5, 6], "\(note)")
            }
        }
    }

    @Test func `records after a hole and before garbage are found`() {
        let all = intact(pieces(Self.whole, "whole"))
        let hole = 130..<230
        var bytes = Self.whole
        bytes.replaceSubrange(hole, with: [UInt8](repeating: 0, count: hole.count))
        bytes += [UInt8](repeating: 0xA5, count: 1000)
        let pieces = pieces(bytes, "hole", from: Self.headerLength)
        let found = intact(pieces)
        #expect(found.first == all.first)
        #expect(found.last == all.last)
        #expect(found.count >= all.count - 5)
        #expect(pieces.last?.finding == .noRecord)
        #expect(pieces.last?.byteCount == 1000)
        #expect(
            pieces.first { $0.finding == .noRecord }.map { hole.contains($0.offset + 40) } == true)
    }

    @Test func `an unreadable record of minimum length does not hide the next record`() {
        let end = ArchiveEntry(.nothing, end: PassEnd())
        let opened = ArchiveEntry(.opened)
        var bytes = Sample.log([end, opened, opened, end])
        // Length of the second record.
        bytes[Self.headerLength + 24 + 28] = 0
        let pieces = pieces(bytes, "length of zero", from: Self.headerLength)
        #expect(pieces.map(\.byteCount) == [52, 24, 24, 52])
        #expect(pieces.map(\.isChecksumValid) == [true, nil, true, true])
    }

    @Test func `a header of zeros hides no records`() {
        let all = intact(pieces(Self.whole, "whole"))
        var bytes = Self.whole
        bytes.replaceSubrange(0..<64, with: [UInt8](repeating: 0, count: 64))
        #expect(ArchiveInspection(bytes).header == nil)
        #expect(intact(pieces(bytes, "zeros", from: 0)) == all)
    }

    @Test func `a record of an unknown type is listed as malformed, with the reason`() {
        let end = PassEnd(scene: 0, timestamp: 0)
        var bytes = Sample.log([ArchiveEntry(.nothing, end: end), ArchiveEntry(.opened)])
        // Type of the second record, with a matching checksum.
        let start = Self.headerLength + 24 + 28
        bytes[start + 4] = 77
        var reader = LittleEndianReader(bytes, start - 8..<start)
        let sum = checksum(bytes, start..<start + 16, seed: reader.next(UInt64.self) ?? 0)
        bytes.replaceSubrange(start + 16..<start + 24, with: withUnsafeBytes(of: sum) { Array($0) })
        checkVerdict(bytes, "unknown type")
        let pieces = pieces(bytes, "unknown type")
        #expect(
            pieces.last?.finding
                == .malformed(
                    RecordPrefix(type: 77, sequence: 2),
                    reason: "a record has an unknown type or flags"))
        #expect(pieces.last?.prefix?.typeName == nil)
        #expect(ArchiveInspection(bytes).totals().faultCount == 1)
    }

    @Test func `an inspection of a newer format reports only the version`() {
        var bytes = Self.whole
        bytes[8] = 9
        let sum = checksum(bytes, 0..<Self.headerLength - 8, seed: 0)
        bytes.replaceSubrange(64..<72, with: withUnsafeBytes(of: sum) { Array($0) })
        let inspection = ArchiveInspection(bytes)
        #expect(inspection.condition == .newer(version: 9))
        #expect(inspection.header == nil && inspection.isHeaderIntact)
        #expect(Array(inspection.records).isEmpty)
        #expect(inspection.contents == nil)
    }

    @Test func `any bytes can be inspected, including an empty file`() {
        var generator = SystemRandomNumberGenerator()
        for count in Array(0..<80) + [500, 5000] {
            let random = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for bytes in [random, ArchiveFormat.magic + random] {
                checkVerdict(bytes, "\(count) random bytes")
                _ = pieces(bytes, "\(count) random bytes")
            }
        }
    }

    @Test func `bytes that look like the starts of long records do not slow down an inspection`() {
        var bytes = Array(Self.whole.prefix(Self.headerLength))
        // Each byte could start a record with a length up to the end, a known type and a low sequence number.
        for _ in 0..<20_000 { bytes += [0, 4, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] }
        checkVerdict(bytes, "forged")
        #expect(pieces(bytes, "forged", from: Self.headerLength).count == 1)
    }

    @Test func `broken records between intact ones use up a limited checksum budget`() {
        // Each intact record is followed by a record whose length reaches almost to the end.
        var bytes = Array(Self.whole.prefix(Self.headerLength))
        let pairs = 2000
        for number in 1...pairs {
            let seed = bytes.count - 8
            var reader = LittleEndianReader(bytes, seed..<seed + 8)
            let sequence = UInt64(2 * number - 1)
            let start = EncodedRecords.ChainEnd(
                sequence: sequence - 1, checksum: reader.next(UInt64.self) ?? 0, fileMark: 0)
            let removal = RecordList([ArchiveEntry(.removal(number: UInt32(number)))])
            bytes += EncodedRecords(continuing: start, removal, syncedSequence: 0).bytes
            bytes.appendLittleEndian(UInt32(52 * (pairs - number) + 16))
            bytes += [3, 0, 0, 0]
            bytes.appendLittleEndian(sequence + 1)
            bytes.appendLittleEndian(UInt64(number))
        }
        var scan = ArchiveInspection(bytes).records
        var found = 0
        while let piece = scan.next() { found += piece.isChecksumValid == true ? 1 : 0 }
        #expect(found >= 8)
        #expect(found < pairs)
        // The scan stops soon after the budget is used up.
        #expect(scan.remainingSearchBytes > -4 * bytes.count)
    }

    @Test func `L5: an inspection identifies the newer generation that a launch would use`() throws
    {
        let disk = SimulatedDisk()
        let older = Sample.log([Sample.first], published: 6)
        disk.put(older, at: "\(Sample.directory)/history/000001.archive")
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        var bytes = Self.whole
        bytes[bytes.count - 1] ^= 1
        #expect(try ArchiveInspection(bytes).newerGenerationPath(in: directory) == nil)
        bytes[Self.headerLength + 20] ^= 1
        let path = "/state/\(Sample.directory)/history/000001.archive"
        #expect(try ArchiveInspection(bytes).newerGenerationPath(in: directory) == path)
        disk.put(bytes, at: Sample.file)
        guard case .damaged(let damage) = try Sample.archive(on: disk).load() else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.salvageSourcePath == path)
    }
}
