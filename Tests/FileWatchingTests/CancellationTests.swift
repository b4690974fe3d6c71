import Dispatch
import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Cancellation of tasks while the watch loop has an event for them.
@Suite struct CancellationTests {
    @Test func `cancelling a reader never blocks the watch loop`() async {
        // The test runs in a separate process, which SIGALRM terminates if a round hangs.
        await #expect(processExitsWith: .success) {
            try await Scratch.with { scratch in
                let watcher = try FileWatcher()
                for number in 1...60 {
                    alarm(120)
                    try await Self.cancelReader(number, of: watcher, scratch)
                }
            }
        }
    }

    private static func cancelReader(
        _ number: Int, of watcher: FileWatcher, _ scratch: Scratch
    ) async throws {
        func makeFile(_ name: String) { mknod(scratch.path(name).string, S_IFREG | 0o600, 0) }
        let events = try watcher.watch([.directory(scratch.directory, suffix: "")])
        let (received, receive) = AsyncStream.makeStream(of: Void.self)
        let reader = Task { for await _ in events { receive.yield() } }
        makeFile("first \(number)")
        for await _ in received { break }
        // The watch loop and the termination handler of the sequence both wait for the lock, usually in this order.
        try watcher.withReadingPaused {
            makeFile("second \(number)")
            for _ in 1...1_000 { sched_yield() }
            DispatchQueue(label: "own thread").async { reader.cancel() }
            for _ in 1...1_000 { sched_yield() }
        }
        await reader.value
    }
}
