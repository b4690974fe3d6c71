import DaemonHost
import Glibc
import SystemPackage

/// Clients that type at the same time until the daemon exits. Each client has its own connection with one pending call.
struct Load {
    private struct Connection {
        let descriptor: CInt
        var typist: Typist
        var received: [UInt8] = []
        var isOpen = true

        /// Whether a reply is pending.
        var isWaiting: Bool { isOpen && typist.sent != typist.acknowledged }
    }

    private var connections: [Connection] = []

    /// Connects one client for each typist.
    init(_ typists: [Typist], to socket: FilePath) throws {
        for typist in typists {
            connections.append(
                Connection(descriptor: try Self.makeConnection(to: socket), typist: typist))
        }
    }

    /// The typists with their current knowledge.
    var typists: [Typist] { connections.map(\.typist) }

    /// Types until a time, then kills the daemon and reads the replies that it sent before.
    mutating func run(
        until moment: ContinuousClock.Instant, kill: () throws -> Void
    ) throws {
        defer { for connection in connections { close(connection.descriptor) } }
        for index in connections.indices { try sendNext(index) }
        var isKilled = false
        while connections.contains(where: \.isOpen) {
            let remaining = ContinuousClock.now.duration(to: moment)
            if !isKilled, remaining <= .zero {
                try kill()
                isKilled = true
            }
            try wait(isKilled ? nil : remaining)
            for index in connections.indices where connections[index].isOpen {
                try receive(index, sendsNext: !isKilled)
            }
        }
        try Violation.unless(isKilled, "the daemon ended by itself")
    }

    /// Types until a time, calls a closure at an earlier time, and reads all replies.
    mutating func run(
        until moment: ContinuousClock.Instant, at earlier: ContinuousClock.Instant,
        act: () throws -> Void
    ) throws {
        defer { for connection in connections { close(connection.descriptor) } }
        for index in connections.indices { try sendNext(index) }
        var hasActed = false
        var isFinished = false
        while connections.contains(where: \.isWaiting) {
            let now = ContinuousClock.now
            if !hasActed, now >= earlier {
                try act()
                hasActed = true
            }
            isFinished = hasActed && now >= moment
            try wait(isFinished ? nil : now.duration(to: hasActed ? moment : earlier))
            for index in connections.indices where connections[index].isWaiting {
                try receive(index, sendsNext: !isFinished)
                try Violation.unless(connections[index].isOpen, "the daemon ended by itself")
            }
        }
    }

    /// Waits until data can be received.
    private func wait(_ duration: Duration?) throws {
        var entries = connections.map {
            pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
        }
        // The timeout is rounded down, so that the time is not missed while waiting for a reply.
        let milliseconds = CInt(max(.zero, duration ?? .seconds(30)) / .milliseconds(1))
        let count = poll(&entries, nfds_t(entries.count), milliseconds)
        guard count >= 0 || errno == EINTR else { throw Errno(rawValue: errno) }
        try Violation.unless(count != 0 || duration != nil, "a killed daemon goes on")
    }

    private mutating func receive(_ index: Int, sendsNext: Bool) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let count = recv(
                connections[index].descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else {
                connections[index].isOpen = false
                return
            }
            connections[index].received += buffer.prefix(count)
            guard let end = connections[index].received.firstIndex(of: 0) else { continue }
            let reply = String(decoding: connections[index].received[..<end], as: UTF8.self)
            connections[index].received.removeFirst(end + 1)
            try connections[index].typist.acceptReply(reply)
            if sendsNext { try sendNext(index) }
        }
    }

    /// Sends the next call. A daemon that has exited does not receive it, which becomes apparent when the connection is
    /// read.
    private mutating func sendNext(_ index: Int) throws {
        let message = try connections[index].typist.nextCall() + [0]
        let count = message.withUnsafeBytes {
            send(connections[index].descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        guard count == message.count || errno == EPIPE || errno == ECONNRESET else {
            throw Errno(rawValue: errno)
        }
    }

    private static func makeConnection(to path: FilePath) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0,
            withSocketAddress(path.string, { connect(descriptor, $0, $1) }) == 0
        else { throw Errno(rawValue: errno) }
        return descriptor
    }
}
