import FileWatching
import SystemPackage
import Testing

/// Targets in a scratch folder that are watched, with a sentinel after them: what was told by the
/// time it is told of the sentinel is all there was.
///
/// The sentinel is a folder in which names are made: of these the kernel tells once, and no look at
/// the folder finds them earlier.
struct Watch: Sendable {
    let scratch: Scratch
    let events: FileEvents
    private let sentinel: String

    init(
        _ scratch: Scratch, _ targets: [FileTarget], with watcher: FileWatcher? = nil
    ) throws {
        self.scratch = scratch
        sentinel = "sentinel \(UInt64.random(in: 0...UInt64.max))"
        try scratch.makeFolder(sentinel)
        events = try (watcher ?? FileWatcher()).watch(
            targets + [.folder(scratch.path(sentinel), suffix: "")])
    }

    /// Watches one file.
    init(_ scratch: Scratch, file name: String, with watcher: FileWatcher? = nil) throws {
        try self.init(scratch, [.file(scratch.path(name))], with: watcher)
    }

    /// Watches the YAML files of a folder.
    init(_ scratch: Scratch, folder name: String) throws {
        try self.init(scratch, [.folder(scratch.path(name), suffix: ".yaml")])
    }

    /// The events that a body leads to, one for each target.
    func told(_ body: () throws -> Void) async throws -> [FileTarget: FileEvent] {
        try body()
        try scratch.makeFile("\(sentinel)/\(UInt64.random(in: 0...UInt64.max))")
        var told: [FileTarget: FileEvent] = [:]
        for await event in events {
            if event.target.path == scratch.path(sentinel) { return told }
            let earlier = told[event.target] ?? FileEvent(event.target, [])
            told[event.target] = FileEvent(
                event.target, earlier.changes.union(event.changes),
                failure: event.failure)
        }
        throw Ended()
    }

    /// The changes of the only target that a body leads to.
    func changes(_ body: () throws -> Void) async throws -> FileChanges {
        try await told(body).values.first?.changes ?? []
    }

    /// Expects that a body leads to exactly these changes of the only target.
    func expect(
        _ expected: FileChanges, sourceLocation: SourceLocation = #_sourceLocation,
        by body: () throws -> Void
    ) async throws {
        let changes = try await changes(body)
        #expect(changes == expected, sourceLocation: sourceLocation)
    }

    /// Waits until these changes of the only target were told.
    func await(_ expected: FileChanges) async throws {
        var changes: FileChanges = []
        for await event in events {
            changes.formUnion(event.changes)
            if changes.isSuperset(of: expected) { return }
        }
        throw Ended()
    }
}

/// A sequence ended that should not have.
struct Ended: Error {}
