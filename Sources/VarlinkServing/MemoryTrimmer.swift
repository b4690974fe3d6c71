import CLinux
import Dispatch
import NIOCore
import Synchronization

/// Trimmer that returns the memory of large messages to the system; see malloc_trim(3). The allocator would otherwise
/// retain this memory for later use.
final class MemoryTrimmer: Sendable {
    private static let trimDelay = TimeAmount.seconds(5)

    private let isTrimScheduled = Atomic(false)
    /// Queue on which the heap is trimmed. Trimming examines the whole heap, which takes too long for an event loop.
    private let queue = DispatchQueue(label: "varlink.memory")

    /// Schedules a trim on an event loop after a pause. Further requests during the pause have no effect.
    func scheduleTrim(on eventLoop: any EventLoop) {
        guard !isTrimScheduled.exchange(true, ordering: .relaxed) else { return }
        _ = eventLoop.scheduleTask(in: Self.trimDelay) {
            self.queue.async {
                self.isTrimScheduled.store(false, ordering: .relaxed)
                malloc_trim(0)
            }
        }
    }
}
