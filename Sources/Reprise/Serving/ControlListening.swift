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

    /// Listens, tells that the program is ready, and serves until the graceful shutdown.
    ///
    /// - Throws: why the service cannot listen.
    func run() async throws {
        for application in applications.applications { await application.waitUntilReady() }
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
