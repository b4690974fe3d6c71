import LinuxIO
import Logging
import NIOCore
import NIOPosix
import Preservation
import ServiceLifecycle

/// Event loops that end with what uses them.
enum EventLoops {
    /// Runs a body with so many event loops, each with a thread of its own.
    static func with(
        _ count: Int, _ body: (MultiThreadedEventLoopGroup) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        Descriptors.closeEpollsOnExecution()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(group))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        try result.get()
    }
}

/// A service of the program that a daemon runs in, beside those of the daemon: they have an event loop of
/// their own, which is to be free to answer the service manager, and this has the threads of the process.
struct OwnService: Service {
    let service: any Service
    let logger: Logger

    func run() async throws {
        do {
            try await withTaskExecutorPreference(globalConcurrentExecutor) {
                try await service.run()
            }
        } catch ApplicationError.ending where Task.isShuttingDownGracefully {
            return  // It waited for an application that was being launched.
        }
        if !Task.isShuttingDownGracefully {
            logger.notice(
                "the service \(type(of: service)) has stopped, and the program stops with it")
        }
    }
}
