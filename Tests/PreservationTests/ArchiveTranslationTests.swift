import SavedState
import StateRestoration
import Testing

@testable import Preservation

@Suite struct ArchiveTranslationTests {
    private let header = RecordHeader(
        number: RecordNumber(2), parent: RecordNumber(1), kind: .viewController,
        identifier: RestorationIdentifier(recorded: "id~2"), classToken: 3,
        restorationClassToken: 4, storyboard: 5, storyboardIdentifier: 6)

    @Test func `a record comes back as it went into the archive`() throws {
        let object = ObjectRecord(header: ObjectHeader(header), values: [8, 9])
        let saved = try #require(SavedRecord(object))
        #expect(saved.header == header)
        #expect(saved.values == [8, 9])
        #expect(ObjectHeader(saved.header) == object.header)
    }

    @Test func `a record of an unknown kind is left out, and those below it are not`() {
        var unknown = ObjectHeader(header)
        unknown.kind = 200
        #expect(SavedRecord(ObjectRecord(header: unknown, values: [])) == nil)
        var child = ObjectHeader(header)
        child.number = 3
        child.parent = 2
        let scene = SavedScene(
            record(scene(1, "main")), objects: [record(unknown), record(child)], pass: nil)
        #expect(scene.records.map(\.header.number.rawValue) == [3])
    }

    @Test func `a pass becomes names, objects with their values, placements, removals and its end`()
    {
        var pass = PassOutput(
            scene: RecordNumber(1),
            stamp: PassStamp(bundleVersion: "1", timestamp: 77, systemVersion: "TestOS 1"),
            isFull: true)
        pass.names = [StateRestoration.NumberedName(number: 3, text: "Note")]
        pass.objects = [PassRecord(header: header, values: 1..<3)]
        pass.values = [7, 8, 9]
        var moved = header
        moved.number = RecordNumber(6)
        moved.identifier = "moved"
        pass.moves = [moved]
        pass.removals = [RecordNumber(5)]
        var turn = TurnRecords()
        turn.add(pass)
        var expected = TurnRecords()
        expected.addName("Note", number: 3)
        expected.addObject(ObjectHeader(header), values: [8, 9])
        expected.addPlacement(ObjectHeader(moved))
        expected.addRemoval(5)
        expected.endPass(PassEnd(scene: 1, timestamp: 77))
        #expect(turn == expected)
    }

    @Test func `a scene comes back with its values, its objects and the time of its pass`() {
        let saved = SavedScene(
            record(scene(1, "main")), objects: [record(ObjectHeader(header))],
            pass: PassEnd(scene: 1, timestamp: 10))
        #expect(saved.number == RecordNumber(1))
        #expect(saved.timestamp == 10)
        #expect(saved.values == [1])
        #expect(saved.records.map(\.header.number.rawValue) == [2])
    }

    @Test(arguments: [false, true])
    func `P9: large values are apart in the archive, and come back so`(isFull: Bool) throws {
        var pass = PassOutput(
            scene: RecordNumber(1),
            stamp: PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: ""), isFull: isFull)
        pass.values = [0, 1, 2, 3, 4, 5, 6, 7]
        pass.objects = [
            PassRecord(
                header: header, values: 1..<8,
                outOfLine: [.init(key: 2, range: 2..<4), .init(key: 6, range: 6..<7)])
        ]
        var turn = TurnRecords()
        turn.add(pass)
        let record = try #require(turn.passes.first?.objectRecords.first)
        #expect(record.values == [1, 4, 5, 7])
        #expect(record.outOfLine == [.init(key: 2, bytes: [2, 3]), .init(key: 6, bytes: [6])])
        let saved = try #require(SavedRecord(record))
        #expect(saved.values == [1, 4, 5, 7])
        #expect(saved.outOfLine == [[2, 3], [6]])
        var root = record
        root.header = scene(1, "main")
        #expect(SavedScene(root, objects: [], pass: nil).outOfLine == [[2, 3], [6]])
    }

    private func scene(_ number: UInt32, _ name: String) -> ObjectHeader {
        ObjectHeader(number: number, parent: 0, kind: 0, identifier: name)
    }

    private func record(_ header: ObjectHeader) -> ObjectRecord {
        ObjectRecord(header: header, values: [UInt8(truncatingIfNeeded: header.number)])
    }
}
