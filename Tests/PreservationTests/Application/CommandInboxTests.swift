import Dispatch
import NIOCore
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Executors on which turns run, and the time at which they run.
@Suite struct CommandInboxTests {
    @Test func `P14: a command on its application's executor does not switch threads`() async throws
    {
        try await withCountedNotes { hosted, executor async throws in
            let foreign = try await Task(executorPreference: ApplicationTaskExecutor(executor)) {
                let before = executor.foreignJobs
                for number in 0..<100 { try await hosted.write("text \(number)") }
                return executor.foreignJobs - before
            }.value
            #expect(foreign == 0)
        }
    }

    @Test func `P14: commands that arrive together from another executor enqueue at most one job`()
        async throws
    {
        try await withCountedNotes { hosted, executor async throws in
            let passes = hosted.log.count(.passFinished)
            let before = executor.foreignJobs
            // The event loop is stopped until all commands are waiting.
            let tasks = executor.stopping {
                (0..<10).map { number in
                    Task.immediate { try await hosted.write("text \(number)") }
                }
            }
            for task in tasks { #expect(try await task.value == .written) }
            // If a turn was already due, the commands join that turn without another job.
            #expect(executor.foreignJobs <= before + 1)
            #expect(hosted.log.count(.passFinished) == passes + 1)
        }
    }

    @Test func `P14: commands from one iteration of the event loop share a turn`() async throws {
        try await withCountedNotes { hosted, executor async throws in
            let passes = hosted.log.count(.passFinished)
            let tasks = try await hosted.loop.submit {
                (0..<10).map { number in
                    Task(executorPreference: ApplicationTaskExecutor(executor)) {
                        try await hosted.write("text \(number)")
                    }
                }
            }.get()
            for task in tasks { #expect(try await task.value == .written) }
            #expect(hosted.log.count(.passFinished) == passes + 1)
            #expect(try await hosted.text() == "text 9")
        }
    }

    @Test func `several wake-ups cause a single turn, and no turn follows the end`() async {
        let commandInbox = CommandInbox(bundleIdentifier: "org.example.Test")
        commandInbox.wake()
        commandInbox.wake()
        #expect(await commandInbox.waitForTurn())
        let waitForTurn = Task.immediate { await commandInbox.waitForTurn() }
        commandInbox.wake()
        #expect(await waitForTurn.value)
        let last = Task.immediate { await commandInbox.waitForTurn() }
        commandInbox.finish()
        #expect(await !last.value)
        commandInbox.wake()
        #expect(await !commandInbox.waitForTurn())
    }

    @Test func `after an inbox has finished, no call waits for a turn`() async throws {
        let commandInbox = CommandInbox(bundleIdentifier: "org.example.Test")
        let isOver = AwaitableState(false)
        commandInbox.finish()
        let waiting = Task {
            let mayRun = await commandInbox.waitForTurn()
            isOver.change { $0 = true }
            return mayRun
        }
        try await waitUntil("the call returns") { isOver.state }
        #expect(await !waiting.value)
    }

    /// Runs notes on an executor that counts jobs, after all state is durable.
    private func withCountedNotes(
        _ body: (HostedNotes, CountingExecutor) async throws -> Void
    ) async throws {
        try await withScratchDirectory { scratch in
            let made = Mutex<CountingExecutor?>(nil)
            var settings = HostedSettings()
            settings.makeExecutor = { loop in
                let executor = CountingExecutor(loop)
                made.withLock { $0 = executor }
                return executor
            }
            try await withNotes(in: scratch, settings) { hosted async throws in
                _ = try await hosted.application.preserve()
                try await body(hosted, #require(made.withLock { $0 }))
            }
        }
    }
}

/// Executor on an event loop. It counts the jobs that are enqueued by other threads.
private final class CountingExecutor: SerialExecutor {
    private let loop: any EventLoop
    private let foreign = Atomic<Int>(0)

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    var foreignJobs: Int { foreign.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        if !loop.inEventLoop { foreign.add(1, ordering: .relaxed) }
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Calls a closure while the event loop is blocked.
    func stopping<Result>(_ body: () throws -> Result) rethrows -> Result {
        let end = DispatchSemaphore(value: 0)
        defer { end.signal() }
        loop.execute { end.wait() }
        return try body()
    }
}
