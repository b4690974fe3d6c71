import Dispatch
import Glibc
import TestSupport
import Testing

@testable import Varlink

/// Asynchronous connections to a service.
@Suite(.timeLimit(.minutes(10))) struct VarlinkConnectionTests {
    /// Error of the interface.
    private enum Refusal: InterfaceError, Equatable {
        case refused

        init?(_ error: VarlinkError) {
            guard error.name == "org.example.Refused" else { return nil }
            self = .refused
        }

        var varlinkError: VarlinkError { VarlinkError(name: "org.example.Refused") }
    }

    private struct Ask: MethodCall, Equatable {
        struct Reply: JSONMessage, Equatable {
            var number = 0

            static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Reply {
                var reply = Reply()
                var members = try reader.beginStructure(JSONNames("number", required: [0]))
                while try reader.nextMember(of: &members) != nil {
                    reply.number = try reader.read(Int.self)
                }
                try reader.endStructure(members)
                return reply
            }

            func write(to writer: inout JSONWriter) {}
        }

        static let method = "Ask"
        static let qualifiedMethod = "org.example.Ask"
        static let isReadOnly = true
        typealias Refusal = VarlinkConnectionTests.Refusal

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Ask {
            _ = try reader.read(Empty.self)
            return Ask()
        }

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.endObject()
        }
    }

    /// Runs a body with a connection to a service that replies to each call with a text.
    private func withConnection(
        _ replies: [String], _ body: (VarlinkConnection) async throws -> Void
    ) async throws {
        let scratch = try ScratchDirectory()
        let path = scratch.file("socket")
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isListening = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) } == 0
                && listen(listener, 1) == 0
        }
        try #require(isListening)
        let isServed = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: isServed) {
            let peer = accept(listener, nil, nil)
            var rest = replies[...]
            var byte: UInt8 = 1
            while read(peer, &byte, 1) == 1 {
                guard byte == 0 else { continue }
                guard let reply = rest.popFirst() else { break }
                let bytes = Array(reply.utf8)
                _ = bytes.withUnsafeBytes {
                    send(peer, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
            }
            close(peer)
        }
        let connection = try VarlinkConnection(path: path, timeout: .seconds(300))
        do {
            try await body(connection)
            connection.disconnect()
        } catch {
            connection.disconnect()
            throw error
        }
        await withCheckedContinuation { continuation in
            isServed.notify(queue: .global()) { continuation.resume() }
        }
    }

    private static func reply(_ number: Int, _ rest: String = "") -> String {
        #"{"parameters":{"number":\#(number)}\#(rest)}"# + "\0"
    }

    private static let more = #","continues":true"#
    private static let refused = #"{"error":"org.example.Refused","parameters":{}}"# + "\0"

    /// Returns the number in a stream's next reply, or `nil` at the end of the stream.
    private func next(_ iterator: inout Replies<Ask>.AsyncIterator) async throws -> Int? {
        try await iterator.next()?.number
    }

    private func number(_ connection: VarlinkConnection) async throws -> Int {
        try await connection.call(Ask()).number
    }

    private func numbers(_ connection: VarlinkConnection) async throws -> [Int] {
        var numbers: [Int] = []
        for try await reply in connection.replies(to: Ask()) { numbers.append(reply.number) }
        return numbers
    }

    @Test func `a connection makes several calls, even after an error`() async throws {
        try await withConnection([Self.reply(1), Self.refused, Self.reply(2)]) {
            connection async throws in
            #expect(try await number(connection) == 1)
            await #expect(throws: CallFailure<Refusal>.refused(.refused)) {
                try await connection.call(Ask())
            }
            #expect(try await number(connection) == 2)
        }
    }

    @Test func `a stream ends with its last reply and frees the connection for other calls`()
        async throws
    {
        try await withConnection([
            Self.reply(1, Self.more) + Self.reply(2, Self.more) + Self.reply(3), Self.reply(4),
            Self.reply(5), Self.reply(6),
        ]) { connection async throws in
            #expect(try await numbers(connection) == [1, 2, 3])
            #expect(try await number(connection) == 4)
            #expect(try await numbers(connection) == [5])
            #expect(try await number(connection) == 6)
        }
    }

    @Test func `a stream that ends with an error frees the connection for other calls`()
        async throws
    {
        try await withConnection([
            Self.reply(1, Self.more) + Self.refused, Self.reply(2), Self.refused, Self.reply(3),
        ]) { connection async throws in
            for (streamed, after) in [([1], 2), ([], 3)] {
                var iterator = connection.replies(to: Ask()).makeAsyncIterator()
                for expected in streamed { #expect(try await next(&iterator) == expected) }
                await #expect(throws: CallFailure<Refusal>.self) { try await iterator.next() }
                #expect(try await next(&iterator) == nil)
                #expect(try await number(connection) == after)
            }
        }
    }

    @Test func `a connection makes no other call during a stream`() async throws {
        try await withConnection([
            Self.reply(1, Self.more) + Self.reply(2), Self.reply(3),
        ]) { connection async throws in
            var iterator = connection.replies(to: Ask()).makeAsyncIterator()
            #expect(try await next(&iterator) == 1)
            let method = Ask.qualifiedMethod
            let occupied = CallFailure<Refusal>.connection(.occupied(by: method, method: method))
            for _ in 0..<2 {
                await #expect(throws: occupied) { try await connection.call(Ask()) }
                var other = connection.replies(to: Ask()).makeAsyncIterator()
                await #expect(throws: occupied) { try await other.next() }
            }
            // A stream that was not started does not close the connection.
            _ = connection.replies(to: Ask()).makeAsyncIterator()
            #expect(try await next(&iterator) == 2)
            #expect(try await next(&iterator) == nil)
            #expect(try await next(&iterator) == nil)
            #expect(try await number(connection) == 3)
        }
    }

    @Test func `leaving a stream early closes the connection`() async throws {
        try await withConnection([Self.reply(1, Self.more), Self.reply(2)]) {
            connection async throws in
            for try await reply in connection.replies(to: Ask()) {
                #expect(reply.number == 1)
                break
            }
            await #expect(throws: CallFailure<Refusal>.self) { try await connection.call(Ask()) }
        }
    }

    @Test func `a cancelled task makes no call`() async throws {
        try await withConnection([Self.reply(1)]) { connection async throws in
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                let cancelled = CallFailure<Refusal>.cancelled(method: Ask.qualifiedMethod)
                await #expect(throws: cancelled) { try await connection.call(Ask()) }
                var iterator = connection.replies(to: Ask()).makeAsyncIterator()
                await #expect(throws: cancelled) { try await iterator.next() }
            }
            await cancelled.value
            #expect(try await number(connection) == 1)
        }
    }

    @Test func `a call of a cancelled task fails as cancelled, even during a stream`() async throws
    {
        try await withConnection([Self.reply(1, Self.more) + Self.reply(2)]) {
            connection async throws in
            var iterator = connection.replies(to: Ask()).makeAsyncIterator()
            #expect(try await next(&iterator) == 1)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                let cancelled = CallFailure<Refusal>.cancelled(method: Ask.qualifiedMethod)
                await #expect(throws: cancelled) { try await connection.call(Ask()) }
                var other = connection.replies(to: Ask()).makeAsyncIterator()
                await #expect(throws: cancelled) { try await other.next() }
            }
            await task.value
            #expect(try await next(&iterator) == 2)
        }
    }

    @Test func `a malformed reply makes its call fail`() async throws {
        try await withConnection([#"{"parameters":{"other":1}}"# + "\0"]) {
            connection async throws in
            await #expect(throws: CallFailure<Refusal>.self) { try await connection.call(Ask()) }
        }
    }

    @Test func `connecting fails without a service`() {
        #expect(throws: ClientError.self) { try VarlinkConnection(path: "/nonexistent/socket") }
    }
}
