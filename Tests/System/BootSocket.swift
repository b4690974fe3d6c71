import Dispatch
import Glibc
import SystemPackage

/// Socket on which a container reports that it has booted (sd_notify(3)).
final class BootSocket: Sendable {
    /// Value of `$NOTIFY_SOCKET`: an abstract name that the kernel chose.
    let address: String

    private let descriptor: CInt

    /// Binds a socket to a unique name.
    init() throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        // If a socket is bound without a name, the kernel assigns an abstract name of five characters.
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size)) == 0
                    ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard
            result == 0,
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
                socklen_t(MemoryLayout<timeval>.size)) == 0
        else {
            close(descriptor)
            throw Errno(rawValue: errno)
        }
        let size = Int(length) - MemoryLayout<sa_family_t>.size
        address = withUnsafeBytes(of: &name.sun_path) {
            "@" + String(decoding: $0[1..<size], as: UTF8.self)
        }
    }

    /// Waits for the assignment `READY=1`, for at most one minute between messages.
    ///
    /// - Returns: All assignments up to then, keyed by name.
    /// - Throws: `Errno` after the timeout (`EAGAIN`) or after ``endInput()`` (`EPIPE`).
    func waitUntilReady() async throws -> [String: String] {
        try await withCheckedThrowingContinuation { continuation in
            // The wait blocks its thread, so it uses a thread outside the pool for tasks.
            DispatchQueue(label: "own thread").async {
                continuation.resume(with: Result { try self.receiveUntilReady() })
            }
        }
    }

    /// Cancels a wait that can no longer succeed.
    func endInput() {
        shutdown(descriptor, CInt(SHUT_RD))
    }

    private func receiveUntilReady() throws -> [String: String] {
        var assignments: [String: String] = [:]
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while assignments["READY"] != "1" {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count >= 0 || errno == EINTR else { throw Errno(rawValue: errno) }
            guard count != 0 else { throw Errno.brokenPipe }
            for line in String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
            {
                let parts = line.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { assignments[String(parts[0])] = String(parts[1]) }
            }
        }
        return assignments
    }

    deinit { close(descriptor) }
}
