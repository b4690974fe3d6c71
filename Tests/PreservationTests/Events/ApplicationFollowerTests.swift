import Logging
import SavedState
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Events that followers of an application receive.
@Suite struct ApplicationFollowerTests {
    /// Follower that stores the events it receives.
    private final class Follower: ApplicationEventFollower {
        private let told = Mutex<[ApplicationEvent]>([])
        let isFollowing: Bool

        init(isFollowing: Bool = true) { self.isFollowing = isFollowing }

        func receive(_ events: [ApplicationEvent], of application: String) {
            told.withLock { $0 += events }
        }

        /// Removes and returns the received events, except passes.
        func take() -> [ApplicationEvent] {
            told.withLock { told in
                defer { told = [] }
                return told.filter { $0.kind != .pass }
            }
        }
    }

    private func follow(
        _ notes: Notes = Notes(), isFollowing: Bool = true,
        _ body: (HostedNotes, Follower) async throws -> Void
    ) async throws {
        let follower = Follower(isFollowing: isFollowing)
        var settings = HostedSettings()
        settings.follower = follower
        try await withScratchDirectory { scratch async throws in
            try await withNotes(notes, in: scratch, settings) { try await body($0, follower) }
        }
    }

    @Test func `a launch event precedes the events of its objects, parents first`() async throws {
        try await follow { _, follower in
            let events = follower.take().filter { $0.kind != .durable }
            #expect(events.map(\.kind) == [.launched, .changed, .appeared])
            #expect(events.map(\.path) == [nil, nil, "note"])
            #expect(events[1].values == ["text": .value(.string("main "))])
            #expect(events[2].values == ["text": .value(.string(""))])
        }
    }

    @Test
    func `a change event contains only the changed values, and an equal value causes no event`()
        async throws
    {
        try await follow { hosted, follower in
            _ = follower.take()
            try await hosted.write("hello")
            #expect(
                follower.take().map(\.values) == [["text": .value(.string("hello"))]])
            try await hosted.write("hello")
            #expect(follower.take().isEmpty)
            try await hosted.write(String(repeating: "x", count: 20_000))
            #expect(follower.take().map(\.values) == [["text": .large(bytes: 20_004)]])
        }
    }

    @Test
    func `replacing an object sends a disappeared event and an appeared event with their paths`()
        async throws
    {
        let notes = Notes()
        try await follow(notes) { hosted, follower in
            _ = follower.take()
            _ = try await hosted.application.perform { scene in
                let delegate = scene.delegate as? NotesDelegate
                delegate?.note = Note("other", notes)
                delegate?.note?.text = "new"
            }
            let events = follower.take()
            #expect(events.map(\.kind) == [.disappeared, .appeared])
            #expect(events.map(\.path) == ["note", "other"])
            #expect(events.last?.values == ["text": .value(.string("new"))])
        }
    }

    @Test func `a follower that is not following receives no events`() async throws {
        try await follow(isFollowing: false) { hosted, follower in
            try await hosted.write("hello")
            #expect(follower.take().isEmpty)
        }
    }

    @Test func `turns that may have changed a scene send an event, but read-only turns do not`()
        async throws
    {
        try await follow { hosted, _ in
            var turns = hosted.application.sceneUpdates.makeAsyncIterator()
            for number in 0..<3 {
                try await hosted.write("\(number)")
                #expect(await turns.next() != nil)
            }
            // Events are sent before the reply, so read-only turns do not cause further events.
            let updateCount = Mutex(0)
            let sceneUpdates = hosted.application.sceneUpdates
            let listener = Task {
                for await _ in sceneUpdates { updateCount.withLock { $0 += 1 } }
            }
            for _ in 0..<10 { _ = try await hosted.application.inspect { _ in } }
            listener.cancel()
            await listener.value
            #expect(updateCount.withLock { $0 } == 0)
            try await hosted.application.quitUntilLaunch()
            #expect(await turns.next() != nil)
        }
    }

    @Test func `inspecting a saved scene without launching it is refused`()
        async throws
    {
        try await follow { hosted, _ in
            try await hosted.application.open(scene: "other")
            try await hosted.application.close(scene: "other")
            await #expect(throws: ApplicationError.self) {
                try await hosted.application.inspect(on: "other", launchesScene: false) { _ in }
            }
            _ = try await hosted.application.inspect(on: "other") { _ in }
        }
    }

    // MARK: Moved objects

    /// Calls a closure with an archive that contains the objects a, a/b and a/b/c below a scene.
    private func withArchive(
        _ body: (ApplicationArchive, [UInt32: ObjectHeader]) throws -> Void
    ) async throws {
        try await withScratchDirectory { scratch in
            let archive = try scratch.watched(by: scratch.watch).archive(of: "org.example.A")
            _ = try archive.load()
            var pass = PassRecords()
            var headers: [UInt32: ObjectHeader] = [:]
            for (number, parent, name) in [(1, 0, "main"), (2, 1, "a"), (3, 2, "b"), (4, 3, "c")]
                as [(UInt32, UInt32, String)]
            {
                let header = ObjectHeader(
                    number: number, parent: parent, kind: parent == 0 ? 0 : 1, identifier: name)
                headers[number] = header
                pass.add(ObjectRecord(header: header, values: []))
            }
            pass.end = PassEnd(scene: 1, timestamp: 1)
            var turn = TurnRecords()
            turn.add(pass)
            try archive.append(turn)
            try body(archive, headers)
        }
    }

    @Test func `a moved object disappears and appears again with all its descendants`()
        async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[3])
            moved.parent = 1
            moved.identifier = "d"
            pass.placements = [moved]
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable())
                .applicationEvents()
            #expect(events.map(\.kind) == [.disappeared, .appeared, .appeared])
            #expect(events.map(\.path) == ["a/b", "d", "d/c"])
        }
    }

    @Test func `an object removed below a moved object does not appear again`()
        async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[2])
            moved.identifier = "z"
            pass.placements = [moved]
            pass.removals = [4]
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable())
                .applicationEvents()
            #expect(events.map(\.path) == ["a/b/c", "a", "z", "z/b"])
            #expect(
                events.map(\.kind) == [.disappeared, .disappeared, .appeared, .appeared])
        }
    }

    @Test func `descendants of an object removed below a moved object do not appear again`()
        async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[2])
            moved.identifier = "z"
            pass.placements = [moved]
            pass.removals = [3]
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable())
                .applicationEvents()
            #expect(events.map(\.path) == ["a/b", "a", "z"])
        }
    }

    // MARK: References

    /// Returns the events for a pass over an archive in which `b` refers to another object.
    ///
    /// The archive contains `a`, its child `c`, and `b`, a sibling of `a`.
    ///
    /// - Parameter target: The number of the object that `b` refers to. The default is the number of `c`.
    private func told(
        referringTo target: UInt8 = 4,
        _ change: (inout PassRecords, [UInt32: ObjectHeader]) -> Void
    ) async throws -> [ApplicationEvent] {
        try await withScratchDirectory { scratch in
            let archive = try scratch.watched(by: scratch.watch).archive(of: "org.example.A")
            _ = try archive.load()
            let names = NameTable()
            let key = UInt8(names.number(for: "peer"))
            var pass = PassRecords()
            pass.names = [(UInt32(key), "peer")]
            var headers: [UInt32: ObjectHeader] = [:]
            for (number, parent, name) in [(1, 0, "main"), (2, 1, "a"), (3, 1, "b"), (4, 2, "c")]
                as [(UInt32, UInt32, String)]
            {
                let header = ObjectHeader(
                    number: number, parent: parent, kind: parent == 0 ? 0 : 1, identifier: name)
                headers[number] = header
                let values = number == 3 ? [key, ValueTag.reference.rawValue, target] : []
                pass.add(ObjectRecord(header: header, values: values[...]))
            }
            pass.end = PassEnd(scene: 1, timestamp: 1)
            var turn = TurnRecords()
            turn.add(pass)
            try archive.append(turn)
            pass = PassRecords()
            pass.end = PassEnd(scene: 1, timestamp: 2)
            change(&pass, headers)
            return ObjectChanges(pass, of: "main", in: archive, names: names).applicationEvents()
        }
    }

    private static func peer(_ path: RestorationPath?) -> [String: ApplicationEvent.ChangedValue] {
        ["peer": .value(.reference(path))]
    }

    @Test func `a reference to an object is reported again if the object's ancestor moves`()
        async throws
    {
        let events = try await told { pass, headers in
            guard var moved = headers[2] else { return }
            moved.identifier = "z"
            pass.placements = [moved]
        }
        #expect(events.map(\.path) == ["a", "z", "z/c", "b"])
        #expect(events[3].kind == .changed)
        #expect(events[3].values == Self.peer(RestorationPath(["z", "c"])))
    }

    @Test func `a reference to a removed object is reported as nil`() async throws {
        for number: UInt32 in [2, 4] {
            let events = try await told { pass, _ in pass.removals = [number] }
            #expect(events.map(\.kind) == [.disappeared, .changed])
            #expect(events.last?.path == "b")
            #expect(events.last?.values == Self.peer(nil))
        }
    }

    @Test func `a reference is reported when its object is recorded for the first time`()
        async throws
    {
        let events = try await told(referringTo: 9) { pass, _ in
            pass.add(
                ObjectRecord(
                    header: ObjectHeader(number: 9, parent: 1, kind: 1, identifier: "d"),
                    values: []))
        }
        #expect(events.map(\.path) == ["d", "b"])
        #expect(events.last?.values == Self.peer(RestorationPath(["d"])))
    }

    @Test func `references are not reported if no object moves`() async throws {
        let events = try await told { pass, headers in
            if let header = headers[2] { pass.add(ObjectRecord(header: header, values: [])) }
        }
        #expect(events.isEmpty)
    }

    @Test func `objects appear parents first, whatever their order in the pass`() async throws {
        let events = try await told { pass, _ in
            for (number, parent, name) in [(7, 6, "z"), (6, 5, "y"), (5, 1, "x")]
                as [(UInt32, UInt32, String)]
            {
                pass.add(
                    ObjectRecord(
                        header: ObjectHeader(
                            number: number, parent: parent, kind: 1, identifier: name), values: []))
            }
        }
        #expect(events.map(\.path) == ["x", "x/y", "x/y/z"])
    }

    @Test func `an object that keeps its identifier but changes its parent has moved`() async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[4])
            moved.parent = 1
            pass.placements = [moved]
            pass.end = PassEnd(scene: 1, timestamp: 2)
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable())
                .applicationEvents()
            #expect(events.map(\.kind) == [.disappeared, .appeared])
            #expect(events.map(\.path) == ["a/b/c", "c"])
        }
    }

    @Test(arguments: [998, 999])
    func `moving an object with more than 998 descendants is reported as a single event`(
        count: UInt32
    )
        async throws
    {
        try await withScratchDirectory { scratch in
            let archive = try scratch.watched(by: scratch.watch).archive(of: "org.example.A")
            _ = try archive.load()
            var pass = PassRecords()
            func header(_ number: UInt32, below parent: UInt32, _ name: String) -> ObjectHeader {
                ObjectHeader(
                    number: number, parent: parent, kind: parent == 0 ? 0 : 1, identifier: name)
            }
            pass.add(ObjectRecord(header: header(1, below: 0, "main"), values: []))
            pass.add(ObjectRecord(header: header(2, below: 1, "a"), values: []))
            for number in 3..<3 + count {
                pass.add(ObjectRecord(header: header(number, below: 2, "\(number)"), values: []))
            }
            pass.end = PassEnd(scene: 1, timestamp: 1)
            var turn = TurnRecords()
            turn.add(pass)
            try archive.append(turn)
            pass = PassRecords()
            pass.placements = [header(2, below: 1, "b")]
            pass.end = PassEnd(scene: 1, timestamp: 2)
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable())
                .applicationEvents()
            // The object disappears, and then appears again together with its descendants.
            let kinds =
                [ApplicationEvent.Kind.disappeared]
                + Array(repeating: .appeared, count: Int(count) + 1)
            #expect(events.map(\.kind) == (count > 998 ? [.manyChanged] : kinds))
        }
    }

    @Test func `a pass with very many objects or bytes is reported as a single event`() async throws
    {
        try await withArchive { archive, headers in
            let names = NameTable()
            let key = names.number(for: "key")
            // A value that is too large to be sent counts as 16 KiB.
            let cases = [
                (1000, 1, false), (1001, 1, true), (100, 12_000, true), (64, 20_000, false),
                (65, 20_000, true),
            ]
            for (count, size, isMany) in cases {
                var pass = PassRecords()
                for number in 0..<count {
                    let coder = StateEncoder(
                        names: names,
                        passMetadata: PassMetadata(
                            bundleVersion: "", timestamp: 0, systemVersion: ""))
                    coder.begin(.none)
                    coder.encode(String(repeating: "x", count: size), forKey: "key")
                    pass.add(
                        ObjectRecord(
                            header: ObjectHeader(
                                number: UInt32(10 + number), parent: 1, kind: 1,
                                identifier: "\(number)"), values: coder.bytes[...]))
                }
                let events = ObjectChanges(pass, of: "main", in: archive, names: names)
                    .applicationEvents()
                #expect((events.map(\.kind) == [.manyChanged]) == isMany, "\(count) \(key)")
            }
        }
    }

    @Test(arguments: [(16_383, false), (16_384, false), (16_385, true)])
    func `a value of up to 16 KiB is reported, but only the size of a larger value`(
        byteCount: Int, isLarge: Bool
    ) async throws {
        let names = NameTable()
        _ = names.number(for: "peer")
        let coder = StateEncoder(
            names: names,
            passMetadata: PassMetadata(bundleVersion: "", timestamp: 0, systemVersion: ""))
        coder.begin(.none)
        coder.encode(String(repeating: "x", count: byteCount - 3), forKey: "peer")
        let bytes = coder.bytes
        let events = try await told { pass, headers in
            guard let header = headers[2] else { return }
            pass.add(ObjectRecord(header: header, values: bytes[...]))
        }
        // The number of the key has one byte and is not part of the value.
        try #require(bytes.count == byteCount + 1)
        switch events.first?.values["peer"] {
        case .large(let count): #expect(isLarge && count == byteCount)
        case .value(.string(let text)): #expect(!isLarge && text.utf8.count == byteCount - 3)
        default: Issue.record("\(events)")
        }
    }

    @Test func `an application has one follower at a time`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let (first, second) = (Follower(), Follower())
                #expect(await hosted.application.follow(by: first))
                #expect(await !hosted.application.follow(by: second))
                try await hosted.write("one")
                #expect(first.take().contains { $0.path == "note" })
                #expect(second.take().isEmpty)
                await hosted.application.removeFollower()
                try await hosted.write("two")
                #expect(first.take().isEmpty)
                #expect(await hosted.application.follow(by: second))
                try await hosted.write("three")
                #expect(second.take().contains { $0.path == "note" })
                #expect(first.take().isEmpty)
            }
        }
    }

    @Test func `a replaced archive is a problem for followers only at the level warning or higher`()
    {
        #expect(LogEvent.archiveReplaced.followerEventKind(at: .notice) == nil)
        #expect(LogEvent.archiveReplaced.followerEventKind(at: .warning) == .problem)
        #expect(LogEvent.archiveReplaced.followerEventKind(at: .error) == .problem)
    }

    @Test(arguments: [1_000, 1_001])
    func `more than 1,000 removals or placements are reported as a single event`(count: UInt32)
        async throws
    {
        for isRemoval in [false, true] {
            let events = try await told { pass, headers in
                if isRemoval {
                    pass.removals = (100..<100 + count).map { $0 }
                } else if let header = headers[2] {
                    pass.placements = Array(repeating: header, count: Int(count))
                }
            }
            #expect(events.map(\.kind) == (count > 1_000 ? [.manyChanged] : []))
        }
    }
}
