import Synchronization
internal import SystemPackage

/// Table that maps the kernel's watches to targets and converts the kernel's events to file events.
///
/// The table records all pending events before it checks a target, so that each target is checked only once.
struct WatchTable {
    /// Target of a watch, with the mailbox of its consumer.
    private struct Entry {
        /// Target, as the caller specified it. It is used in events.
        var target: FileTarget
        /// The same target with an absolute path.
        var absoluteTarget: FileTarget
        var mailbox: EventMailbox
        var lookup: TargetLookup

        func makeEvent(_ changes: FileChanges) -> FileEvent {
            FileEvent(target, changes, failure: lookup.failure)
        }
    }

    /// Changes that the kernel has reported since a target was last checked.
    private struct PendingChange {
        var changes: FileChanges = []
        var needsCheck = false
        var isUnmounted = false
    }

    private let inotify: Inotify
    private var entries: [Int: Entry] = [:]
    private var nextTargetNumber = 0
    /// Numbers of the targets that use each watch, keyed by watch number.
    private var targetNumbersByWatch: [CInt: Set<Int>] = [:]
    private var pendingChanges: [Int: PendingChange] = [:]

    init(_ inotify: Inotify) { self.inotify = inotify }

    /// Mailboxes of all targets.
    ///
    /// A mailbox that serves several targets appears several times.
    var mailboxes: [EventMailbox] { entries.values.map(\.mailbox) }

    /// Number of watches.
    var watchCount: Int { targetNumbersByWatch.count }

    /// Starts watching a target.
    ///
    /// - Returns: The route to the target, followed by the routes through any links among its entries.
    mutating func add(
        _ target: FileTarget, absoluteTarget: FileTarget, for mailbox: EventMailbox
    ) throws(FileWatchError) -> [ResolvedRoute] {
        let lookup = TargetLookup(of: absoluteTarget, watching: inotify)
        let targetNumber = nextTargetNumber
        nextTargetNumber += 1
        entries[targetNumber] = Entry(
            target: target, absoluteTarget: absoluteTarget, mailbox: mailbox, lookup: lookup)
        updateFilters(lookup.filters, replacing: [:], for: targetNumber)
        if let failure = lookup.failure { throw failure }
        return [lookup.route] + lookup.linkRoutes.values
    }

    /// Stops watching the targets that belong to a mailbox.
    mutating func removeTargets(of mailbox: EventMailbox) {
        for (targetNumber, entry) in entries where entry.mailbox === mailbox {
            updateFilters([:], replacing: entry.lookup.filters, for: targetNumber)
            entries[targetNumber] = nil
        }
    }

    /// Records an event.
    mutating func record(_ event: InotifyEvent) {
        if event.mask.contains(.overflow) { return markAllForCheck(.lost) }
        for targetNumber in targetNumbersByWatch[event.watchNumber] ?? [] {
            guard let filter = entries[targetNumber]?.lookup.filters[event.watchNumber],
                let changes = filter.changes(by: event)
            else { continue }
            pendingChanges[targetNumber, default: PendingChange()].changes.formUnion(changes)
            // A file that was only written to is still the same file, so its path need not be checked.
            if event.mask != .closeWrite {
                pendingChanges[targetNumber, default: PendingChange()].needsCheck = true
            }
            if event.mask.contains(.unmount) {
                pendingChanges[targetNumber, default: PendingChange()].isUnmounted = true
            }
        }
    }

    /// Schedules a check of every target, because events have been lost or mounts have changed.
    mutating func markAllForCheck(_ changes: FileChanges = []) {
        for targetNumber in entries.keys {
            pendingChanges[targetNumber, default: PendingChange()].needsCheck = true
            pendingChanges[targetNumber, default: PendingChange()].changes.formUnion(changes)
        }
    }

    /// Checks the targets with recorded changes, and adds events to their mailboxes.
    ///
    /// - Returns: The mailboxes with new events.
    mutating func deliverChanges() -> [EventMailbox] {
        for (targetNumber, entry) in entries where entry.lookup.failure != nil {
            pendingChanges[targetNumber, default: PendingChange()].needsCheck = true
        }
        let sortedChanges = pendingChanges.sorted { $0.key < $1.key }
        pendingChanges = [:]
        var changedMailboxes: [EventMailbox] = []
        for (targetNumber, pendingChange) in sortedChanges {
            guard let entry = entries[targetNumber] else { continue }
            let event =
                pendingChange.needsCheck
                ? checkTarget(targetNumber, entry, after: pendingChange)
                : entry.makeEvent(pendingChange.changes)
            if !event.changes.isEmpty || event.failure != entry.lookup.failure {
                entry.mailbox.add(event)
                changedMailboxes.append(entry.mailbox)
            }
        }
        return changedMailboxes
    }

    /// Adds a final event for every target, with the error that prevents any further reports.
    func reportFailure(_ error: FileWatchError) {
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
            entry.mailbox.add(FileEvent(entry.target, .lost, failure: error))
        }
    }

    private mutating func checkTarget(
        _ targetNumber: Int, _ entry: Entry, after pendingChange: PendingChange
    )
        -> FileEvent
    {
        var lookup = TargetLookup(of: entry.absoluteTarget, watching: inotify)
        var event = FileEvent(entry.target, pendingChange.changes, failure: lookup.failure)
        updateFilters(lookup.filters, replacing: entry.lookup.filters, for: targetNumber)
        if lookup.failure != nil {
            lookup.adoptRoutes(entry.lookup)
        } else {
            event.changes = entry.lookup.changes(to: lookup, reportedChanges: pendingChange.changes)
            { route in
                pendingChange.isUnmounted || MountTable.current.isEndUnmounted(of: route)
            }
            if entry.lookup.failure != nil { event.changes.insert(.lost) }
        }
        entries[targetNumber]?.lookup = lookup
        return event
    }

    private mutating func updateFilters(
        _ newFilters: [CInt: WatchFilter], replacing oldFilters: [CInt: WatchFilter],
        for targetNumber: Int
    ) {
        for watchNumber in newFilters.keys {
            targetNumbersByWatch[watchNumber, default: []].insert(targetNumber)
        }
        for watchNumber in oldFilters.keys
        where newFilters[watchNumber] == nil
            && targetNumbersByWatch[watchNumber]?.remove(targetNumber) != nil
        {
            guard targetNumbersByWatch[watchNumber]?.isEmpty == true else { continue }
            targetNumbersByWatch[watchNumber] = nil
            inotify.removeWatch(watchNumber)
        }
    }
}

/// Mailbox for pending events, with at most one event for each target.
///
/// Later events for a target are merged into its pending event.
final class EventMailbox: Sendable {
    private struct State {
        /// Targets with a pending event, in the order in which their first events arrived.
        var pendingTargets: [FileTarget] = []
        var eventsByTarget: [FileTarget: FileEvent] = [:]
    }

    private let state = Mutex(State())
    private let continuation: AsyncStream<Void>.Continuation

    /// Creates an empty mailbox.
    ///
    /// - Parameter continuation: The continuation that wakes the reader after events have been added, and that ends the
    ///   sequence.
    init(continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    /// Adds an event, merging it with any pending event for the same target.
    ///
    /// Call ``wakeReader()`` afterwards.
    func add(_ event: FileEvent) {
        state.withLock { state in
            let pendingEvent = state.eventsByTarget[event.target]
            if pendingEvent == nil { state.pendingTargets.append(event.target) }
            state.eventsByTarget[event.target] = FileEvent(
                event.target, event.changes.union(pendingEvent?.changes ?? []),
                failure: event.failure)
        }
    }

    /// Wakes the task that reads the events.
    ///
    /// Do not hold a lock when you call this method. Cancelling the reader runs the stream's termination handler, which
    /// acquires the watch loop's lock. Any thread that resumes the reader blocks until the handler returns.
    func wakeReader() { continuation.yield() }

    /// Removes and returns the oldest pending event, or returns `nil` if no event is pending.
    func popEvent() -> FileEvent? {
        state.withLock { state in
            guard !state.pendingTargets.isEmpty else { return nil }
            return state.eventsByTarget.removeValue(forKey: state.pendingTargets.removeFirst())
        }
    }

    /// Finishes the sequence of events.
    ///
    /// Do not hold a lock when you call this method (see ``wakeReader()``).
    func end() { continuation.finish() }
}
