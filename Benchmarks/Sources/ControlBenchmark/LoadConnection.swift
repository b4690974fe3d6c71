import DaemonClient
import Glibc

/// A connection that sends requests and waits for the end of each answer, which is a NUL in Varlink
/// and a newline in Redis.
struct LoadConnection {
    let descriptor: CInt
    private var buffer = [UInt8](repeating: 0, count: 4096)

    init(path: String) throws {
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
            throw SystemError(call: "connect \(path)", number: errno)
        }
    }

    func ask(_ request: [UInt8]) throws {
        guard send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count else {
            throw SystemError(call: "send", number: errno)
        }
    }

    /// Reads what is there, or waits for it; says whether it ends an answer.
    mutating func hear() throws -> Bool {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw SystemError(call: "recv", number: errno) }
        let last = buffer[count - 1]
        guard last == 0 || last == UInt8(ascii: "\n") else { return false }
        guard buffer.starts(with: Array("{\"parameters\"".utf8)) || buffer[0] == UInt8(ascii: "+")
        else { throw Refusal(text: String(decoding: buffer[..<count], as: UTF8.self)) }
        return true
    }

    /// How long a request takes to be answered.
    mutating func time(_ request: [UInt8]) throws -> Duration {
        let start = ContinuousClock.now
        try ask(request)
        while !(try hear()) {}
        return .now - start
    }
}

/// A request was answered by an error.
struct Refusal: Error {
    let text: String
}

/// Connections each of which asks again as soon as it is answered, all on one thread.
final class LoadGroup {
    private var connections: [LoadConnection]
    private var number = 0

    init(path: String, connections count: Int) throws {
        connections = try (0..<count).map { _ in try LoadConnection(path: path) }
    }

    /// How many answers a second come.
    func rate(for time: Duration, _ request: (Int) -> [UInt8]) throws -> Double {
        var entries = connections.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        let start = ContinuousClock.now
        let end = start + time
        for connection in connections { try connection.ask(next(request)) }
        var answered = 0
        var asked = connections.count
        while answered < asked {
            guard poll(&entries, nfds_t(entries.count), 10_000) > 0 else {
                throw SystemError(call: "waiting for an answer", number: ETIMEDOUT)
            }
            let isOver = ContinuousClock.now >= end
            for index in entries.indices where entries[index].revents != 0 {
                guard try connections[index].hear() else { continue }
                answered += 1
                if isOver { continue }
                try connections[index].ask(next(request))
                asked += 1
            }
        }
        return Double(answered) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private func next(_ request: (Int) -> [UInt8]) -> [UInt8] {
        number += 1
        return request(number)
    }
}
