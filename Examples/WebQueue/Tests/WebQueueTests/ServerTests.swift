import FoundationEssentials
import Hummingbird
import HummingbirdTesting
import Logging
import Preservation
import ReprisePersist
import RestorationTesting
import ServiceLifecycle
import Testing
import WebQueue

@testable import RepriseServer

@Suite struct ServerTests {
    private let program: TestProgram<Stores>

    init() throws {
        program = try TestProgram { test in
            try await makeApplication(
                in: test.stateDirectory, settings: test.settings, logger: test.logger)
        }
    }

    @Test func `jobs and sessions survive a kill`() async throws {
        let cookie = try await program.run(endingBy: .kill) { _, stores async throws in
            try await stores.test { client in
                let cookie = try await client.logIn()
                #expect(try await client.add("1", cookie) == .created)
                #expect(try await client.add("1", cookie) == .ok)
                #expect(try await client.add("2", cookie, isUrgent: true) == .created)
                return cookie
            }
        }
        try await program.run { _, stores async throws in
            try await stores.test { client in
                let jobs = try await client.jobs()
                #expect(jobs.waiting.map(\.id) == ["2", "1"])
                #expect(jobs.waiting.map(\.user) == ["ada", "ada"])
                #expect(try await client.add("3", cookie) == .created)
                #expect(try await client.add("4", "session=unknown") == .unauthorized)
            }
        }
        #expect(program.problems.isEmpty)
    }

    @Test func `the worker continues with the next step after a kill`() async throws {
        try await program.run(endingBy: .kill) { _, stores async throws in
            _ = try await stores.jobs.add(.test("1"), isUrgent: false)
            try await stores.jobs.setCompletedSteps(4, of: "1")
        }
        try await program.run { _, stores async throws in
            let (steps, performed) = AsyncStream<Job>.makeStream()
            let worker = Worker(store: stores.jobs, logger: Logger(label: "test")) {
                performed.yield($0)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                for await _ in stores.jobs.finished.changes {
                    if try await stores.jobs.finished[id: "1"] != nil { break }
                }
                performed.finish()
                group.cancelAll()
            }
            #expect(
                await steps.reduce(into: []) { $0.append($1.completedSteps) } == [4, 5, 6, 7, 8, 9])
        }
    }

    @Test func `a full disk causes the status 507, also for a repeated request`() async throws {
        try await program.run(endingBy: .kill) { _, stores async throws in
            try await stores.test { client in
                let cookie = try await client.logIn()
                #expect(try await client.add("1", cookie) == .created)
                program.disk.fail()
                #expect(try await client.add("2", cookie).code == 507)
                #expect(try await client.add("2", cookie).code == 507)
                #expect(try await client.jobs().waiting.map(\.id) == ["1", "2"])
            }
        }
        program.disk.recover()
        try await program.run { _, stores async throws in
            #expect(try await stores.jobs.jobs().waiting.map(\.id) == ["1"])
        }
    }

    @Test func `a cancelled request changes everything or nothing`() async throws {
        try await program.run(endingBy: .kill) { _, stores async throws in
            for id in 0..<500 {
                _ = try await stores.jobs.add(.test("\(id)"), isUrgent: false)
                let request = Task { try await stores.jobs.finish("\(id)") }
                for _ in 0..<id { await Task.yield() }
                request.cancel()
                _ = await request.result
            }
        }
        try await program.run { _, stores async throws in
            let jobs = try await stores.jobs.jobs()
            #expect(jobs.waiting.count + jobs.finished.count == 500)
            #expect(Set((jobs.waiting + jobs.finished).map(\.id)).count == 500)
        }
    }
}

extension Job {
    static func test(_ id: String) -> Job { Job(id: id, title: "report", user: "ada") }
}

extension Stores {
    /// Calls a closure with a client that sends requests to the server's router.
    fileprivate func test<Result>(
        _ body: @Sendable (any TestClientProtocol) async throws -> Result
    ) async throws -> Result {
        let server = makeServer(
            store: jobs, persist: sessions, middleware: [RepriseErrorMiddleware()],
            logger: Logger(label: "test"))
        return try await server.test(.router, body)
    }
}

extension TestClientProtocol {
    /// Logs in and returns the cookie.
    fileprivate func logIn() async throws -> String {
        let response = try await executeRequest(
            uri: "/session", method: .post, headers: [:],
            body: ByteBuffer(string: #"{"user":"ada"}"#))
        let cookie = try #require(response.headers[.setCookie])
        return String(cookie.prefix { $0 != ";" })
    }

    fileprivate func add(
        _ id: String, _ cookie: String, isUrgent: Bool = false
    ) async throws -> HTTPResponse.Status {
        try await executeRequest(
            uri: "/jobs/\(id)", method: .put, headers: [.cookie: cookie],
            body: ByteBuffer(string: #"{"title":"report","isUrgent":\#(isUrgent)}"#)
        ).status
    }

    fileprivate func jobs() async throws -> JobList {
        let response = try await executeRequest(uri: "/jobs", method: .get, headers: [:], body: nil)
        return try JSONDecoder().decode(JobList.self, from: response.body)
    }
}
