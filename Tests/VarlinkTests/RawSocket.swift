import Glibc

@testable import Varlink

/// Client that sends and receives bytes, without code of the tested client. It blocks for at most a minute.
final class RawSocket: Sendable {
    let descriptor: CInt

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard UnixAddress.connectSocket(descriptor, to: path) == 0 else {
            throw SocketError(call: "connect", errno: errno)
        }
        limit()
    }

    init(descriptor: CInt) {
        self.descriptor = descriptor
        limit()
    }

    private func limit() {
        var time = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    /// Sends a whole text, in which a NUL ends each message.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SocketError(call: "send", errno: errno) }
            sent += count
        }
    }

    /// Shuts down the sending direction.
    func endInput() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Receives the next message without its NUL, or returns `nil` if the other end has closed.
    func receive() throws -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_PEEK))
            switch count {
            case 1...:
                // Bytes after the message stay in the socket.
                let end = buffer[..<count].firstIndex(of: 0)
                recv(descriptor, &buffer, end.map { $0 + 1 } ?? count, 0)
                bytes += buffer[..<(end ?? count)]
                if end != nil { return String(decoding: bytes, as: UTF8.self) }
            case 0 where bytes.isEmpty: return nil
            case 0: throw SocketError(call: "recv: half a message", errno: 0)
            default:
                if errno == ECONNRESET { return nil }
                throw SocketError(call: "recv", errno: errno)
            }
        }
    }

    deinit {
        close(descriptor)
    }
}
