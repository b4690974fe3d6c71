import Dispatch
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Waits that end because their tasks are cancelled.
@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    /// Call that waits for an application that never runs.
    enum Call: CaseIterable {
        case current, update, changes, perform, ready, launched, transaction
    }

    @Test(arguments: Call.allCases)
    func `waiting for an application that never runs ends when the task is cancelled`(call: Call)
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                logger: .quiet)
            let count = try await application.value("count", default: 7)
            let waiting = Task.immediate {
                switch call {
                case .current: _ = try await count.current
                case .update: try await count.update { $0 += 1 }
                case .changes: for await _ in count.changes {}
                case .perform: try await application.performWhenReady()
                case .ready: try await application.waitUntilReady()
                case .launched: try await application.waitUntilLaunched()
                case .transaction: try await application.update(count) { $0.value += 1 }
                }
            }
            waiting.cancel()
            let result = await waiting.result
            if call == .changes { return try result.get() }
            #expect(throws: CancellationError.self) { try result.get() }
        }
    }

    @Test func `P14: a command that is cancelled before its turn does not run`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await hosted.write("before")
                let isBusy = AwaitableState(false)
                let cancelled = DispatchSemaphore(value: 0)
                // The first command keeps the turn busy until the second command has been queued and cancelled.
                let busy = Task {
                    try await application.perform { _ in
                        isBusy.change { $0 = true }
                        cancelled.wait()
                    }
                }
                await isBusy.wait { $0 }
                let late = Task.immediate {
                    try await application.perform { $0.note.text = "after" }
                }
                late.cancel()
                cancelled.signal()
                _ = try await busy.value
                await #expect(throws: CancellationError.self) { try await late.value }
                #expect(try await hosted.text() == "before")
            }
        }
    }

    @Test func `a change that is cancelled while it waits for durability is still saved`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.durability = .commit
            try await withNotes(in: scratch, settings) { hosted async throws in
                let application = hosted.application
                let isDiskBusy = AwaitableState(false)
                let end = DispatchSemaphore(value: 0)
                async let disk: Void = application.executors.syncQueue.run {
                    isDiskBusy.change { $0 = true }
                    end.wait()
                }
                await isDiskBusy.wait { $0 }
                let made = AwaitableState(false)
                let change = Task {
                    try await application.perform {
                        $0.note.text = "made"
                        made.change { $0 = true }
                    }
                }
                await made.wait { $0 }
                change.cancel()
                await #expect(throws: CancellationError.self) { try await change.value }
                end.signal()
                await disk
                #expect(try await hosted.text() == "made")
                #expect(try await application.preserve() == .durable)
                #expect(scratch.archiveBytes()?.contains("made".utf8) == true)
            }
        }
    }
}

extension Application {
    /// Runs a command after the application has been launched.
    fileprivate func performWhenReady() async throws {
        try await waitUntilReady()
        try await perform { _ in }
    }
}
