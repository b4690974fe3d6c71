import LinuxIO
import Logging
import NIOCore
import NIOPosix
import Preservation
import ServiceLifecycle

/// Event loops that are shut down after use.
enum EventLoops {
    /// Runs a closure with a group that has one event loop and one thread.
    static func withGroup(
        _ body: (MultiThreadedEventLoopGroup) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        FileDescriptors.setCloseOnExecOnEpollDescriptors()
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

/// Service that a program runs in addition to the daemon's services.
///
/// The event loop of the daemon's services must remain free to notify the service manager, so the program's services
/// run on the global executor.
struct ProgramService: Service {
    let service: any Service
    let logger: Logger

    func run() async throws {
        do {
            try await withTaskExecutorPreference(globalConcurrentExecutor) {
                try await service.run()
            }
        } catch ApplicationError.ending where Task.isShuttingDownGracefully {
            return  // The service was waiting for an application to launch.
        }
        if !Task.isShuttingDownGracefully {
            logger.notice(
                "the service \(type(of: service)) has stopped, and the program stops with it")
        }
    }
}
