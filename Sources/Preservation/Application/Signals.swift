import SavedState
import StateRestoration

/// Wakes one task when there is something to do; what was sent while it was busy is delivered
/// after.
struct Signal<Event: Sendable>: Sendable {
    /// The newest events that were sent; for one task alone.
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// - Parameter limit: how many events are kept while nobody takes them.
    init(keeping limit: Int = 1) {
        (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(limit))
    }

    /// Something is to be done.
    func send(_ event: Event) { continuation.yield(event) }

    /// Nothing more comes.
    func finish() { continuation.finish() }
}

extension Signal where Event == Void {
    /// Something is to be done.
    func send() { send(()) }
}

/// What an application's service loops wait for.
struct Signals: Sendable {
    /// The status has something new to say.
    let changed = Broadcast()
    /// Scenes are to be launched while the application runs (S3).
    let launches = Signal<Void>()
    /// A scene extends its restoration, which is given its time (R13).
    let extended = Signal<RestorationIdentifier>(keeping: 16)
    /// A change by another program waits for a decision (L4).
    let externalWait = Signal<Void>()
    /// Something is to be made durable.
    let sync = Signal<Void>()
    /// The replica has come further, or fails.
    let replicated = Signal<Void>()
    /// A step of a compaction is to be run.
    let compaction = Signal<CompactionJob>()
}

/// Threads for what waits for a disk.
struct DiskQueues: Sendable {
    let sync: DiskQueue
    let compaction: DiskQueue
    /// Reads what was saved at earlier times.
    let history: DiskQueue

    /// - Parameter label: names the queues in a debugger.
    init(label: String) {
        sync = DiskQueue(label: "\(label).sync")
        compaction = DiskQueue(label: "\(label).compact")
        history = DiskQueue(label: "\(label).history")
    }
}
