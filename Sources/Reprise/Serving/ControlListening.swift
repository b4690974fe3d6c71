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
            await server.run()
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
        switch address {
        case .inherited(let descriptors):
            for descriptor in descriptors {
                try await server.listen(inheritedDescriptor: descriptor)
            }
        case .path(let path, let mode):
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                _ = try Directory.openOrMake(String(path[..<slash]))
            }
            try await server.listen(path: path, mode: mode)
        }
    }
}
