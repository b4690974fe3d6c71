import Foundation
import RestorationTesting
import Testing
import WebQueue

@testable import GRDBServer
@testable import JSONServer
@testable import RepriseServer

/// Tests that all stores behave in the same way.
@Suite struct StoreTests {
    @Test func `the store with Reprise`() async throws {
        let program = try TestProgram { test in
            try await makeApplication(
                in: test.stateDirectory, settings: test.settings, logger: test.logger)
        }
        try await program.run { _, stores async throws in try await check(stores.jobs) }
    }

    @Test func `the store with GRDB`() async throws {
        try await withTemporaryDirectory { directory in
            let database = try openDatabase(at: directory + "/jobs.sqlite", isDurable: false)
            try await check(GRDBStore(database: database))
        }
    }

    @Test func `the store with a JSON file`() async throws {
        try await withTemporaryDirectory { directory in
            try await check(JSONFileStore(file: URL(filePath: directory + "/jobs.json")))
        }
    }

    private func check(_ store: some JobStore) async throws {
        #expect(try await store.next == nil)
        #expect(try await store.add(.test("1"), isUrgent: false))
        #expect(try await store.add(.test("2"), isUrgent: false))
        #expect(try await store.add(.test("3"), isUrgent: true))
        #expect(try await !store.add(.test("1"), isUrgent: true))
        #expect(try await store.next?.id == "3")
        try await store.setCompletedSteps(7, of: "1")
        #expect(try await store.job(id: "1")?.completedSteps == 7)
        try await store.finish("1")
        try await store.finish("3")
        try await store.finish("unknown")
        #expect(try await !store.add(.test("1"), isUrgent: false))
        let jobs = try await store.jobs()
        #expect(jobs.waiting.map(\.id) == ["2"])
        #expect(jobs.finished.map(\.id) == ["1", "3"])
        #expect(try await store.remove("1"))
        #expect(try await store.remove("2"))
        #expect(try await !store.remove("2"))
        #expect(try await store.job(id: "1") == nil)
        #expect(try await store.next == nil)
        for try await _ in store.changes { break }
    }

    private func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/\(UUID())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }
}
