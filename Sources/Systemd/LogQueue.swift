import Synchronization

/// Writes the records of a log in order on a thread of its own.
///
/// A journal that nobody reads, or a full pipe, makes a write wait for as long as it likes. Here only that thread
/// waits, and records of about ``mostBytes`` with it. Further records are lost: in their place the queue writes how
/// many they were, once the reader is back.
final class LogQueue: Sendable {
    /// When so many bytes of records wait, further records are lost.
    static let mostBytes = 1 << 20

    /// How long those who log wait for the writing thread, once, when it does not keep up. A record is usually
    /// written before whoever logged it goes on, and perhaps crashes.
    private static let patience = Duration.milliseconds(10)

    private enum Entry {
        case record(byteCount: Int, write: @Sendable () -> Bool)
        case lost(Int)
    }

    private let waitingBytes: Counter
    private let isStalled = Atomic(false)
    private let isDirect = Atomic(false)
    private let thread: SendingThread<Entry>

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// - Parameter writeLoss: Writes to the log how many records were lost; returns whether it could.
    init(writeLoss: @escaping @Sendable (_ count: Int) -> Bool) {
        let (waitingBytes, lost) = (Counter(), Counter())
        self.waitingBytes = waitingBytes
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

    /// Has a record written, unless too much waits already.
    ///
    /// - Parameters:
    ///   - byteCount: About how many bytes it takes.
    ///   - write: Writes it, on the queue's thread; returns whether it could.
    func add(byteCount: Int, write: @escaping @Sendable () -> Bool) {
        if isDirect.load(ordering: .relaxed) {
            _ = write()
            return
        }
        let wasIdle = thread.change { waiting in
            if waitingBytes.value.load(ordering: .relaxed) <= Self.mostBytes {
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
        if !flush(within: Self.patience) { isStalled.store(true, ordering: .relaxed) }
    }

    /// From now on each record is written on the thread that logs it.
    func writeDirectly() { isDirect.store(true, ordering: .relaxed) }

    /// Returns when all records so far are written, or after a time.
    ///
    /// - Returns: `false` if the time was over first.
    @discardableResult
    func flush(within time: Duration) -> Bool { thread.flush(within: time) }
}
