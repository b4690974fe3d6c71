import Synchronization

/// Queue that writes the records of a log in order, on a thread of its own.
///
/// If nobody reads the journal, or if a pipe is full, a write can block for any length of time. Only the thread of
/// the queue blocks then, and about ``maximumBytes`` of records wait with it. Further records are lost. When the log is
/// read again, the queue writes their number in their place.
final class LogQueue: Sendable {
    /// Number of waiting bytes above which further records are lost.
    static let maximumBytes = 1 << 20

    private enum Entry {
        case record(byteCount: Int, write: @Sendable () -> Bool)
        case lost(Int)
    }

    private let waitingBytes: Counter
    private let isStalled = Atomic(false)
    private let isDirect = Atomic(false)
    private let timeout: Duration
    private let thread: SendingThread<Entry>

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// - Parameters:
    ///   - timeout: Time for which a logging thread waits for the writing thread. A logging thread waits only once
    ///     while the writing thread does not keep up. A record is therefore usually written before the program
    ///     continues, and perhaps crashes. Only tests change it.
    ///   - writeLoss: Writes the number of lost records to the log. Returns whether this succeeded.
    init(
        timeout: Duration = .milliseconds(10),
        writeLoss: @escaping @Sendable (_ count: Int) -> Bool
    ) {
        let (waitingBytes, lost) = (Counter(), Counter())
        self.waitingBytes = waitingBytes
        self.timeout = timeout
        @Sendable func writeLossIfAny() {
            let count = lost.value.load(ordering: .relaxed)
            if count > 0, writeLoss(count) { lost.value.subtract(count, ordering: .relaxed) }
        }
        thread = SendingThread(label: "Log") { entry in
            switch entry {
            case .lost(let count):
                lost.value.add(count, ordering: .relaxed)
                writeLossIfAny()
            case .record(let byteCount, let write):
                writeLossIfAny()
                if !write() { lost.value.add(1, ordering: .relaxed) }
                waitingBytes.value.subtract(byteCount, ordering: .relaxed)
            }
        }
    }

    /// Adds a record to the queue, unless too many bytes are waiting.
    ///
    /// - Parameters:
    ///   - byteCount: The approximate size of the record in bytes.
    ///   - write: Writes the record, on the thread of the queue. Returns whether this succeeded.
    func add(byteCount: Int, write: @escaping @Sendable () -> Bool) {
        if isDirect.load(ordering: .relaxed) {
            _ = write()
            return
        }
        let wasIdle = thread.change { waiting in
            if waitingBytes.value.load(ordering: .relaxed) <= Self.maximumBytes {
                waitingBytes.value.add(byteCount, ordering: .relaxed)
                waiting.append(.record(byteCount: byteCount, write: write))
            } else if case .lost(let count)? = waiting.last {
                waiting[waiting.index(before: waiting.endIndex)] = .lost(count + 1)
            } else {
                waiting.append(.lost(1))
            }
        }
        if wasIdle { isStalled.store(false, ordering: .relaxed) }
        guard !isStalled.load(ordering: .relaxed) else { return }
        if !flush(within: timeout) { isStalled.store(true, ordering: .relaxed) }
    }

    /// Makes the queue write each later record on the thread that logs it.
    func writeDirectly() { isDirect.store(true, ordering: .relaxed) }

    /// Waits until all records so far are written, or until a timeout expires.
    ///
    /// - Returns: `false` if the timeout expired first.
    @discardableResult
    func flush(within time: Duration) -> Bool { thread.flush(within: time) }
}
