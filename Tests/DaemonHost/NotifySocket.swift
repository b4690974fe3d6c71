import Dispatch
package import Glibc
import Synchronization
package import SystemPackage

/// Service manager's end of `sd_notify(3)`, in a scratch directory.
///
/// It receives messages continuously, as a service manager does, because a daemon would otherwise block.
package final class NotifySocket: Sendable {
    /// Path of the socket, for `$NOTIFY_SOCKET`.
    package let path: FilePath

    private struct Waiter {
        let assignment: String
        let continuation: CheckedContinuation<[String], any Error>
        var hasTimedOutOnce = false
    }

    private struct State {
        var messages: [[String]] = []
        var readCount = 0
        var hasEnded = false
        var waiter: Waiter?
        var endWaiter: CheckedContinuation<Void, Never>?
    }

    private let descriptor: CInt
    private let state = Mutex(State())

    /// Binds a socket to an unused path. The caller must call ``end()`` later.
    package init(path: FilePath) throws {
        self.path = path
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        let descriptor = descriptor
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        guard
            withSocketAddress(path.string, { bind(descriptor, $0, $1) }) == 0,
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
                socklen_t(MemoryLayout<timeval>.size)) == 0
        else { throw Errno(rawValue: errno) }
        // Receiving blocks, so it runs on a thread outside the pool that runs tasks.
        DispatchQueue(label: "own thread").async { self.receiveAll() }
    }

    /// All messages so far, each with its assignments in order.
    package var messages: [[String]] { state.withLock { $0.messages } }

    /// Waits for a message that contains an assignment, after the message that was last waited for.
    ///
    /// - Returns: The message's assignments.
    /// - Throws: `Errno` with `EAGAIN` if no message arrives for half a minute, or with `EPIPE` if the daemon exits or
    ///   ``end()`` is called first.
    @discardableResult
    package func wait(for assignment: String) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock {
                $0.waiter = Waiter(assignment: assignment, continuation: continuation)
                Self.resumeWaiter(&$0)
            }
        }
    }

    /// Ends the input. Waiting fails after all received messages have been read.
    package func endInput() {
        shutdown(descriptor, CInt(SHUT_RD))
    }

    /// Ends the input, and returns when all messages have been read and the path can be used again.
    package func end() async {
        endInput()
        await withCheckedContinuation { continuation in
            state.withLock {
                if $0.hasEnded { continuation.resume() } else { $0.endWaiter = continuation }
            }
        }
        unlink(path.string)
    }

    private func receiveAll() {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        var hasEnded = false
        while !hasEnded {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            let code = errno
            if count < 0 && code == EINTR { continue }
            hasEnded = state.withLock { Self.handleReceived(count, of: bytes, code, &$0) }
        }
    }

    /// Handles the result of receiving a message.
    ///
    /// - Returns: Whether the input has ended.
    private static func handleReceived(
        _ count: Int, of bytes: [UInt8], _ code: CInt, _ state: inout State
    ) -> Bool {
        if count > 0 {
            let text = String(decoding: bytes.prefix(count), as: UTF8.self)
            state.messages.append(text.split(separator: "\n").map(String.init))
        } else if count < 0, code == EAGAIN {
            if state.waiter?.hasTimedOutOnce == true {
                state.waiter?.continuation.resume(throwing: Errno(rawValue: code))
                state.waiter = nil
            }
            state.waiter?.hasTimedOutOnce = true
        } else {
            state.hasEnded = true
            state.endWaiter?.resume()
        }
        resumeWaiter(&state)
        return state.hasEnded
    }

    private static func resumeWaiter(_ state: inout State) {
        guard let waiter = state.waiter else { return }
        while state.readCount < state.messages.count {
            let message = state.messages[state.readCount]
            state.readCount += 1
            if message.contains(waiter.assignment) {
                state.waiter = nil
                return waiter.continuation.resume(returning: message)
            }
        }
        if state.hasEnded {
            state.waiter = nil
            waiter.continuation.resume(throwing: Errno.brokenPipe)
        }
    }

    deinit {
        close(descriptor)
    }
}

/// Calls a body with the socket address of a path of at most 107 bytes (`unix(7)`).
package func withSocketAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
        precondition(path.utf8.count < $0.count)
        $0.copyBytes(from: path.utf8)
    }
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
