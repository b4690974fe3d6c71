import RepriseControl
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ReloadRequestQueueTests {
    @Test func `requests that arrive during a reload are combined into one more reload`()
        async throws
    {
        let requests = ReloadRequestQueue()
        requests.enqueue(.signal)
        let first = try #require(await requests.next())
        #expect(first.triggers == [.signal])
        requests.enqueue(.change)
        requests.enqueue(.signal)
        requests.enqueue(.change)
        first.complete(.done(ReloadReport()))
        let second = try #require(await requests.next())
        #expect(second.triggers == [.change, .signal])
        requests.end()
        #expect(await requests.next()?.triggers == nil)
    }

    @Test func `all clients that wait for a reload receive its result`() async throws {
        let requests = ReloadRequestQueue()
        async let first = requests.perform(.command)
        async let second = requests.perform(.command)
        let report = ReloadReport(appliedChanges: ["log.level"])
        // One batch may contain both requests, or the second request may arrive after the first batch.
        let carrying = Task {
            while let batch = await requests.next() { batch.complete(.done(report)) }
        }
        #expect(await first == .done(report))
        #expect(await second == .done(report))
        requests.end()
        await carrying.value
    }

    @Test func `the reply to a client lists every failure`() async throws {
        let requests = ReloadRequestQueue()
        let reload = Task { try await requests.reload() }
        let failures = ["The first application is as before.", "The second one, too."]
        try #require(await requests.next()).complete(
            .done(ReloadReport(appliedChanges: ["log.level"], failures: failures)))
        let error = await #expect(throws: ControlError.self) { try await reload.value }
        #expect(
            error
                == .reloadedInPart(changed: ["log.level"], waiting: [], failures: failures))
    }

    @Test func `requests that are pending at the end or arrive later are rejected`() async {
        let requests = ReloadRequestQueue()
        async let waiting = requests.perform(.command)
        requests.end()
        #expect(await waiting == .daemonStopping)
        #expect(await requests.perform(.command) == .daemonStopping)
        #expect(await requests.next()?.triggers == nil)
    }

    @Test func `all clients whose requests share a reload receive its result`() async throws {
        let requests = ReloadRequestQueue()
        // The tasks add their requests before the reload begins.
        let clients = (1...3).map { _ in Task.immediate { await requests.perform(.command) } }
        let batch = try #require(await requests.next())
        #expect(batch.triggers == [.command])
        let outcome = ReloadOutcome.done(ReloadReport(appliedChanges: ["log.level"]))
        batch.complete(outcome)
        for client in clients { #expect(await client.value == outcome) }
    }

    @Test func `each origin is listed once, and requests are discarded at the end`() async throws {
        let requests = ReloadRequestQueue()
        for trigger in [ReloadTrigger.change, .signal, .signal, .change] {
            requests.enqueue(trigger)
        }
        #expect(await requests.next()?.triggers == [.change, .signal])
        requests.enqueue(.change)
        requests.end()
        #expect(await requests.next()?.triggers == nil)
    }
}
