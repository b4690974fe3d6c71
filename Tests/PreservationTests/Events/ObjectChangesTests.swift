import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import Testing

@testable import Preservation

/// Events for passes that remove, move or record several objects at once.
@Suite struct ObjectChangesTests {
    /// Object in an archive, with the numbers of the objects to which its two values refer.
    private struct Node {
        var number: UInt32
        var parent: UInt32
        var name: String
        var first: UInt8?
        var second: UInt8?

        init(
            _ number: UInt32, below parent: UInt32, _ name: String, first: UInt8? = nil,
            second: UInt8? = nil
        ) {
            (self.number, self.parent, self.name) = (number, parent, name)
            (self.first, self.second) = (first, second)
        }

        var header: ObjectHeader {
            ObjectHeader(
                number: number, parent: parent, kind: parent == 0 ? 0 : 1, identifier: name)
        }

        func record(_ names: NameTable) -> ObjectRecord {
            var values: [UInt8] = []
            for (key, target) in [("first", first), ("second", second)] {
                guard let target else { continue }
                let keyNumber: UInt32 = names.number(for: key)
                values += [UInt8(keyNumber), ValueTag.reference.rawValue, target]
            }
            return ObjectRecord(header: header, values: values[...])
        }
    }

    /// Returns the events for a pass over a scene that contains the given objects.
    ///
    /// - Parameters:
    ///   - nodes: The saved objects, parents first. The scene has the number 1.
    ///   - recorded: The objects that the pass records.
    ///   - moved: The objects that the pass moves.
    ///   - removed: The numbers of the objects that the pass removes.
    private func events(
        in nodes: [Node], recording recorded: [Node] = [], moving moved: [Node] = [],
        removing removed: [UInt32] = []
    ) throws -> [ApplicationEvent] {
        let archive = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let names = NameTable()
        var pass = PassRecords()
        for key in ["first", "second"] { pass.names.append((names.number(for: key), key)) }
        for node in [Node(1, below: 0, "main")] + nodes { pass.add(node.record(names)) }
        pass.end = PassEnd(scene: 1, timestamp: 1)
        var turn = TurnRecords()
        turn.add(pass)
        try archive.append(turn)
        pass = PassRecords()
        for node in recorded { pass.add(node.record(names)) }
        pass.placements = moved.map(\.header)
        pass.removals = removed
        pass.end = PassEnd(scene: 1, timestamp: 2)
        return ObjectChanges(pass, of: "main", in: archive, names: names).applicationEvents()
    }

    /// Returns the kind and the path of each event, sorted, because moved objects have no order.
    private func summary(_ events: [ApplicationEvent]) -> [String] {
        events.map { "\($0.kind) \($0.path ?? "-")" }.sorted()
    }

    @Test func `every moved object disappears and appears again`() throws {
        let events = try events(
            in: [Node(2, below: 1, "a"), Node(3, below: 1, "b")],
            moving: [Node(2, below: 1, "x"), Node(3, below: 1, "y")])
        #expect(summary(events) == ["appeared x", "appeared y", "disappeared a", "disappeared b"])
    }

    @Test func `references to each of several removed objects are reported as nil`() throws {
        let events = try events(
            in: [
                Node(2, below: 1, "a"), Node(3, below: 1, "b"),
                Node(4, below: 1, "c", first: 2, second: 3),
            ], removing: [2, 3])
        #expect(summary(events) == ["changed c", "disappeared a", "disappeared b"])
        let nothing = ApplicationEvent.ChangedValue.value(.reference(nil))
        #expect(events.last?.values == ["first": nothing, "second": nothing])
    }

    @Test func `a reference is reported whichever new object it refers to`() throws {
        let events = try events(
            in: [Node(2, below: 1, "a", first: 9)],
            recording: [Node(8, below: 1, "b"), Node(9, below: 1, "c")])
        #expect(summary(events) == ["appeared b", "appeared c", "changed a"])
    }

    @Test func `every changed value of an object is reported`() throws {
        let events = try events(
            in: [Node(2, below: 1, "a", first: 2, second: 2), Node(3, below: 1, "b")],
            recording: [Node(2, below: 1, "a", first: 3, second: 3)])
        let path = ApplicationEvent.ChangedValue.value(.reference(RestorationPath(["b"])))
        #expect(events.map(\.values) == [["first": path, "second": path]])
    }

    @Test func `a recorded object with a reference to a moved object is reported once`() throws {
        let nodes = [
            Node(2, below: 1, "a"), Node(3, below: 1, "b"), Node(4, below: 1, "c", first: 2),
        ]
        let events = try events(
            in: nodes,
            recording: [Node(3, below: 1, "b", first: 3), Node(4, below: 1, "c", first: 2)],
            moving: [Node(2, below: 1, "x")])
        #expect(summary(events) == ["appeared x", "changed b", "changed c", "disappeared a"])
    }

    @Test func `recorded objects below a moved object are reported once`() throws {
        let events = try events(
            in: [Node(2, below: 1, "a"), Node(3, below: 2, "b"), Node(4, below: 2, "c")],
            recording: [Node(3, below: 2, "b", first: 3), Node(4, below: 2, "c", first: 4)],
            moving: [Node(2, below: 1, "x")])
        #expect(
            summary(events) == ["appeared x", "appeared x/b", "appeared x/c", "disappeared a"])
    }

    @Test func `objects that are removed with their parent cause no further events`() throws {
        let events = try events(
            in: [
                Node(2, below: 1, "a"), Node(3, below: 2, "b", first: 2),
                Node(4, below: 2, "c", first: 2),
            ], removing: [2])
        #expect(summary(events) == ["disappeared a"])
    }

    @Test func `objects that are removed below a moved object do not appear`() throws {
        let events = try events(
            in: [
                Node(2, below: 1, "a"), Node(3, below: 2, "b"), Node(4, below: 2, "c"),
                Node(5, below: 3, "d"), Node(6, below: 4, "e"),
            ], moving: [Node(2, below: 1, "x")], removing: [3, 4])
        #expect(
            summary(events) == [
                "appeared x", "disappeared a", "disappeared a/b", "disappeared a/c",
            ])
    }
}
