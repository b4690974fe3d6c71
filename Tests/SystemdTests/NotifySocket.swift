import Glibc
import Testing

/// A datagram socket that replaces the service manager's socket.
struct NotifySocket: ~Copyable {
    /// Value of `$NOTIFY_SOCKET`, which is a path, or `@` and the name of an abstract socket.
    let address: String

    private let descriptor: CInt

    /// Binds a socket to an address.
    init(address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(address.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { path in
            path.copyBytes(from: bytes)
            if bytes.first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        try #require(result == 0, "cannot bind \(address): \(String(cString: strerror(errno)))")
    }

    /// Binds a socket to an abstract name that is unique to this process, and sets `$NOTIFY_SOCKET` to the name.
    static func forThisProcess() throws -> NotifySocket {
        let socket = try NotifySocket(address: "@reprise-test-\(getpid())")
        setenv("NOTIFY_SOCKET", socket.address, 1)
        return socket
    }

    /// Returns the next datagram that was already sent, or `nil` if there is none.
    func received() -> String? {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Sends datagrams until the socket accepts no more, and returns their number.
    func fill() throws -> Int {
        let sender = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        try #require(sender >= 0)
        defer { close(sender) }
        var name = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let size = length
        return try withUnsafeMutablePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(getsockname(descriptor, address, &length) == 0)
                try #require(length <= size)
                var count = 0
                while sendto(sender, "x", 1, CInt(MSG_DONTWAIT), address, length) == 1 {
                    count += 1
                }
                return count
            }
        }
    }

    deinit {
        close(descriptor)
        if !address.hasPrefix("@") { unlink(address) }
    }
}
