import Glibc
package import SystemPackage

/// Client that sends and receives bytes. It blocks for at most five minutes.
package final class RawSocket: Sendable {
    private let descriptor: CInt

    /// Connects to a socket.
    package init(_ path: FilePath) throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var time = timeval(tv_sec: 300, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard
            withSocketAddress(path.string, { connect(descriptor, $0, $1) }) == 0,
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size) == 0,
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0
        else { throw Errno(rawValue: errno) }
    }

    /// Sends a message, or as much of it as the other end accepts before it closes.
    package func send(_ message: [UInt8]) throws {
        let bytes = message + [0]
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0 && (errno == EPIPE || errno == ECONNRESET) { return }
            guard count > 0 else { throw Errno(rawValue: errno) }
            sent += count
        }
    }

    /// Receives the next message, or returns `nil` if the other end has closed.
    package func receive() throws -> String? {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
            guard count == 1 else { throw Errno(rawValue: errno) }
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    deinit { close(descriptor) }
}
