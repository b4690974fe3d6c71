import FoundationEssentials
import RestorationTesting
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Elements that expire.
@Suite struct ElementDeadlinesTests {
    private struct Session: Codable, Equatable, Identifiable {
        var id: Int
        var expires: Date?
    }

    private struct Refusal: Error {}

    private typealias Sessions = RestorableCollection<Session>

    /// Initial wall-clock time of an application.
    private static let start = Date(timeIntervalSince1970: 1_000_000)

    private func makeProgram() throws -> TestProgram<Sessions> {
        try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            return (
                application,
                try await application.collection(
                    "sessions", of: Session.self, expires: \.expires)
            )
        }
    }

    @Test func `an expired element is removed, and the removal is saved and reported`()
        async throws
    {
        let program = try makeProgram()
        let start = program.clock.date
        try await program.run(endingBy: .kill) { _, sessions async throws in
            try await sessions.update { sessions in
                sessions.append(Session(id: 1, expires: start + 60))
                sessions.append(Session(id: 2))
                sessions.append(Session(id: 3, expires: start + 90))
                sessions.append(Session(id: 4, expires: start + 60))
            }
            var changes = sessions.changes.makeAsyncIterator()
            var copy: [Session] = []
            await changes.next()?.apply(to: &copy)
            #expect(copy.map(\.id) == [1, 2, 3, 4])
            await program.clock.waitForSleeper(for: .seconds(60))
            program.clock.advance(by: .seconds(60))
            guard case .elements(let removals) = await changes.next() else {
                Issue.record("not a list of changes")
                return
            }
            #expect(removals.count == 2)
            CollectionChange.elements(removals).apply(to: &copy)
            #expect(copy.map(\.id) == [2, 3])
            await program.clock.waitForSleeper(for: .seconds(30))
        }
        try await program.run { application, sessions async throws in
            #expect(try await application.report().recorded == 3)
            #expect(try await sessions.elements.map(\.id) == [2, 3])
        }
        #expect(program.problems.isEmpty)
    }

    @Test func `an element that expires while the program is down is removed by the next launch`()
        async throws
    {
        let program = try makeProgram()
        let start = program.clock.date
        try await program.run(endingBy: .kill) { _, sessions async throws in
            try await sessions.update { sessions in
                sessions.append(Session(id: 1, expires: start + 60))
                sessions.append(Session(id: 2, expires: start + 600))
            }
        }
        program.clock.advance(by: .seconds(60))
        try await program.run(endingBy: .kill) { application, sessions async throws in
            // The element is gone even from the scene's objects.
            let paths = try await application.read { scene in
                scene.registeredObjects.flatMap { object in
                    var identifiers: [String] = []
                    object.forEachRestorationChild { child in
                        identifiers.append(child.restoration.identifier?.text ?? "")
                    }
                    return identifiers
                }
            }
            #expect(paths == ["2"])
            #expect(try await sessions.elements.map(\.id) == [2])
            // The deadline survives the launches.
            await program.clock.waitForSleeper(for: .seconds(540))
        }
        try await program.run { application, sessions async throws in
            #expect(try await application.report().recorded == 2)
            #expect(try await application.report().unrestored.isEmpty)
        }
        #expect(program.problems.isEmpty)
    }

    @Test func `a changed deadline replaces the earlier deadline`() async throws {
        let program = try makeProgram()
        let start = program.clock.date
        try await program.run { _, sessions async throws in
            try await sessions.update { $0.append(Session(id: 1, expires: start + 60)) }
            await program.clock.waitForSleeper(for: .seconds(60))
            // Many changes leave many earlier deadlines.
            for seconds in 100...300 {
                try await sessions.update { $0[id: 1]?.expires = start + Double(seconds) }
            }
            await program.clock.waitForSleeper(for: .seconds(300))
            program.clock.advance(by: .seconds(299))
            #expect(try await sessions.count == 1)
            // An update that throws does not change the deadline.
            await #expect(throws: Refusal.self) {
                try await sessions.update { sessions in
                    sessions[id: 1]?.expires = start
                    throw Refusal()
                }
            }
            #expect(try await sessions.count == 1)
            try await sessions.update { $0[id: 1]?.expires = nil }
            // This read begins after the turn of the update, whose duration the clock would change.
            #expect(try await sessions.count == 1)
            program.clock.advance(by: .seconds(3600))
            #expect(try await sessions.count == 1)
            // An element whose deadline has passed is saved, but is never returned.
            try await sessions.update { $0[id: 1]?.expires = start }
            #expect(try await sessions.count == 0)
            #expect(try await sessions[id: 1] == nil)
        }
        #expect(program.problems.isEmpty)
    }

    @Test func `elements expire in the order of their deadlines`()
        async throws
    {
        let program = try makeProgram()
        let start = program.clock.date
        try await program.run { application, sessions async throws in
            try await sessions.update { sessions in
                for id in 1...50 {
                    sessions.append(Session(id: id, expires: start + Double((id * 37) % 50 + 1)))
                }
            }
            for second in 1...50 {
                program.clock.advance(by: .seconds(1))
                let remaining = (1...50).filter { ($0 * 37) % 50 + 1 > second }
                let ids = try await application.read(sessions) { $0.map(\.id) }
                #expect(ids == remaining)
            }
        }
    }

    /// Runs an application whose wall clock is set independently of its other clock.
    private func withSessions(
        _ body: (Sessions, TestClock, _ set: (Date) -> Void) async throws -> Void
    ) async throws {
        let clock = TestClock()
        let wallClock = WallClock()
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            var settings = PreservationSettings()
            settings.clock = clock
            settings.now = {
                Int64(wallClock.date.withLock { $0 }.timeIntervalSince1970 * 1_000_000)
            }
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: .quiet)
            let sessions = try await application.collection(
                "sessions", of: Session.self, expires: { $0.expires })
            async let running: Void = application.run()
            try await body(sessions, clock) { date in wallClock.date.withLock { $0 = date } }
            try await application.quit()
            try await running
        }
    }

    private final class WallClock: Sendable {
        let date = Mutex(ElementDeadlinesTests.start)
    }

    @Test func `a deadline with a fraction of a second passes when the clock reaches it`()
        async throws
    {
        let program = try makeProgram()
        let start = program.clock.date
        try await program.run { _, sessions async throws in
            try await sessions.update { $0.append(Session(id: 1, expires: start + 0.1)) }
            await program.clock.waitForSleeper(for: .milliseconds(100))
            program.clock.advance(by: .milliseconds(100))
            #expect(try await sessions.count == 0)
        }
    }

    @Test func `deadlines are compared with the wall clock, even if it is set`() async throws {
        let start = Self.start
        try await withSessions { sessions, clock, set async throws in
            try await sessions.update { $0.append(Session(id: 1, expires: start + 60)) }
            await clock.waitForSleeper(for: .seconds(60))
            // If the wall clock is set back, the timer ends too early and is started again.
            set(start - 600)
            clock.advance(by: .seconds(60))
            await clock.waitForSleeper(for: .seconds(660))
            #expect(try await sessions.count == 1)
            // If the wall clock is set forward, the timer ends too late, but the element is not returned.
            set(start + 3600)
            #expect(try await sessions.elements.isEmpty)
        }
    }

    @Test func `extreme deadlines are accepted, and a timer runs for at most a day`() async throws {
        try await withSessions { sessions, clock, _ async throws in
            let infinity = Date(timeIntervalSinceReferenceDate: .infinity)
            try await sessions.update { sessions in
                sessions.append(Session(id: 1, expires: .distantFuture))
                sessions.append(Session(id: 2, expires: infinity))
                sessions.append(Session(id: 3, expires: Date(timeIntervalSinceReferenceDate: .nan)))
            }
            await clock.waitForSleeper(for: .seconds(86400))
            clock.advance(by: .seconds(86400))
            await clock.waitForSleeper(for: .seconds(86400))
            #expect(try await sessions.elements.map(\.id) == [1, 2, 3])
            try await sessions.update { $0.append(Session(id: 4, expires: .distantPast)) }
            #expect(try await sessions.elements.map(\.id) == [1, 2, 3])
            try await sessions.update { $0.removeAll { _ in true } }
        }
    }
}
