import Glibc

/// A connection to a daemon, as bytes.
package struct ControlConnection {
    private let descriptor: CInt

    /// Connects to the socket at a path.
    package init(path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, result == 0 else {
            throw SystemError(call: "connect", number: errno)
        }
    }

    /// Calls a method of the control interface, and gives the whole reply.
    package func call(_ method: String, _ parameters: String) throws -> String {
        let message =
            Array(
                "{\"method\":\"org.reprise.Control.\(method)\",\"parameters\":\(parameters)}".utf8)
            + [0]
        guard send(descriptor, message, message.count, CInt(MSG_NOSIGNAL)) == message.count else {
            throw SystemError(call: "send", number: errno)
        }
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while reply.last != 0 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw SystemError(call: "recv", number: errno) }
            reply += buffer[..<count]
        }
        return String(decoding: reply.dropLast(), as: UTF8.self)
    }
}
