import Dispatch
import Glibc
import RepriseControl
import TestSupport
import Testing

@testable import reprisectl

/// Calls over connections that may close at any time.
@Suite struct ConnectionTests {
    /// A daemon that replies to one call on each connection.
    private final class Daemon: Sendable {
        let scratch: ScratchFolder
        let path: String
        private let listener: CInt

        init() throws {
            scratch = try ScratchFolder()
            path = scratch.file("control")
            listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let isListening = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
                    == 0 && listen(listener, 8) == 0
            }
            try #require(isListening)
        }

        deinit { close(listener) }

        /// Replies to the first call of the next connection.
        ///
        /// - Returns: The connection, which stays open.
        @discardableResult
        func serve(_ reply: String) -> CInt {
            let connection = accept(listener, nil, nil)
            var byte: UInt8 = 1
            while byte != 0, read(connection, &byte, 1) == 1 {}
            let bytes = Array((reply + "\0").utf8)
            _ = bytes.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            return connection
        }
    }

    @Test func `a call after the daemon closed the connection is made over another one`() throws {
        let daemon = try Daemon()
        let path = daemon.path
        let woken = DispatchSemaphore(value: 0)
        let calls = SceneCalls(
            { DaemonConnection(socket: path) },
            wait: { isThere in
                while !isThere() { woken.wait() }
                return true
            },
            wake: { woken.signal() })
        calls.application = "org.example.A"
        for _ in 0..<2 {
            let isServed = DispatchGroup()
            DispatchQueue.global().async(group: isServed) {
                close(daemon.serve(#"{"parameters":{"saved":"written"}}"#))
            }
            #expect(try calls.make(TapCall.with { $0.path = "button" }).saved == .written)
            isServed.wait()
        }
    }

    @Test func `a connection that was given up is not used again`() throws {
        let daemon = try Daemon()
        let connection = DaemonConnection(socket: daemon.path, timeout: .seconds(60))
        for _ in 0..<2 {
            let isServed = DispatchGroup()
            DispatchQueue.global().async(group: isServed) { daemon.serve(#"{"parameters":{}}"#) }
            _ = try connection.call(TapCall.with { $0.path = "button" }, isRepeatable: false)
            isServed.wait()
            connection.disconnect()
        }
    }
}
