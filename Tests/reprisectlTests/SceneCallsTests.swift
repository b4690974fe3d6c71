import Dispatch
import Glibc
import RepriseControl
import TestSupport
import Testing

@testable import reprisectl

/// Calls of a terminal client, over a connection that may close at any time.
@Suite struct SceneCallsTests {
    /// A daemon that replies to one call on each connection, and closes it then.
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

        /// Serves one connection.
        func serve(_ reply: String) {
            let connection = accept(listener, nil, nil)
            var byte: UInt8 = 1
            while byte != 0, read(connection, &byte, 1) == 1 {}
            let bytes = Array((reply + "\0").utf8)
            _ = bytes.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            close(connection)
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
                daemon.serve(#"{"parameters":{"saved":"written"}}"#)
            }
            #expect(try calls.make(TapCall.with { $0.path = "button" }).saved == .written)
            isServed.wait()
        }
    }
}
