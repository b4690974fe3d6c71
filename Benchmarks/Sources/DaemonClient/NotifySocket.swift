import Glibc

/// A socket of the kind that systemd gives to a service in $NOTIFY_SOCKET (sd_notify(3)).
package struct NotifySocket {
    /// Where it is.
    package let path: String
    private let descriptor: CInt

    /// Makes it at a path where nothing is.
    package init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { throw SystemError(call: "bind", number: errno) }
    }

    /// Returns when a message says READY=1, or throws after ten seconds.
    package func waitForReady() throws {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 10_000) == 1 else {
                throw SystemError(call: "waiting for READY=1", number: ETIMEDOUT)
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw SystemError(call: "recv", number: errno) }
            let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
            if lines.contains("READY=1") { return }
        }
    }

    /// Forgets messages that were not waited for.
    package func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) >= 0 {}
    }
}

/// A system call that failed.
package struct SystemError: Error, CustomStringConvertible {
    private let call: String
    private let number: CInt

    /// - Parameter number: the errno.
    package init(call: String, number: CInt) {
        self.call = call
        self.number = number
    }

    /// One sentence.
    package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
