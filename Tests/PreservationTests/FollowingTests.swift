import SavedState
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// What those are told who follow an application.
@Suite struct FollowingTests {
    /// Keeps what it is told.
    private final class Follower: ApplicationFollower {
        private let told = Mutex<[ApplicationEvent]>([])
        let isFollowing: Bool

        init(isFollowing: Bool = true) { self.isFollowing = isFollowing }

        func note(_ events: [ApplicationEvent], of application: String) {
            told.withLock { $0 += events }
        }

        /// Takes out what was told, without passes.
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
        try await withScratchFolder { scratch async throws in
            try await withNotes(notes, in: scratch, settings) { try await body($0, follower) }
        }
    }

    @Test func `a launch is told before what it records, parents first`() async throws {
        try await follow { _, follower in
            let events = follower.take().filter { $0.kind != .durable }
            #expect(events.map(\.kind) == [.launched, .changed, .appeared])
            #expect(events.map(\.path) == [nil, nil, "note"])
            #expect(events[1].values == ["text": .value(.string("main "))])
            #expect(events[2].values == ["text": .value(.string(""))])
        }
    }

    @Test func `a change is told with the values that are others, and nothing for none`()
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

    @Test func `an object that goes is told by its path`() async throws {
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

    @Test func `nothing is told to somebody who does not follow`() async throws {
        try await follow(isFollowing: false) { hosted, follower in
            try await hosted.write("hello")
            #expect(follower.take().isEmpty)
        }
    }

    @Test func `the turns that may have changed a scene are told, and those that only look not`()
        async throws
    {
        try await follow { hosted, _ in
            var turns = hosted.application.changingTurns.makeAsyncIterator()
            for number in 0..<3 {
                try await hosted.write("\(number)")
                #expect(await turns.next() != nil)
            }
            for _ in 0..<10 { _ = try await hosted.application.look { _ in } }
            try await hosted.application.quit()
            // The stop is the next turn.
            #expect(await turns.next() != nil)
        }
    }

    @Test func `a look that launches nothing is refused for a scene that is only saved`()
        async throws
    {
        try await follow { hosted, _ in
            try await hosted.application.open(scene: "other")
            try await hosted.application.close(scene: "other")
            await #expect(throws: ApplicationError.self) {
                try await hosted.application.look(on: "other", launches: false) { _ in }
            }
            _ = try await hosted.application.look(on: "other") { _ in }
        }
    }

    // MARK: Objects that stand elsewhere

    /// An archive with the objects a, a/b and a/b/c below a scene.
    private func withArchive(
        _ body: (ApplicationArchive, [UInt32: ObjectHeader]) throws -> Void
    ) async throws {
        try await withScratchFolder { scratch in
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

    @Test func `an object that moves goes with all below it, and comes with it again`()
        async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[3])
            moved.parent = 1
            moved.identifier = "d"
            pass.placements = [moved]
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable()).told()
            #expect(events.map(\.kind) == [.disappeared, .appeared, .appeared])
            #expect(events.map(\.path) == ["a/b", "d", "d/c"])
        }
    }

    @Test func `what is removed below an object that moves does not come again`()
        async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[2])
            moved.identifier = "z"
            pass.placements = [moved]
            pass.removals = [4]
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable()).told()
            #expect(events.map(\.path) == ["a/b/c", "a", "z", "z/b"])
            #expect(
                events.map(\.kind) == [.disappeared, .disappeared, .appeared, .appeared])
        }
    }

    @Test func `what stands below something that is removed in what moves does not come again`()
        async throws
    {
        try await withArchive { archive, headers in
            var pass = PassRecords()
            var moved = try #require(headers[2])
            moved.identifier = "z"
            pass.placements = [moved]
            pass.removals = [3]
            let events = ObjectChanges(pass, of: "main", in: archive, names: NameTable()).told()
            #expect(events.map(\.path) == ["a/b", "a", "z"])
        }
    }

    @Test func `of very many objects, or bytes, a single event tells`() async throws {
        try await withArchive { archive, headers in
            let names = NameTable()
            let key = names.number(for: "key")
            for (count, size, isMany) in [(1000, 1, false), (1001, 1, true), (100, 12_000, true)] {
                var pass = PassRecords()
                for number in 0..<count {
                    let coder = StateEncoder(
                        names: names,
                        stamp: PassStamp(
                            bundleVersion: "", timestamp: 0, systemVersion: ""))
                    coder.begin(.none)
                    coder.encode(String(repeating: "x", count: size), forKey: "key")
                    pass.add(
                        ObjectRecord(
                            header: ObjectHeader(
                                number: UInt32(10 + number), parent: 1, kind: 1,
                                identifier: "\(number)"), values: coder.bytes[...]))
                }
                let events = ObjectChanges(pass, of: "main", in: archive, names: names).told()
                #expect((events.map(\.kind) == [.manyChanged]) == isMany, "\(count) \(key)")
            }
        }
    }
}
