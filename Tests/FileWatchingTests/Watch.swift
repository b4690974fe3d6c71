import FileWatching
import SystemPackage
import Testing

/// Watch for targets in a scratch directory, with a sentinel target. All events of a change arrive before the event of
/// the sentinel.
///
/// The sentinel is a directory in which files are created. The kernel reports each new file once, and a check of the
/// directory does not find it earlier.
struct Watch: Sendable {
    let scratch: Scratch
    let events: FileEventSequence
    private let sentinel: String

    init(
        _ scratch: Scratch, _ targets: [FileTarget], with watcher: FileWatcher? = nil
    ) throws {
        self.scratch = scratch
        sentinel = "sentinel \(UInt64.random(in: 0...UInt64.max))"
        try scratch.createDirectory(sentinel)
        events = try (watcher ?? FileWatcher()).watch(
            targets + [.directory(scratch.path(sentinel), suffix: "")])
    }

    /// Watches a file.
    init(_ scratch: Scratch, file name: String, with watcher: FileWatcher? = nil) throws {
        try self.init(scratch, [.file(scratch.path(name))], with: watcher)
    }

    /// Watches the YAML files in a directory.
    init(_ scratch: Scratch, directory name: String) throws {
        try self.init(scratch, [.directory(scratch.path(name), suffix: ".yaml")])
    }

    /// Calls a closure and returns the resulting events, one for each target.
    func reportedEvents(_ body: () throws -> Void) async throws -> [FileTarget: FileEvent] {
        try body()
        try scratch.makeFile("\(sentinel)/\(UInt64.random(in: 0...UInt64.max))")
        var reportedEvents: [FileTarget: FileEvent] = [:]
        for await event in events {
            if event.target.path == scratch.path(sentinel) { return reportedEvents }
            let earlier = reportedEvents[event.target] ?? FileEvent(event.target, [])
            reportedEvents[event.target] = FileEvent(
                event.target, earlier.changes.union(event.changes),
                failure: event.failure)
        }
        throw Ended()
    }

    /// Calls a closure and returns the resulting changes to the only target.
    func changes(_ body: () throws -> Void) async throws -> FileChanges {
        try await reportedEvents(body).values.first?.changes ?? []
    }

    /// Expects that a closure causes exactly these changes to the only target.
    func expect(
        _ expected: FileChanges, sourceLocation: SourceLocation = #_sourceLocation,
        by body: () throws -> Void
    ) async throws {
        let changes = try await changes(body)
        #expect(changes == expected, sourceLocation: sourceLocation)
    }

    /// Waits until these changes to the only target have been reported.
    func await(_ expected: FileChanges) async throws {
        var changes: FileChanges = []
        for await event in events {
            changes.formUnion(event.changes)
            if changes.isSuperset(of: expected) { return }
        }
        throw Ended()
    }
}

/// Error for a sequence that ended unexpectedly.
struct Ended: Error {}
