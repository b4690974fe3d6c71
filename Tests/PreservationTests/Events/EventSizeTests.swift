import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import Testing

@testable import Preservation

/// Sizes of the events for a pass, and passes that cause no events.
@Suite struct EventSizeTests {
    /// Returns a record of an object, whose only value may refer to another object.
    private func record(
        _ number: UInt32, below parent: UInt32 = 1, _ name: String, to target: UInt8? = nil,
        _ names: NameTable
    ) -> ObjectRecord {
        let key = UInt8(names.number(for: "target"))
        let values = target.map { [key, ValueTag.reference.rawValue, $0] } ?? []
        return ObjectRecord(
            header: ObjectHeader(
                number: number, parent: parent, kind: parent == 0 ? 0 : 1, identifier: name),
            values: values[...])
    }

    /// Returns the events for a pass over a scene with the objects `a` and `b`, in which `b` refers to `a`.
    private func events(
        _ change: (inout PassRecords, NameTable) -> Void
    ) throws -> [ApplicationEvent] {
        let archive = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let names = NameTable()
        var pass = PassRecords()
        pass.names = [(names.number(for: "target"), "target")]
        pass.add(record(1, below: 0, "main", names))
        pass.add(record(2, "a", names))
        pass.add(record(3, "b", to: 2, names))
        pass.end = PassEnd(scene: 1, timestamp: 1)
        var turn = TurnRecords()
        turn.add(pass)
        try archive.append(turn)
        pass = PassRecords()
        change(&pass, names)
        pass.end = PassEnd(scene: 1, timestamp: 2)
        return ObjectChanges(pass, of: "main", in: archive, names: names).applicationEvents()
    }

    @Test func `a reference of a moved object to another moved object is counted once`() throws {
        let events = try events { pass, names in
            pass.placements = [record(2, "x", names).header, record(3, "y", names).header]
        }
        let event = events.first { $0.path == "y" }
        #expect(event?.values.count == 1)
        // The value consists of its tag and of the number of the object.
        #expect(event?.byteCount == 2)
    }

    @Test func `the removal of a scene is not reported as the removal of an object`() throws {
        let events = try events { pass, _ in pass.removals = [1] }
        #expect(events.isEmpty)
    }
}
