import Dispatch
import Synchronization
internal import SystemPackage

/// Loop that reads the kernel's events on its own thread, until it is ended.
final class WatchLoop: Sendable {
    private struct State {
        var kernel: KernelEvents
        var table: WatchTable

        mutating func change<Result>(
            _ body: (inout WatchTable) throws(FileWatchError) -> Result
        ) throws(FileWatchError) -> Result {
            try body(&table)
        }

        /// Records the events of one read. Returns `false` if there were no events.
        mutating func readOnce() throws(FileWatchError) -> Bool {
            let events = try kernel.inotify.read()
            for event in events { table.record(event) }
            return !events.isEmpty
        }
    }

    /// The kernel's events and the table, or `nil` after the loop has ended.
    private let state: Mutex<State?>

    init(_ kernel: KernelEvents) {
        state = Mutex(State(kernel: kernel, table: WatchTable(kernel.inotify)))
        DispatchQueue(label: "FileWatching").async { self.run() }
    }

    /// Ends the loop and all sequences.
    func end() { state.withLock { $0?.kernel.end() } }

    /// Calls a closure with the table, while no events are read. Throws `EBADF` after the loop has ended.
    func withTable<Result: Sendable>(
        _ body: (inout WatchTable) throws(FileWatchError) -> Result
    ) throws(FileWatchError) -> Result {
        try state.withLock { state throws(FileWatchError) in
            guard let result = try state?.change(body) else {
                throw FileWatchError(.watch, nil, .badFileDescriptor)
            }
            return result
        }
    }

    /// Stops watching the targets of a mailbox.
    func remove(all mailbox: EventMailbox) {
        state.withLock { $0?.table.remove(all: mailbox) }
    }

    /// Maximum number of reads, which is sufficient for a full queue of the longest events (inotify(7)).
    private static let maximumReads = 128

    /// Reads all pending events, so that earlier events are not reported for a target that is added next.
    func readAll() throws(FileWatchError) {
        let changed = try state.withLock { state throws(FileWatchError) in
            for _ in 0..<Self.maximumReads {
                guard try state?.readOnce() == true else { break }
            }
            return state?.table.addChanges() ?? []
        }
        for mailbox in changed { mailbox.wakeReader() }
    }

    private func run() {
        do throws(FileWatchError) {
            try serve()
        } catch {
            state.withLock { $0?.table.fail(error) }
        }
        let mailboxes = state.withLock { state in
            defer { state = nil }
            return state?.table.mailboxes ?? []
        }
        for mailbox in mailboxes { mailbox.end() }
    }

    private func serve() throws(FileWatchError) {
        guard let kernel = state.withLock({ $0?.kernel }) else { return }
        while true {
            let kinds = try kernel.wait()
            if kinds.contains(.end) { return }
            let changed = try state.withLock { state throws(FileWatchError) in
                if kinds.contains(.mounts) { state?.table.markAllForCheck() }
                if kinds.contains(.files) { _ = try state?.readOnce() }
                return state?.table.addChanges() ?? []
            }
            for mailbox in changed { mailbox.wakeReader() }
        }
    }
}
