import CLinux
import Dispatch
import Synchronization

/// Gives memory back to the system that large messages took, see malloc_trim(3): the allocator keeps it
/// otherwise, in the belief that it is needed again.
final class MemoryTrim: Sendable {
    private static let pause = DispatchTimeInterval.seconds(5)

    private let isScheduled = Atomic(false)
    /// Looking through the whole heap takes its time: not on an event loop.
    private let queue = DispatchQueue(label: "varlink.memory", qos: .utility)

    /// Does it after a while, once for all who ask for it meanwhile.
    func schedule() {
        guard !isScheduled.exchange(true, ordering: .relaxed) else { return }
        queue.asyncAfter(deadline: .now() + Self.pause) {
            self.isScheduled.store(false, ordering: .relaxed)
            malloc_trim(0)
        }
    }
}
