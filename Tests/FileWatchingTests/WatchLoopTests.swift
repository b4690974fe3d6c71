import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Watch loop whose kernel events can no longer be read.
@Suite(.timeLimit(.minutes(10))) struct WatchLoopTests {
    /// Replaces an open file with a directory, for which poll(2) reports events and read(2) fails.
    private func makeUnreadable(_ number: CInt) {
        let directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(directory) }
        #expect(dup2(directory, number) == number)
    }

    @Test func `a permanent error stops watching and is reported for every target`()
        async throws
    {
        try await Scratch.with { scratch in
            let kernel = try KernelEventSource()
            let loop = WatchLoop(kernel)
            let (wakeUps, continuation) = AsyncStream.makeStream(of: Void.self)
            let mailbox = EventMailbox(continuation: continuation)
            let targets = ["a", "b"].map { FileTarget.file(scratch.path($0)) }
            try loop.withTable { table throws(FileWatchError) in
                for target in targets {
                    _ = try table.add(target, absoluteTarget: target, for: mailbox)
                }
                // No events are read during this closure. The new file wakes the thread, which then encounters the
                // error.
                mknod(scratch.path("a").string, S_IFREG | 0o600, 0)
                makeUnreadable(kernel.inotify.descriptorNumber)
            }
            for await _ in wakeUps {}
            let failure = FileWatchError(.detectChanges, nil, .isDirectory)
            for target in targets {
                #expect(mailbox.popEvent() == FileEvent(target, .lost, failure: failure))
            }
            #expect(throws: FileWatchError(.watch, nil, .badFileDescriptor)) {
                try loop.withTable { _ throws(FileWatchError) in }
            }
        }
    }

    @Test func `a failed read is reported as an error, not as an overflow`() throws {
        let inotify = try Inotify()
        #expect(try inotify.read() == [])
        makeUnreadable(inotify.descriptorNumber)
        #expect(throws: FileWatchError(.detectChanges, nil, .isDirectory)) { try inotify.read() }
    }

    @Test func `a closed or hung-up descriptor is an error`() async {
        await #expect(processExitsWith: .success) {
            let failure = FileWatchError(.detectChanges, nil, .badFileDescriptor)
            let hung = try KernelEventSource()
            var ends: [CInt] = [0, 0]
            pipe(&ends)
            close(ends[1])
            dup2(ends[0], hung.inotify.descriptorNumber)
            #expect(throws: failure) { try hung.waitForEvents() }
            let closed = try KernelEventSource()
            close(closed.inotify.descriptorNumber)
            #expect(throws: failure) { try closed.waitForEvents() }
        }
    }

    @Test func `descriptor 0 is accepted`() async {
        await #expect(processExitsWith: .success) {
            close(STDIN_FILENO)
            let number = try Inotify().descriptorNumber
            #expect(number == STDIN_FILENO)
        }
    }
}
