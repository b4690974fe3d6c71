import Synchronization

/// A queue that writes log records in order, on its own thread.
///
/// A write can block indefinitely if the journal is not being read or a pipe is full. In that case, only the queue's
/// thread blocks, and records accumulate in the queue. When their total size exceeds ``maximumBytes``, the queue drops
/// further records. It writes the number of dropped records when the log is read again.
final class LogQueue: Sendable {
    /// Total size of the queued records, in bytes, above which further records are dropped.
    static let maximumBytes = 1 << 20

    private enum Entry {
        case record(byteCount: Int, write: @Sendable () -> Bool)
        case lostRecords(Int)
    }

    private let waitingByteCounter: Counter
    private let isStalled = Atomic(false)
    private let writesDirectly = Atomic(false)
    private let timeout: Duration
    private let thread: SendingThread<Entry>

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time that a logging thread waits for its record to be written. The wait makes it likely
    ///     that a record is written before the program crashes. After a timeout, logging threads do not wait again
    ///     until the queue has caught up. Only tests change the timeout.
    ///   - writeLostRecordCount: A closure that writes the number of lost records to the log, and returns whether this
    ///     succeeded.
    init(
        timeout: Duration = .milliseconds(10),
        writeLostRecordCount: @escaping @Sendable (_ count: Int) -> Bool
    ) {
        let (waitingByteCounter, lostRecordCounter) = (Counter(), Counter())
        self.waitingByteCounter = waitingByteCounter
        self.timeout = timeout
        @Sendable func writeLostRecordCountIfAny() {
            let lostRecordCount = lostRecordCounter.value.load(ordering: .relaxed)
            if lostRecordCount > 0, writeLostRecordCount(lostRecordCount) {
                lostRecordCounter.value.subtract(lostRecordCount, ordering: .relaxed)
            }
        }
        thread = SendingThread(label: "Log") { entry in
            switch entry {
            case .lostRecords(let count):
                lostRecordCounter.value.add(count, ordering: .relaxed)
                writeLostRecordCountIfAny()
            case .record(let byteCount, let write):
                writeLostRecordCountIfAny()
                if !write() { lostRecordCounter.value.add(1, ordering: .relaxed) }
                waitingByteCounter.value.subtract(byteCount, ordering: .relaxed)
            }
        }
    }

    /// Adds a record to the queue, unless the queue already contains too many bytes.
    ///
    /// - Parameters:
    ///   - byteCount: The approximate size of the record in bytes.
    ///   - write: A closure that writes the record on the queue's thread, and returns whether this succeeded.
    func add(byteCount: Int, write: @escaping @Sendable () -> Bool) {
        if writesDirectly.load(ordering: .relaxed) {
            _ = write()
            return
        }
        let wasThreadIdle = thread.updateQueue { waitingEntries in
            if waitingByteCounter.value.load(ordering: .relaxed) <= Self.maximumBytes {
                waitingByteCounter.value.add(byteCount, ordering: .relaxed)
                waitingEntries.append(.record(byteCount: byteCount, write: write))
            } else if case .lostRecords(let count)? = waitingEntries.last {
                waitingEntries[waitingEntries.index(before: waitingEntries.endIndex)] =
                    .lostRecords(
                        count + 1)
            } else {
                waitingEntries.append(.lostRecords(1))
            }
        }
        if wasThreadIdle { isStalled.store(false, ordering: .relaxed) }
        guard !isStalled.load(ordering: .relaxed) else { return }
        if !flush(within: timeout) { isStalled.store(true, ordering: .relaxed) }
    }

    /// Makes every later call to ``add(byteCount:write:)`` write its record immediately, on the calling thread.
    func enableDirectWrites() { writesDirectly.store(true, ordering: .relaxed) }

    /// Waits until all records added so far have been written, or until a timeout expires.
    ///
    /// - Returns: `false` if the timeout expired first.
    @discardableResult
    func flush(within timeout: Duration) -> Bool { thread.flush(within: timeout) }
}
