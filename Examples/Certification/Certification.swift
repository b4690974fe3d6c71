import Logging
import NIOPosix
import SystemPackage
import Varlink
import VarlinkServing

/// A program that serves `org.varlink.certification` on a socket or tests a service on a socket.
///
///     certification serve SOCKET DEFINITION
///     certification try SOCKET
@main
struct Certification {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("serve"?, 3):
            try await serve(arguments[2], definition: try text(of: arguments[3]))
        case ("try"?, 2):
            var client = try CertificationClient(path: arguments[2])
            try client.run()
            try FileDescriptor.standardOutput.writeAll("Certification passed\n".utf8)
        default:
            throw VarlinkError(name: "Usage: certification serve SOCKET DEFINITION | try SOCKET")
        }
    }

    /// Serves the interface until the process is stopped.
    private static func serve(_ path: String, definition: String) async throws {
        let server = try VarlinkServer(
            info: ServiceInfo(
                vendor: "Reprise", product: "certification", version: "1",
                url: "https://varlink.org"),
            interfaces: [try CertificationService(definition: definition).interface()],
            group: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            logger: Logger(label: "certification"))
        try await server.listen(path: path)
        await server.run()
    }

    private static func text(of path: String) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }
}
