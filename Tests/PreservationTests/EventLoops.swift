import NIOCore
import NIOPosix
import Synchronization

/// Event loops that no test uses at the moment.
private let idleLoops = Mutex<[any EventLoop]>([])

/// Runs a body with an event loop that no other test uses meanwhile.
///
/// Loops are used again and never shut down. A loop that is shut down drops the tasks that are scheduled on it
/// later, and a test that awaits one of them would never end.
func withEventLoop<Result>(
    _ body: (any EventLoop) async throws -> Result
) async rethrows -> Result {
    let loop =
        idleLoops.withLock { $0.popLast() }
        ?? MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    defer { idleLoops.withLock { $0.append(loop) } }
    return try await body(loop)
}
