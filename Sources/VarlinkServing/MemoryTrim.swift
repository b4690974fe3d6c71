import CLinux
import Dispatch
import NIOCore
import Synchronization

/// Gives memory back to the system that large messages took, see malloc_trim(3): the allocator keeps it
/// otherwise, in the belief that it is needed again.
final class MemoryTrim: Sendable {
    private static let pause = TimeAmount.seconds(5)

    private let isScheduled = Atomic(false)
    /// Looking through the whole heap takes its time: not on an event loop.
    private let queue = DispatchQueue(label: "varlink.memory")

    /// Does it after a while that an event loop waits, once for all who ask for it meanwhile.
    func schedule(on eventLoop: any EventLoop) {
        guard !isScheduled.exchange(true, ordering: .relaxed) else { return }
        _ = eventLoop.scheduleTask(in: Self.pause) {
            self.queue.async {
                self.isScheduled.store(false, ordering: .relaxed)
                malloc_trim(0)
            }
        }
    }
}
