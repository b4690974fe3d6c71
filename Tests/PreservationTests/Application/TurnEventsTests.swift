import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Events that report after a turn what it may have changed.
@Suite struct TurnEventsTests {
    @Test func `a turn sends a scene event only if it may have changed the appearance of a scene`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                _ = try await hosted.text()
                let events = EventCounter(application.wakeUps.sceneChange)
                _ = await application.status()
                events.reset()
                _ = try await hosted.text()
                #expect(events.count == 0)
                try await hosted.write("one")
                #expect(events.count > 0)
                events.reset()
                // The command changes no saved state, but it may have changed other state.
                _ = try await application.perform { _ in }
                #expect(events.count > 0)
                events.reset()
                _ = try await application.preserve()
                #expect(events.count > 0)
            }
        }
    }

    @Test func `P1: reading sends no scene event while another scene has unsaved changes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.unsavedScenes = ["other"]
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                let events = EventCounter(hosted.application.wakeUps.sceneChange)
                try await hosted.write("only in memory", in: "other")
                #expect(events.count > 0)
                _ = await hosted.application.status()
                events.reset()
                for scene in ["main", "other"] { _ = try await hosted.text(in: scene) }
                #expect(events.count == 0)
            }
        }
    }

    @Test func `a saved change sends a status event, and only a failure also sends a health event`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let status = EventCounter(application.wakeUps.statusChange)
                let health = EventCounter(application.wakeUps.healthChange)
                /// Runs an operation, and returns which of the two events it has sent.
                func events(
                    _ operation: () async throws -> Void
                ) async throws -> [Bool] {
                    // A turn sends these events after its replies.
                    _ = await application.status()
                    status.reset()
                    health.reset()
                    try await operation()
                    _ = await application.status()
                    return [status.count > 0, health.count > 0]
                }
                #expect(try await application.preserve() == .durable)
                #expect(try await events { _ = try await hosted.text() } == [false, false])
                #expect(try await events { try await hosted.write("one") } == [true, false])
                scratch.blockSaving()
                #expect(try await events { try await hosted.write("two") } == [true, true])
                scratch.allowSaving()
                #expect(try await events { try await hosted.write("three") } == [true, true])
            }
        }
    }
}

/// Counter of the events that a broadcast sends.
private final class EventCounter: Sendable {
    private let events = Mutex(0)

    init(_ broadcast: Broadcast) {
        broadcast.observe { self.events.withLock { $0 += 1 } }
    }

    var count: Int { events.withLock { $0 } }

    func reset() { events.withLock { $0 = 0 } }
}
