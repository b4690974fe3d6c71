import Glibc
import LinuxIO
import Logging
import NIOCore
import Preservation
import RepriseControl
import ServiceLifecycle
import Systemd
import Varlink
import VarlinkServing

/// Serves the control interface, once every application takes commands, or could not be launched.
struct ControlService: Service {
    /// Where the service listens.
    enum Address: Sendable, CustomStringConvertible {
        /// On sockets that were passed in.
        case inherited([CInt])
        /// On a socket of its own; who may call is asked of the kernel for each connection.
        case path(String, mode: UInt32)

        /// The sockets that were passed in, in words; nil if there are none.
        var passed: String? {
            guard case .inherited(let descriptors) = self else { return nil }
            return descriptors.map { UnixAddress.path(of: $0) ?? "a socket without a path" }
                .joined(separator: ", ")
        }

        /// Where that is, in words.
        var description: String {
            switch self {
            case .inherited: "\(passed ?? ""), which the service manager passed"
            case .path(let path, _): path
            }
        }
    }

    /// The name that the socket unit gives to the control socket.
    static let socketName = "varlink"

    let server: VarlinkServer
    let address: Address
    let applications: ApplicationList
    let readiness: Readiness

    /// Listens, tells that the daemon is ready, and serves until the graceful shutdown.
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
