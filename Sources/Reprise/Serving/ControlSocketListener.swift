import ExactText
import LinuxIO
import Preservation
import ServiceLifecycle
import VarlinkServing

/// Service that listens on the control socket after every application has launched or failed to launch.
struct ControlSocketListener: Service {
    let server: VarlinkServer
    let controlSockets: ControlSockets
    let applications: ApplicationList
    let readiness: Readiness
    let watch: ControlSocketWatch
    /// Executor for tasks that outlive this service's graceful shutdown.
    ///
    /// In a daemon, use of the global executor would start Dispatch's threads, which wake up every second.
    let executor: any TaskExecutor

    /// Listens, signals that the program is ready, and serves clients until the service shuts down gracefully.
    ///
    /// - Throws: An error if the service cannot listen.
    func run() async throws {
        guard await waitUntilApplicationsReady() else { return }
        try await withGracefulShutdownHandler {
            do {
                try await listen()
            } catch ListenError.stopped {
                return  // The daemon was asked to stop before it could listen.
            }
            readiness.signal()
            await withTaskGroup { tasks in
                tasks.addTask { await watch.run() }
                await server.run()
                tasks.cancelAll()
            }
        } onGracefulShutdown: {
            server.stop()
        }
    }

    /// Waits until every application has launched or failed to launch.
    ///
    /// - Returns: `false` if the program is asked to stop first. In that case, the method returns without waiting for
    ///   the launches.
    private func waitUntilApplicationsReady() async -> Bool {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        // The task ends no later than the applications, which stop after this service.
        Task(executorPreference: executor) {
            do {
                for application in applications.applications {
                    try await application.waitUntilFirstLaunchEnds()
                }
            } catch {
                return  // Nothing cancels this task.
            }
            continuation.yield()
        }
        return await withGracefulShutdownHandler {
            for await _ in events { return true }
            return false
        } onGracefulShutdown: {
            continuation.finish()
            // The program's own services, which stop before the applications, may be waiting for the launch as well.
            Task(executorPreference: executor) {
                for application in applications.applications { await application.stopIfLaunching() }
            }
        }
    }

    private func listen() async throws {
        if controlSockets.passedSocketsDescription == nil {
            for path in controlSockets.paths { try await watch.listen(at: path) }
        }
        for descriptor in controlSockets.inheritedSockets.consumeControlListeners() {
            try await server.listen(inheritedDescriptor: descriptor)
        }
        await watch.createMissingSockets()
    }
}
