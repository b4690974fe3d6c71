import NIOCore
import NIOPosix
import Synchronization

/// Event loops that are not in use by any test.
private let idleLoops = Mutex<[any EventLoop]>([])

/// Calls a closure with an event loop that no other test uses at the same time.
///
/// Event loops are reused and never shut down. An event loop that was shut down drops tasks that are scheduled on it
/// later, and a test that awaits such a task would never end.
func withEventLoop<Result>(
    _ body: (any EventLoop) async throws -> Result
) async rethrows -> Result {
    let loop =
        idleLoops.withLock { $0.popLast() }
        ?? MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    defer { idleLoops.withLock { $0.append(loop) } }
    return try await body(loop)
}
