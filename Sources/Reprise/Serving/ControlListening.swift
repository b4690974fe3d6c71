import ExactText
import LinuxIO
import Preservation
import ServiceLifecycle
import VarlinkServing

/// Listens on the control socket, once every application takes commands, or could not be launched.
struct ControlListening: Service {
    let server: VarlinkServer
    let address: ControlAddress
    let applications: ApplicationList
    let readiness: Readiness
    let watch: ControlSocketWatch
    /// Executor for the tasks that outlive a graceful shutdown of this service. In a daemon, the global executor
    /// would start Dispatch's threads, which wake up every second.
    let executor: any TaskExecutor

    /// Listens, tells that the program is ready, and serves until the graceful shutdown.
    ///
    /// - Throws: why the service cannot listen.
    func run() async throws {
        guard await areApplicationsReady() else { return }
        try await withGracefulShutdownHandler {
            do {
                try await listen()
            } catch ListenError.stopped {
                return  // The daemon was told to stop while it launched.
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

    /// Returns when every application takes commands, or could not be launched; false if the program is told
    /// to end before, which then does not wait for them.
    private func areApplicationsReady() async -> Bool {
        let (events, feed) = AsyncStream.makeStream(of: Void.self)
        // It ends with the applications, which end after this service.
        Task(executorPreference: executor) {
            for application in applications.applications { await application.waitUntilReady() }
            feed.yield()
        }
        return await withGracefulShutdownHandler {
            for await _ in events { return true }
            return false
        } onGracefulShutdown: {
            feed.finish()
            // Services of the program may wait for the launch, too, and end before the applications do.
            Task(executorPreference: executor) {
                for application in applications.applications { await application.endIfLaunching() }
            }
        }
    }

    private func listen() async throws {
        if address.passed == nil {
            for path in address.paths { try await watch.listen(at: path) }
        }
        for descriptor in address.inherited.takeControlListeners() {
            try await server.listen(inheritedDescriptor: descriptor)
        }
        await watch.createMissingSockets()
    }
}
