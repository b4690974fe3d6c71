import Foundation

/// A connection that sends requests and waits for the end of each reply.
///
/// A reply ends with a NUL in Varlink and with a newline in Redis.
struct Connection {
    let descriptor: CInt
    private let end: UInt8
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects to a server.
    ///
    /// - Parameter end: The byte at the end of a reply.
    init(path: String, end: UInt8 = 0) throws {
        self.end = end
        descriptor = try check("socket", socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        try withSocketAddress(path) { try check("connect \(path)", connect(descriptor, $0, $1)) }
    }

    /// Uses an existing connection to a Varlink server.
    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        end = 0
    }

    /// Waits until a server accepts connections, for at most ten seconds.
    static func waitForServer(at path: String) throws {
        for _ in 0..<1000 {
            if let connection = try? Connection(path: path) { return connection.close() }
            usleep(10_000)
        }
        try Connection(path: path).close()
    }

    func sendRequest(_ request: [UInt8]) throws {
        let count = send(descriptor, request, request.count, CInt(MSG_NOSIGNAL))
        guard try check("send", count) == request.count else { throw Failure("incomplete send") }
    }

    /// Waits for data, and returns the number of replies that end in the received data.
    mutating func receiveReplies() throws -> Int {
        let count = try check("recv", recv(descriptor, &buffer, buffer.count, 0))
        if count == 0 { throw Failure("the server closed a connection") }
        let bytes = buffer[..<count]
        if bytes.starts(with: Self.varlinkError) || bytes.first == UInt8(ascii: "-") {
            throw Failure("a request was refused: \(String(decoding: bytes, as: UTF8.self))")
        }
        return bytes.count { $0 == end }
    }

    private static let varlinkError = Array("{\"error\"".utf8)

    /// Calls a method of the control interface, and returns the complete reply.
    mutating func call(_ method: String, _ parameters: String) throws -> String {
        try sendRequest(Request.varlink("org.reprise.Control.\(method)", parameters))
        return try reply()
    }

    /// Reads the next complete reply.
    mutating func reply() throws -> String {
        var reply: [UInt8] = []
        while reply.last != end {
            let count = try check("recv", recv(descriptor, &buffer, buffer.count, 0))
            if count == 0 { throw Failure("the server closed a connection") }
            reply += buffer[..<count]
        }
        return String(decoding: reply.dropLast(), as: UTF8.self)
    }

    /// Sends all requests at once, and returns the time until all replies have been received.
    mutating func time(_ requests: [UInt8], count: Int = 1) throws -> Duration {
        let start = ContinuousClock.now
        try sendRequest(requests)
        var received = 0
        while received < count { received += try receiveReplies() }
        return .now - start
    }

    func close() { Glibc.close(descriptor) }
}

/// Encoded requests.
enum Request {
    static let getInfo = varlink("org.varlink.service.GetInfo", "{}")
    static let field = "\"path\":\"nav/parent/child1/textField\""

    /// Returns a Varlink call.
    ///
    /// - Parameter more: Whether the call requests multiple replies.
    static func varlink(_ method: String, _ parameters: String, more: Bool = false) -> [UInt8] {
        let flag = more ? "\"more\":true," : ""
        return Array("{\"method\":\"\(method)\",\(flag)\"parameters\":\(parameters)}\0".utf8)
    }

    /// Returns a request that types a different text for each number.
    static func type(_ number: Int) -> [UInt8] {
        varlink("org.reprise.Control.Type", "{\(field),\"text\":\"text \(10_000_000 + number)\"}")
    }

    /// Returns a request that sets a Redis value with the same number of bytes as the typed text.
    static func set(_ number: Int) -> [UInt8] {
        Array("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$13\r\ntext \(10_000_000 + number)\r\n".utf8)
    }
}

/// A load of requests that a server receives over one or more connections.
final class Load {
    private let request: (Int) -> [UInt8]
    private var connections: [Connection]
    private var number = 0

    /// Creates a load over new connections.
    ///
    /// - Parameter connections: Number of connections.
    init(
        path: String, end: UInt8 = 0, connections: Int, _ request: @escaping (Int) -> [UInt8]
    ) throws {
        self.request = request
        self.connections = try (0..<connections).map { _ in try Connection(path: path, end: end) }
    }

    /// Creates a load over existing connections.
    init(_ connections: [Connection], _ request: @escaping (Int) -> [UInt8]) {
        self.connections = connections
        self.request = request
    }

    deinit { for connection in connections { connection.close() } }

    /// Returns the duration of one request over the first connection.
    func time() throws -> Duration { try connections[0].time(next()) }

    /// Returns the number of replies per second when `count` requests are sent at once over the
    /// first connection.
    func rate(pipelining count: Int) throws -> Double {
        let requests = (0..<count).flatMap { _ in next() }
        return Double(count) / (try connections[0].time(requests, count: count) / .seconds(1))
    }

    /// Returns the number of replies per second over all connections.
    ///
    /// Each connection sends the next request as soon as it has received a reply. All connections
    /// share one thread.
    func rate(for time: Duration) throws -> Double {
        var entries = connections.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        let start = ContinuousClock.now
        let end = start + time
        for connection in connections { try connection.sendRequest(next()) }
        var received = 0
        var sent = connections.count
        while received < sent {
            guard poll(&entries, nfds_t(entries.count), 60_000) > 0 else {
                throw Failure("no reply was received within one minute")
            }
            let isOver = ContinuousClock.now >= end
            for index in entries.indices where entries[index].revents != 0 {
                guard try connections[index].receiveReplies() > 0 else { continue }
                received += 1
                if isOver { continue }
                try connections[index].sendRequest(next())
                sent += 1
            }
        }
        return Double(received) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private func next() -> [UInt8] {
        number += 1
        return request(number)
    }
}
