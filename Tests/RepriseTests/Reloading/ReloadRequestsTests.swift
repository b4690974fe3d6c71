import RepriseControl
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ReloadRequestsTests {
    @Test func `what is asked for while one is carried out becomes one more`() async throws {
        let requests = ReloadRequests()
        requests.ask(.signal)
        let first = try #require(await requests.next())
        #expect(first.triggers == [.signal])
        requests.ask(.change)
        requests.ask(.signal)
        requests.ask(.change)
        first.answer(.done(ReloadReport()))
        let second = try #require(await requests.next())
        #expect(second.triggers == [.change, .signal])
        requests.end()
        #expect(await requests.next()?.triggers == nil)
    }

    @Test func `all who wait for one are answered by it`() async throws {
        let requests = ReloadRequests()
        async let first = requests.perform(.command)
        async let second = requests.perform(.command)
        let report = ReloadReport(changed: ["log.level"])
        // One batch may contain both requests, or the second request may arrive after the first batch.
        let carrying = Task {
            while let batch = await requests.next() { batch.answer(.done(report)) }
        }
        #expect(await first == .done(report))
        #expect(await second == .done(report))
        requests.end()
        await carrying.value
    }

    @Test func `the reply to a client lists every failure`() async throws {
        let requests = ReloadRequests()
        let reply = Task { try await requests.reply() }
        let failures = ["The first application is as before.", "The second one, too."]
        try #require(await requests.next()).answer(
            .done(ReloadReport(changed: ["log.level"], failures: failures)))
        let error = await #expect(throws: ControlError.self) { try await reply.value }
        #expect(
            error
                == .reloadedInPart(changed: ["log.level"], waiting: [], failures: failures))
    }

    @Test func `who waits at the end, or asks after it, is told so`() async {
        let requests = ReloadRequests()
        async let waiting = requests.perform(.command)
        requests.end()
        #expect(await waiting == .ending)
        #expect(await requests.perform(.command) == .ending)
        #expect(await requests.next()?.triggers == nil)
    }
}
