import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Waits for the disk, a launch or a change of state, which must end however the operation ends.
///
/// A waiter that is not resumed makes a test exceed its time limit.
@Suite struct WaitStressTests {
    private static let rounds = 24_000

    @Test(.timeLimit(.minutes(10)))
    func `every caller that waits for the disk receives a reply`() async throws {
        try await withScratchDirectory { scratch async throws in
            scratch.watch.setSyncing(.skipped)
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for round in 0..<Self.rounds / 8 {
                                await application.changeNotes("\(round)")
                                guard try await application.saveAndWait() == .durable else {
                                    return 0
                                }
                            }
                            return Self.rounds / 8
                        }
                    }
                    let answered = try await group.reduce(0, +)
                    #expect(answered == Self.rounds)
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `every caller that waits for a launch resumes when the launch ends`() async throws {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.extendingScenes = ["main"]
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            scratch.watch.setSyncing(.skipped)
            try await withNotes(Notes(behavior), in: scratch, settings) { hosted async throws in
                let application = hosted.application
                let waiting = 1000
                for _ in 0..<Self.rounds / waiting {
                    try await waitUntil("the launch goes on") { await application.isLaunching }
                    let waiters = await application.wait(waiting)
                    await application.completeRestoration()
                    for waiter in waiters { try await waiter.value }
                    try await application.quitUntilLaunch()
                    let launch = Task { try await application.launch() }
                    try await waitUntil("it is launched again") { await application.isLaunching }
                    _ = launch
                }
                await application.completeRestoration()
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `every caller that resets to the saved state receives a reply`() async throws {
        try await withScratchDirectory { scratch async throws in
            scratch.watch.setSyncing(.skipped)
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<Self.rounds / 8 {
                                _ = try await application.resetToSaved()
                            }
                            return Self.rounds / 8
                        }
                    }
                    let answered = try await group.reduce(0, +)
                    #expect(answered == Self.rounds)
                }
            }
        }
    }
}

extension Application {
    /// Saves changes, and waits until they are durable.
    fileprivate func saveAndWait() async throws -> DurabilityLevel {
        runTurn(.commands)
        return try await waitUntilDurable()
    }

    /// Starts the given number of tasks that wait for the launch in progress in different ways.
    fileprivate func wait(_ count: Int) -> [Task<Void, any Error>] {
        (0..<count).map { number in
            Task.immediate {
                switch number % 3 {
                case 0: await self.waitForLaunch()
                case 1: try await self.waitUntilLaunched()
                default: await self.waitUntilLaunchesEnd()
                }
            }
        }
    }
}
