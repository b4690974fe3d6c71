import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of salvages in which the number, depth or order of the records matters (L5).
@Suite struct SalvageLimitsTests {
    private let end = ArchiveEntry(.nothing, end: PassEnd(scene: 1))

    private func object(_ number: UInt32, below parent: UInt32) -> ArchiveEntry {
        let header = ObjectHeader(number: number, parent: parent, kind: 1, identifier: "x")
        return ArchiveEntry(.object(ObjectRecord(header: header, values: [])))
    }

    private func salvage(
        _ bytes: [UInt8], _ referencedNameNumbers: (ObjectRecord) -> [UInt32]? = { _ in [] }
    ) -> ArchiveSalvage? {
        ArchiveSalvage(
            bytes, bundleIdentifier: Sample.application,
            referencedNameNumbers: referencedNameNumbers)
    }

    @Test(arguments: [4096, 4097, 4098, 9000] as [UInt32], [true, false])
    func `L5: only objects that are nested more than 4,096 levels deep are not salvaged`(
        count: UInt32, isReversed: Bool
    ) {
        let chain = (1...count).map { object($0, below: $0 - 1) }
        let entries = isReversed ? chain.reversed() : chain
        let other = object(10_000, below: 1)
        let salvage = salvage(Sample.log(entries + [other, end], published: 0))
        let numbers = Set(1...min(count, 4097)).union([10_000])
        #expect(salvage.map { Set($0.contents.numbers) } == numbers)
        #expect(salvage?.damage.lostObjects == [])
        #expect(salvage?.damage.isComplete == (count <= 4097))
    }

    @Test func `L5: objects in a cycle are not salvaged, and the report is incomplete`() {
        let cycle = [object(3, below: 4), object(4, below: 5), object(5, below: 4)]
        let salvage = salvage(
            Sample.log([object(1, below: 0), object(2, below: 1)] + cycle + [end], published: 0))
        #expect(salvage?.contents.numbers == [1, 2])
        #expect(salvage?.damage.isComplete == false)
    }

    @Test func `L5: an object is lost if the newest record of its large value is damaged`() throws {
        let old = OutOfLineValue(key: 1, bytes: [1, 1])
        let new = OutOfLineValue(key: 1, bytes: [2, 2])
        let header = ObjectHeader(number: 2, parent: 1, kind: 1, identifier: "large")
        let large = ObjectRecord(header: header, values: [], outOfLine: [old])
        var bytes = Sample.log([
            object(1, below: 0), ArchiveEntry(.object(large)),
            ArchiveEntry(.value(object: 2, old)), end,
            ArchiveEntry(.value(object: 2, new), end: PassEnd(scene: 1)),
        ])
        let last = try #require(ArchiveBytes(bytes).records.last)
        bytes[last.upperBound - 9] ^= 1
        let salvage = salvage(bytes)
        #expect(salvage?.contents.numbers == [1])
        #expect(salvage?.damage.lostObjects.map(\.path) == [["large"]])
        #expect(salvage?.damage.isComplete == true)
    }

    @Test func `L5: a damaged record of the shortest length is recognized and affects no object`() {
        var bytes = Sample.log([
            object(1, below: 0), end, ArchiveEntry(.opened), object(2, below: 1), end,
        ])
        let opened = ArchiveBytes(bytes).records[2]
        #expect(opened.count == ArchiveFormat.minimumRecordBytes)
        bytes[opened.lowerBound + 8] ^= 0x10
        let salvage = salvage(bytes)
        #expect(salvage?.contents.numbers == [1, 2])
        #expect(salvage?.damage == ArchiveSalvage.DamageReport())
    }

    @Test(arguments: [(2, [1]), (3, [1, 2])] as [(UInt64, [UInt32])])
    func `L5: a record of an incomplete pass is salvaged if the header says that it was synced`(
        published: UInt64, numbers: [UInt32]
    ) {
        let entries = [object(1, below: 0), end, object(2, below: 1)]
        let salvage = salvage(Sample.log(entries, published: published))
        #expect(salvage?.contents.numbers == numbers)
    }

    @Test func `L5: the highest number of a removed or lost object is not used again`() {
        let removed = [
            object(1, below: 0), object(2, below: 1), ArchiveEntry(.removal(number: 50)), end,
        ]
        let afterRemoval = salvage(Sample.log(removed))
        #expect(afterRemoval?.contents.numbers == [1, 2])
        #expect(afterRemoval?.contents.highestObjectNumber == 50)
        let lost = [object(1, below: 0), object(1000, below: 1), end]
        let afterLoss = salvage(Sample.log(lost)) { $0.header.number == 1 ? [] : nil }
        #expect(afterLoss?.contents.numbers == [1])
        #expect(afterLoss?.contents.highestObjectNumber == 1000)
    }

    @Test func `L5: no removed object is salvaged or reported as lost`() {
        var entries = [object(1, below: 0)]
        for number in 2...6 as ClosedRange<UInt32> { entries.append(object(number, below: 1)) }
        for number in [3, 5, 6] as [UInt32] {
            entries.append(ArchiveEntry(.removal(number: number)))
        }
        let salvage = salvage(Sample.log(entries + [end]))
        #expect(salvage?.contents.numbers == [1, 2, 4])
        #expect(salvage?.damage == ArchiveSalvage.DamageReport())
    }

    @Test(arguments: [(0, true), (127, true), (128, false), (200, false)])
    func `L5: a wrong byte is identified only among the first 128 bytes of a record`(
        index: Int, isExact: Bool
    ) {
        let name = ArchiveEntry(.name(number: 1, text: String(repeating: "a", count: 227)))
        let end = EncodedRecords.ChainEnd(sequence: 0, checksum: 5, fileMark: 0)
        var bytes = EncodedRecords(continuing: end, RecordList([name]), syncedSequence: 0).bytes
        #expect(bytes.count == 255)
        bytes[index] ^= 1
        var remainingSearchBytes = 1 << 30
        let broken = BrokenRecord(
            bytes[...], seed: 5, remainingSearchBytes: &remainingSearchBytes)
        #expect(broken?.isExact == isExact)
    }
}
