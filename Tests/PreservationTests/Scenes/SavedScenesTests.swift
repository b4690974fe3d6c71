import SavedState
import StateRecords
import StateRestoration
import Testing

@testable import Preservation

@Suite struct SavedScenesTests {
    private let header = ObjectHeader(
        number: 2, parent: 1, kind: RestorationKind.viewController.rawValue, identifier: "id~2",
        classToken: 3, restorationClassToken: 4, storyboard: 5, storyboardIdentifier: 6)

    @Test func `the scenes of an archive include their objects and the times of their passes`() {
        var other = header
        other.number = 4
        other.parent = 3
        var contents = ArchiveContents.empty
        contents.objects = [scene(1, "main"), header, scene(3, "side"), other].map(record)
        contents.passEnds = [1: PassEnd(scene: 1, timestamp: 10)]
        let scenes = contents.savedScenes
        #expect(scenes.map(\.name) == ["main", "side"])
        #expect(scenes.map(\.saved.timestamp) == [10, 0])
        #expect(
            scenes.map(\.saved.records.objects) == [
                [record(scene(1, "main")), record(header)],
                [record(scene(3, "side")), record(other)],
            ])
    }

    @Test func `P9: large values are stored separately in the archive and can be read back`() {
        let object = ObjectRecord(
            header: header, values: [1, 4, 5, 7],
            outOfLine: [.init(key: 2, bytes: [2, 3]), .init(key: 6, bytes: [6])])
        let list = RecordList([record(scene(1, "main")), object])
        #expect(list.spans.map(\.type) == [.object, .object, .value, .value])
        #expect(list.objects.last == object)
    }

    private func scene(_ number: UInt32, _ name: String) -> ObjectHeader {
        ObjectHeader(number: number, parent: 0, kind: 0, identifier: name)
    }

    private func record(_ header: ObjectHeader) -> ObjectRecord {
        ObjectRecord(header: header, values: [UInt8(truncatingIfNeeded: header.number)])
    }
}
