import StateRecords
import Testing

@testable import SavedState

@Suite struct ArchiveReaderTests {
    private func read(_ bytes: [UInt8]) -> ArchiveReader.Outcome {
        ArchiveReader.read(bytes, bundleIdentifier: Sample.application)
    }

    private func reasonOfDamage(_ entries: [ArchiveEntry]) -> String? {
        guard case .damaged(let reason, _, _) = read(Sample.log(entries)) else { return nil }
        return reason
    }

    private func object(_ number: UInt32, below parent: UInt32) -> ArchiveEntry {
        ArchiveEntry(
            .object(
                ObjectRecord(
                    header: ObjectHeader(number: number, parent: parent, kind: 1, identifier: "x"),
                    values: [])))
    }

    private let end = ArchiveEntry(.nothing, end: PassEnd(scene: 1, timestamp: 0))

    @Test func `the written bytes match the documented format`() {
        let bytes = Sample.log([ArchiveEntry(.name(number: 7, text: "é")), end])
        let header: [UInt8] =
            [0x8A, 0x52, 0x50, 0x52, 0x53, 0x0D, 0x0A, 0x1A, 1, 0, 0, 0, 72, 0, 0, 0]
            + Array(1...16) + [2, 0, 0, 0, 0, 0, 0, 0, 18, 0] + Array("org.example.Sample".utf8)
            + [0, 0, 0, 0]
        #expect(Array(bytes.prefix(64)) == header)
        let record: [UInt8] =
            [30, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0xC3, 0xA9]
        #expect(Array(bytes[72..<94]) == record)
        #expect(bytes.count == 72 + 30 + 24 + 28)
        #expect(bytes[102 + 5] == 1)
    }

    @Test func `the checksum of no bytes equals the XXH3-64 test vector`() {
        // Value from the test vectors of the reference implementation, for no bytes.
        #expect(checksum([0], 0..<0, seed: 0) == 0x2D06_8005_38D3_94C2)
    }

    @Test func `a pass takes effect only when it is complete`() throws {
        let late = object(9, below: 1)
        let bytes = Sample.log([object(1, below: 0), end, late], published: 2)
        guard case .torn(let prefix, let tail) = read(bytes) else {
            Issue.record("not torn")
            return
        }
        #expect(prefix.contents.numbers == [1])
        #expect(tail.byteCount == 24 + 30 + 1)
    }

    @Test func `an archive with an invalid end is not closed`() {
        let closed = [object(1, below: 0), end, ArchiveEntry(.closed, end: PassEnd())]
        guard case .whole(let prefix) = read(Sample.log(closed)) else {
            Issue.record("not whole")
            return
        }
        #expect(prefix.isClosed)
        // The archive is followed by bytes of an incomplete record.
        guard case .torn(let prefix, _) = read(Sample.log(closed) + [1, 0]) else {
            Issue.record("not torn")
            return
        }
        #expect(!prefix.isClosed)
        // The header says that another record was synced.
        for tail: [UInt8] in [[], [1, 0]] {
            let bytes = Sample.log(closed, published: 4) + tail
            guard case .damaged(_, _, let prefixBeforeDamage) = read(bytes) else {
                Issue.record("not damaged")
                return
            }
            #expect(prefixBeforeDamage?.isClosed == false)
            #expect(prefixBeforeDamage?.contents.numbers == [1])
        }
    }

    @Test func `contradictory names, parents and end blocks count as damage`() {
        let name = ArchiveEntry(.name(number: 1, text: "a"))
        #expect(reasonOfDamage([object(1, below: 0), end]) == nil)
        #expect(reasonOfDamage([name, name, end])?.contains("twice") == true)
        #expect(reasonOfDamage([name, end, name, end])?.contains("twice") == true)
        #expect(reasonOfDamage([object(2, below: 1), end])?.contains("not exist") == true)
        #expect(reasonOfDamage([object(1, below: 1), end])?.contains("itself") == true)
        let cycle = [object(2, below: 3), object(3, below: 2), end]
        #expect(reasonOfDamage(cycle)?.contains("itself") == true)
        let lateCycle = [
            object(1, below: 0), object(2, below: 1), object(3, below: 2), end,
            object(2, below: 3), end,
        ]
        #expect(reasonOfDamage(lateCycle)?.contains("itself") == true)
        #expect(reasonOfDamage([object(0, below: 0), end])?.contains("no valid number") == true)
        #expect(reasonOfDamage([object(2, below: 0), object(1, below: 2), end]) != nil)
        #expect(
            reasonOfDamage([ArchiveEntry(.removal(number: 1)), object(1, below: 0), end]) != nil)
        #expect(
            reasonOfDamage([
                object(1, below: 0), ArchiveEntry(.closed, end: PassEnd(scene: 0, timestamp: 0)),
                end,
            ]) != nil)
        let unnamed = ObjectHeader(
            number: 1, parent: 0, kind: 0, identifier: "x", storyboardIdentifier: 4)
        let record = ArchiveEntry(.object(ObjectRecord(header: unnamed, values: [])))
        #expect(reasonOfDamage([record, end])?.contains("name 4") == true)
    }

    @Test func `a child may precede its parent within a pass`() {
        #expect(reasonOfDamage([object(2, below: 1), object(1, below: 0), end]) == nil)
    }

    @Test func `an identifier that is not valid UTF-8 counts as damage`() {
        var bytes = Sample.log([object(1, below: 0), end])
        // The identifier "x" is the last byte before the checksum of the first record.
        let start = 72
        let at = start + 16 + 30
        #expect(bytes[at] == UInt8(ascii: "x"))
        bytes[at] = 0xFF
        var reader = LittleEndianReader(bytes, 64..<72)
        let seed = reader.next(UInt64.self) ?? 0
        let sum = checksum(bytes, start..<at + 1, seed: seed)
        bytes.replaceSubrange(at + 1..<at + 9, with: withUnsafeBytes(of: sum) { Array($0) })
        guard case .damaged(let reason, let offset, nil) = read(bytes) else {
            Issue.record("not damaged")
            return
        }
        #expect(reason.contains("payload"))
        #expect(offset == start)
    }

    @Test func `a file with a newer version counts as newer only if its header is intact`() throws {
        var bytes = Sample.log([Sample.first])
        bytes[8] = 2
        guard case .damaged = read(bytes) else {
            Issue.record("a flipped version is damage")
            return
        }
        let sum = checksum(bytes, 0..<64, seed: 0)
        bytes.replaceSubrange(64..<72, with: withUnsafeBytes(of: sum) { Array($0) })
        guard case .newer(version: 2) = read(bytes) else {
            Issue.record("not newer")
            return
        }
    }

    @Test func `a torn record counts as damage if a later pass marks it as synced`() {
        let turns = [Sample.first, Sample.second]
        // Position of object 1, in the middle of the first pass. No record was synced before the file got its name.
        let at = 72 + 33 + 32 + 20
        var unsynced = Sample.log(turns, synced: 0)
        unsynced[at] ^= 0x10
        guard case .torn = read(unsynced) else {
            Issue.record("not torn")
            return
        }
        var synced = Sample.log(turns)
        synced[at] ^= 0x10
        guard case .damaged(_, _, prefixBeforeDamage: nil) = read(synced) else {
            Issue.record("not damaged")
            return
        }
    }

    @Test func `changed records with correct checksums never produce an inconsistent state`() {
        let intact = Sample.log([Sample.first, Sample.second, Sample.third], published: 14)
        for offset in 72..<intact.count {
            for mask: UInt8 in [1, 2, 4, 0x80, 0xFF] {
                var bytes = intact
                bytes[offset] ^= mask
                rechain(&bytes)
                guard case .whole(let prefix) = read(bytes) else { continue }
                var known: Set<UInt32> = [0]
                for header in prefix.contents.objects.map(\.header) {
                    #expect(known.contains(header.parent))
                    known.insert(header.number)
                }
                #expect(prefix.contents.passEnds.keys.allSatisfy(known.contains))
            }
        }
    }

    /// Corrects all checksums as far as the lengths are valid.
    private func rechain(_ bytes: inout [UInt8]) {
        var start = 72
        var seed: UInt64?
        while start < bytes.count {
            var reader = LittleEndianReader(bytes, start - 8..<bytes.count)
            guard let before = reader.next(UInt64.self), let length = reader.next(UInt32.self),
                length >= 24, start + Int(length) <= bytes.count
            else { return }
            let end = start + Int(length)
            let sum = checksum(bytes, start..<end - 8, seed: seed ?? before)
            bytes.replaceSubrange(end - 8..<end, with: withUnsafeBytes(of: sum) { Array($0) })
            seed = sum
            start = end
        }
    }

    @Test func `a record of type nothing with an end block must be exactly 52 bytes long`() {
        for count in 24...53 {
            var record: [UInt8] = []
            record.appendLittleEndian(UInt32(count))
            record += [RecordType.nothing.rawValue, ArchiveFormat.passEndFlag, 0, 0]
            record.appendLittleEndian(UInt64(1))
            record += [UInt8](repeating: 0, count: count - 24)
            record.appendLittleEndian(checksum(record))
            let parser = RecordParser(bytes: record, fileMark: nil)
            if case .intact = parser.parse(at: 0, seed: 0, sequence: nil) {
                #expect(count == 52)
            } else {
                #expect(count != 52)
            }
        }
    }

    @Test func `a file that ends before its last synced record is damaged`() {
        guard case .whole = read(Sample.log([Sample.first], published: 6, synced: 0)) else {
            Issue.record("nothing is missing")
            return
        }
        let cut = Sample.log([Sample.first], published: 7, synced: 0)
        guard case .damaged(let reason, let offset, let prefixBeforeDamage) = read(cut) else {
            Issue.record("a record is missing")
            return
        }
        #expect(reason == "its end is missing")
        #expect(offset == cut.count)
        #expect(prefixBeforeDamage?.contents.numbers == [1, 2, 3, 4])
    }
}
