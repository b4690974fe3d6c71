import Dispatch
import Glibc
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Turns on the thread of the caller, with the executor that an application creates by default.
@Suite(.timeLimit(.minutes(10))) struct CallerThreadTests {
    private var settings: HostedSettings {
        var settings = HostedSettings()
        settings.scenes = ["main", "other"]
        settings.makeExecutor = { _ in SerialQueueExecutor(label: "test") }
        return settings
    }

    @Test func `P14: while the executor is idle, a command runs on the thread of its caller`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings) { hosted async throws in
                let application = hosted.application
                #expect(try await runOnOwnThread { application.runsOneCommandOnThisThread() })
            }
        }
    }

    @Test func `P14: commands that do not fit into a turn on the caller's thread run later`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, settings) { hosted async throws in
                let application = hosted.application
                let hasRun = Mutex(false)
                // The turn ends after the scene has been closed.
                let close = SceneCommand(
                    kind: .close { _ in }, sceneName: "other", refuse: { _ in })
                let perform = SceneCommand(
                    kind: .perform { _ in
                        hasRun.withLock { $0 = true }
                        return TurnReply { _ in }
                    }, sceneName: "main", refuse: { _ in })
                try await runOnOwnThread {
                    _ = application.runsOneCommandOnThisThread()
                    for command in [close, perform] {
                        #expect(application.commandInbox.append(command))
                    }
                    application.runCommandTurn()
                }
                try await waitUntil("the second command runs") { hasRun.withLock { $0 } }
            }
        }
    }
}

extension Application {
    /// Runs commands one after the other, and returns whether one of them ran on the current thread.
    ///
    /// The executor can be busy with other work of the application. It is idle after a command has run on this thread.
    fileprivate nonisolated func runsOneCommandOnThisThread() -> Bool {
        (0..<1_000).contains { _ in runsCommandOnThisThread() }
    }

    /// Runs a command, and returns whether it ran on the current thread.
    private nonisolated func runsCommandOnThisThread() -> Bool {
        let thread = pthread_self()
        let isSame = Mutex(false)
        let hasRun = DispatchSemaphore(value: 0)
        let command = SceneCommand(
            kind: .perform { _ in
                isSame.withLock { $0 = pthread_self() == thread }
                hasRun.signal()
                return TurnReply { _ in }
            }, isReadOnly: true, refuse: { _ in hasRun.signal() })
        if commandInbox.append(command) { runCommandTurn() }
        hasRun.wait()
        return isSame.withLock { $0 }
    }
}
