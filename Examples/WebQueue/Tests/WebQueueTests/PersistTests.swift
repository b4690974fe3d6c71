import FoundationEssentials
import Hummingbird
import Preservation
import RestorationTesting
import Synchronization
import Testing

@testable import ReprisePersist

@Suite struct PersistTests {
    private let program: TestProgram<ReprisePersistDriver>
    private let clock = TestTime()

    init() throws {
        let clock = clock
        program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Persist", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            let values = try await application.collection("values", of: PersistedValue.self)
            return (application, ReprisePersistDriver(values) { clock.now })
        }
    }

    @Test func `a key can be created only once`() async throws {
        try await program.run { _, persist async throws in
            try await persist.create(key: "a/b", value: 1, expires: nil)
            await #expect(throws: PersistError.duplicate) {
                try await persist.create(key: "a/b", value: 2, expires: nil)
            }
            try await persist.set(key: "a/b", value: 3, expires: nil)
            #expect(try await persist.get(key: "a/b", as: Int.self) == 3)
            await #expect(throws: PersistError.invalidConversion) {
                try await persist.get(key: "a/b", as: String.self)
            }
            try await persist.remove(key: "a/b")
            #expect(try await persist.get(key: "a/b", as: Int.self) == nil)
        }
    }

    @Test func `a value expires, even after a kill`() async throws {
        try await program.run(endingBy: .kill) { _, persist async throws in
            try await persist.create(key: "a", value: 1, expires: .seconds(60))
            try await persist.set(key: "a", value: 2, expires: nil)
            try await persist.create(key: "b", value: 1, expires: nil)
        }
        clock.advance(by: 59)
        try await program.run { _, persist async throws in
            let found = try #require(try await persist.getWithTTL(key: "a", as: Int.self))
            #expect(found.object == 2)
            #expect(found.ttl == .seconds(1))
            clock.advance(by: 1)
            #expect(try await persist.get(key: "a", as: Int.self) == nil)
            try await persist.create(key: "a", value: 3, expires: .seconds(1))
            clock.advance(by: 1)
            try await persist.tidy()
            #expect(try await persist.keys == ["b"])
        }
    }
}

/// A clock that advances only when a test advances it.
private final class TestTime: Sendable {
    private let time = Mutex(Date(timeIntervalSinceReferenceDate: 0))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: Double) { time.withLock { $0.addTimeInterval(seconds) } }
}
