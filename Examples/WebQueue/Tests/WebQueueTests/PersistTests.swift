import FoundationEssentials
import Hummingbird
import Preservation
import ReprisePersist
import RestorationTesting
import Testing

@Suite struct PersistTests {
    private let program: TestProgram<ReprisePersistDriver>

    init() throws {
        program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Persist", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            let driver = try await ReprisePersistDriver("values", in: application) {
                [clock = test.clock] in clock.date
            }
            return (application, driver)
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
        program.clock.advance(by: .seconds(59))
        try await program.run { _, persist async throws in
            let found = try #require(try await persist.getWithTTL(key: "a", as: Int.self))
            #expect(found.object == 2)
            #expect(found.ttl == .seconds(1))
            program.clock.advance(by: .seconds(1))
            #expect(try await persist.get(key: "a", as: Int.self) == nil)
            try await persist.create(key: "a", value: 3, expires: nil)
            #expect(try await persist.get(key: "b", as: Int.self) == 1)
        }
    }
}
