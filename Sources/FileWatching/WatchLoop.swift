import Dispatch
import Synchronization
internal import SystemPackage

/// Loop that reads the kernel's events on its own thread until ``end()`` is called.
final class WatchLoop: Sendable {
    private struct State {
        var eventSource: KernelEventSource
        var table: WatchTable

        mutating func updateTable<Result>(
            _ body: (inout WatchTable) throws(FileWatchError) -> Result
        ) throws(FileWatchError) -> Result {
            try body(&table)
        }

        /// Reads and records one batch of events, and returns `false` if there were none.
        mutating func readEventBatch() throws(FileWatchError) -> Bool {
            let events = try eventSource.inotify.read()
            for event in events { table.record(event) }
            return !events.isEmpty
        }
    }

    /// The kernel's events and the table, or `nil` after the loop has ended.
    private let state: Mutex<State?>

    init(_ eventSource: KernelEventSource) {
        state = Mutex(State(eventSource: eventSource, table: WatchTable(eventSource.inotify)))
        DispatchQueue(label: "FileWatching").async { self.run() }
    }

    /// Ends the loop and all sequences.
    func end() { state.withLock { $0?.eventSource.end() } }

    /// Calls a closure with the table, while no events are read.
    ///
    /// - Throws: `EBADF` if the loop has ended, or the error that the closure throws.
    func withTable<Result: Sendable>(
        _ body: (inout WatchTable) throws(FileWatchError) -> Result
    ) throws(FileWatchError) -> Result {
        try state.withLock { state throws(FileWatchError) in
            guard let result = try state?.updateTable(body) else {
                throw FileWatchError(.watch, nil, .badFileDescriptor)
            }
            return result
        }
    }

    /// Stops watching the targets that belong to a mailbox.
    func removeTargets(of mailbox: EventMailbox) {
        state.withLock { $0?.table.removeTargets(of: mailbox) }
    }

    /// Maximum number of consecutive reads, which is enough for a full event queue with the longest names (see
    /// inotify(7)).
    private static let maximumReadCount = 128

    /// Reads all pending events, so that a target that is added afterwards does not receive them.
    func readPendingEvents() throws(FileWatchError) {
        let changedMailboxes = try state.withLock { state throws(FileWatchError) in
            for _ in 0..<Self.maximumReadCount {
                guard try state?.readEventBatch() == true else { break }
            }
            return state?.table.deliverChanges() ?? []
        }
        for mailbox in changedMailboxes { mailbox.wakeReader() }
    }

    private func run() {
        do throws(FileWatchError) {
            try processEvents()
        } catch {
            state.withLock { $0?.table.reportFailure(error) }
        }
        let mailboxes = state.withLock { state in
            defer { state = nil }
            return state?.table.mailboxes ?? []
        }
        for mailbox in mailboxes { mailbox.end() }
    }

    private func processEvents() throws(FileWatchError) {
        guard let eventSource = state.withLock({ $0?.eventSource }) else { return }
        while true {
            let eventKinds = try eventSource.waitForEvents()
            if eventKinds.contains(.end) { return }
            let changedMailboxes = try state.withLock { state throws(FileWatchError) in
                if eventKinds.contains(.mounts) { state?.table.markAllForCheck() }
                if eventKinds.contains(.files) { _ = try state?.readEventBatch() }
                return state?.table.deliverChanges() ?? []
            }
            for mailbox in changedMailboxes { mailbox.wakeReader() }
        }
    }
}
