import Testing

@testable import Preservation
@testable import SavedState
@testable import StateRestoration

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
        let contents = contents([scene(1, "main"), unknown, child])
        #expect(contents.savedScenes()["main"]?.records.map(\.header.number.rawValue) == [3])
    }

    @Test func `a pass becomes names, objects with their values, removals and its end`() {
        var pass = PassOutput(
            scene: RecordNumber(1),
            stamp: PassStamp(bundleVersion: "1", timestamp: 77, systemVersion: "TestOS 1"),
            isFull: true)
        pass.names = [StateRestoration.NumberedName(number: 3, text: "Note")]
        pass.objects = [PassRecord(header: header, values: 1..<3)]
        pass.values = [7, 8, 9]
        pass.removals = [RecordNumber(5)]
        var turn = TurnRecords()
        turn.add(pass)
        #expect(
            turn.records == [
                .name(number: 3, text: "Note"),
                .object(ObjectRecord(header: ObjectHeader(header), values: [8, 9])),
                .removal(number: 5), .passEnd(PassEnd(scene: 1, timestamp: 77)),
            ])
    }

    @Test func `S1: the objects of an archive are told apart by scene, however deep they lie`() {
        let contents = contents([
            scene(1, "main"), object(3, below: 1), object(4, below: 3), scene(2, "other"),
            object(5, below: 2), object(6, below: 5), object(7, below: 4),
        ])
        let scenes = contents.savedScenes()
        #expect(scenes.count == 2)
        #expect(scenes["main"]?.number == RecordNumber(1))
        #expect(scenes["main"]?.timestamp == 10)
        #expect(scenes["main"]?.values == [1])
        #expect(scenes["main"]?.records.map(\.header.number.rawValue) == [3, 4, 7])
        #expect(scenes["other"]?.timestamp == 20)
        #expect(scenes["other"]?.records.map(\.header.number.rawValue) == [5, 6])
    }

    private func scene(_ number: UInt32, _ name: String) -> ObjectHeader {
        ObjectHeader(number: number, parent: 0, kind: 0, identifier: name)
    }

    private func object(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: "o\(number)")
    }

    private func contents(_ headers: [ObjectHeader]) -> ArchiveContents {
        ArchiveContents(
            names: [:],
            objects: headers.map {
                ObjectRecord(header: $0, values: [UInt8(truncatingIfNeeded: $0.number)])
            },
            passes: [
                1: PassEnd(scene: 1, timestamp: 10), 2: PassEnd(scene: 2, timestamp: 20),
            ], closed: false, sequence: 1, highestObjectNumber: 9, highestNameNumber: 0)
    }
}
