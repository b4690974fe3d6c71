import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Server on a real socket, with a client that sends and receives bytes.
struct VarlinkServerTests {
    private static let echoA =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a"}}"# + "\0"
    private static let echoB =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"b"}}"# + "\0"
    private static let echoLong =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a text that is long enough for it"}}"#
        + "\0"
    private static let wait = #"{"method":"org.example.Test.Wait"}"# + "\0"
    private static let a = #"{"parameters":{"text":"a"}}"#
    private static let b = #"{"parameters":{"text":"b"}}"#
    private static let emptyReply = #"{"parameters":{}}"#

    @Test func `a call sent byte by byte and pipelined calls are answered in order`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            for character in Self.echoA { try raw.send(String(character)) }
            #expect(try raw.receive() == Self.a)
            try raw.send(Self.wait + Self.echoB + Self.echoA)
            await service.began.wait()
            service.release.send()
            #expect(try raw.receive() == Self.emptyReply)
            #expect(try raw.receive() == Self.b)
            #expect(try raw.receive() == Self.a)
        }
    }

    @Test func `a reply does not wait for the next call`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.echoA + Self.wait)
            #expect(try raw.receive() == Self.a)
            service.release.send()
            #expect(try raw.receive() == Self.emptyReply)
        }
    }

    @Test func `a reply is sent before a call that may block the event loop`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            let isReplySent = AwaitableState<Bool?>(nil)
            service.markHandler.body.withLock {
                $0 = {
                    var poll = pollfd(fd: raw.descriptor, events: Int16(POLLIN), revents: 0)
                    let result = Glibc.poll(&poll, 1, 0)
                    isReplySent.change { $0 = result == 1 }
                }
            }
            try raw.send(
                #"{"method":"org.example.Test.Count"}"# + "\0"
                    + #"{"method":"org.example.Test.Mark"}"# + "\0")
            // The reply must not be read before the method looks for it.
            await isReplySent.wait { $0 != nil }
            #expect(isReplySent.state == true)
            #expect(try raw.receive() == #"{"parameters":{"count":0}}"#)
            #expect(try raw.receive() == Self.emptyReply)
        }
    }

    @Test func `calls of a queue run together, and their replies keep their order`() async throws {
        // The replies are created in reverse order. Together, the large replies exceed the limit on waiting replies.
        let count = ServerConnection.maximumConcurrentCalls
        for times in [1, 20_000] {
            let gather =
                #"{"method":"org.example.Test.Gather","parameters":"#
                + #"{"queue":"a","count":\#(count),"times":\#(times)}}"# + "\0"
            try await TestService.run { service in
                let raw = try service.raw()
                try raw.send(String(repeating: gather, count: count) + Self.echoA)
                for number in 1...count {
                    let text = String(repeating: "\(number),", count: times)
                    #expect(try raw.receive() == #"{"parameters":{"text":"\#(text)"}}"#)
                }
                #expect(try raw.receive() == Self.a)
                // The first call replies last. Until then, the server creates replies up to 64 KiB and one further
                // reply.
                let encoded = service.gatheredReplies.numbers.withLock { $0 }
                #expect(encoded.count == count)
                #expect(encoded.firstIndex(of: 1) == (times == 1 ? count - 1 : 2))
            }
        }
    }

    @Test func `queued calls with large replies are all answered if their clients read slowly`()
        async throws
    {
        var limits = ServerLimits()
        limits.maximumUnreadBytesPerUser = 100_000
        // The clients may be slow.
        limits.readCheckInterval = .seconds(60)
        let text = String(repeating: "0123456789", count: 10)
        let line =
            #"{"method":"org.example.Test.Line","parameters":{"text":"\#(text)","times":700}}"#
            + "\0"
        try await TestService.run(limits: limits) { service in
            let expected = #"{"parameters":{"text":"\#(String(repeating: text, count: 700))"}}"#
            let first = try service.raw()
            // From now on, the server knows that the replies are large.
            try first.send(line)
            #expect(try first.receive() == expected)
            let clients = try (1...3).map { _ in try service.raw() }
            let count = ServerConnection.maximumConcurrentCalls
            for client in clients { try client.send(String(repeating: line, count: count)) }
            try await withThrowingTaskGroup(of: [String?].self) { tasks in
                for client in clients {
                    tasks.addTask {
                        try await runOnOwnThread {
                            try (0..<count).map { _ in try client.receive() }
                        }
                    }
                }
                for try await replies in tasks {
                    #expect(replies.allSatisfy { $0 == expected })
                }
            }
        }
    }

    @Test func `few queued replies are created for a client that does not read`() async throws {
        let line =
            #"{"method":"org.example.Test.Line","parameters":{"text":"a","times":1000000}}"# + "\0"
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(String(repeating: line, count: ServerConnection.maximumConcurrentCalls))
            let registry = service.server.registry
            try await waitUntil("replies are unread") {
                (registry.clients.first?.unreadByteCount ?? 0) > 0
            }
            // A later call is carried out only after everything that the event loop still has to do.
            let other = try service.raw()
            for _ in 0..<20 {
                try other.send(Self.echoA)
                #expect(try other.receive() == Self.a)
            }
            #expect(registry.clients.allSatisfy { $0.unreadByteCount < 2_500_000 })
            for _ in 0..<ServerConnection.maximumConcurrentCalls {
                #expect(try raw.receive()?.utf8.count == 1_000_026)
            }
        }
    }

    @Test func `many pipelined calls are all answered`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            for _ in 0..<20 {
                try raw.send(String(repeating: Self.echoA, count: 200))
                for _ in 0..<200 { #expect(try raw.receive() == Self.a) }
            }
        }
    }

    @Test func `many short connections are all answered`() async throws {
        try await TestService.run { service in
            for _ in 0..<500 {
                let raw = try service.raw()
                try raw.send(String(repeating: Self.echoA, count: 70))
                for _ in 0..<70 { #expect(try raw.receive() == Self.a) }
            }
        }
    }

    @Test(
        arguments: [
            "\0", "x\0", "[]\0", #"{"method":"org.example.Test.Echo","parameters":[]}"# + "\0",
            #"{"method":"org.varlink.service.GetInfo","more":true,"oneway":true}"# + "\0",
            #"{"method":"org.varlink.service.GetInfo","else":1}"# + "\0",
        ])
    func `an invalid call closes its connection but does not affect other connections`(
        text: String
    ) async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.echoA + text)
            #expect(try raw.receive() == Self.a)
            #expect(try raw.receive() == nil)
            let other = try service.raw()
            try other.send(Self.echoB)
            #expect(try other.receive() == Self.b)
        }
    }

    @Test func `an oversized request gets an error, then the connection is closed`() async throws {
        let limits = ServerLimits.with {
            $0.maximumRequestBytes = 1000;
            $0.makeRequestTooLargeError = { VarlinkError(name: "org.example.Test.TooLarge") }
        }
        try await TestService.run(limits: limits) { service in
            let raw = try service.raw()
            try raw.send(String(repeating: "x", count: 1001))
            #expect(
                try raw.receive() == #"{"error":"org.example.Test.TooLarge","parameters":{}}"#)
            #expect(try raw.receive() == nil)
        }
    }

    @Test func `a oneway call runs even if its client disconnects immediately`() async throws {
        try await TestService.run { service in
            try service.raw().send(#"{"method":"org.example.Test.Wait","oneway":true}"# + "\0")
            await service.began.wait()
        }
    }

    @Test func `a client that ends its input gets replies to its complete calls`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.echoA + Self.echoB + "{\"method")
            raw.endInput()
            #expect(try raw.receive() == Self.a)
            #expect(try raw.receive() == Self.b)
            #expect(try raw.receive() == nil)
        }
    }

    @Test func `every call of a user without access is refused`() async throws {
        try await TestService.run(authorize: { $0.uid == geteuid() ? .none : .all }) { service in
            let raw = try service.raw()
            for call in [Self.echoA, #"{"method":"org.varlink.service.GetInfo"}"# + "\0"] {
                try raw.send(call)
                #expect(
                    try raw.receive()
                        == #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#)
            }
            #expect(service.echoes.count == 0)
        }
    }

    @Test func `a read-only user is refused methods that change state, and the refusal is logged`()
        async throws
    {
        let log = LogRecorder()
        try await TestService.run(authorize: { _ in .readOnly }, logger: log.logger()) { service in
            let raw = try service.raw()
            try raw.send(Self.echoA)
            #expect(
                try raw.receive()
                    == #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#)
            try raw.send(#"{"method":"org.example.Test.Count"}"# + "\0")
            #expect(try raw.receive() == #"{"parameters":{"count":0}}"#)
            try raw.send(#"{"method":"org.varlink.service.GetInfo"}"# + "\0")
            #expect(try raw.receive()?.hasPrefix(#"{"parameters":{"interfaces""#) == true)
        }
        #expect(log.messages(from: .notice) == ["A call is refused."])
        #expect(
            log.entries.first?.metadata["reason"] == "the user may not call org.example.Test.Echo")
    }

    @Test func `changed limits apply to new connections only`() async throws {
        try await TestService.run { service in
            let first = try service.raw()
            try first.send(Self.echoA)
            #expect(try first.receive() == Self.a)
            service.server.limits = ServerLimits.with {
                $0.maximumConnectionsPerUser = 2; $0.maximumRequestBytes = 80
            }
            try first.send(Self.echoLong)
            #expect(try first.receive() != nil)
            try withExtendedLifetime(try service.raw()) { second in
                try second.send(Self.echoA)
                #expect(try second.receive() == Self.a)
                #expect(try service.raw().receive() == nil)
                try second.send(Self.echoLong)
                #expect(try second.receive() == nil)
            }
        }
    }

    @Test func `calls of a client that does not read are deferred`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            let call =
                #"{"method":"org.example.Test.Echo","parameters":{"text":"x","times":100000}}"#
            try raw.send(String(repeating: call + "\0", count: 500))
            let client = try service.client()
            var (count, unchanged) = (0, 0)
            for _ in 0..<100_000 where unchanged < 100 {
                let now = try client.call(
                    "org.example.Test.Count", Empty(), returning: TestService.Count.self)
                unchanged = now.count == count && count > 0 ? unchanged + 1 : 0
                count = now.count
            }
            #expect(unchanged == 100)
            #expect(count < 50)
            for _ in 0..<500 { #expect(try raw.receive(bytes: 100_027)) }
        }
    }

    @Test func `pending calls of a client that disconnects are discarded`() async throws {
        try await TestService.run { service in
            let other = try service.raw()
            do {
                let raw = try service.raw()
                try raw.send(Self.wait + String(repeating: Self.echoA, count: 1000))
                await service.began.wait()
            }
            // The server has read all bytes and the close of the first client before it reads this call.
            try other.send(Self.echoB)
            #expect(try other.receive() == Self.b)
            service.release.send()
            let echoes = service.echoes
            for _ in 0..<100 {
                try other.send(Self.echoB)
                #expect(try other.receive() == Self.b)
            }
            #expect(echoes.count == 101)
        }
    }

    /// Returns the number of calls of one client that the server carries out before another client's call. The first
    /// client sends 300 calls together, and the second client sends its call while the first of them is carried out.
    private func answered(
        _ limits: ServerLimits, oneway: Bool = false, afterCalls earlierCallCount: Int = 0
    ) async throws -> Int {
        try await TestService.run(limits: limits) { service in
            let (raw, other) = (try service.raw(), try service.raw())
            try other.send(Self.echoB)
            #expect(try other.receive() == Self.b)
            for _ in 0..<earlierCallCount {
                try raw.send(Self.echoA)
                #expect(try raw.receive() == Self.a)
            }
            // After a large call, the server reads many small calls together.
            try raw.send(
                #"{"method":"org.example.Test.Echo","parameters":{"text":"\#(String(repeating: "x", count: 300_000))"}}"#
                    + "\0")
            _ = try raw.receive()
            let before = service.echoes.count
            service.markHandler.body.withLock {
                $0 = {
                    do { try other.send(#"{"method":"org.example.Test.Count"}"# + "\0") } catch {
                        Issue.record(error)
                    }
                }
            }
            let markCall = #"{"method":"org.example.Test.Mark"}"# + "\0"
            try raw.send(markCall + String(repeating: Self.echoA, count: 300))
            #expect(try raw.receive() == Self.emptyReply)
            let count = try JSONText.decode(
                [String: TestService.Count].self,
                from: Array(try #require(try other.receive()).utf8))
            for _ in 0..<300 { #expect(try raw.receive() == Self.a) }
            return try #require(count["parameters"]).count - before
        }
    }

    @Test func `a client that keeps calling yields to another client after a number of calls`()
        async throws
    {
        let count = try await answered(
            .with {
                $0.maximumCallsPerTimeSlice = 10; $0.maximumTimeSliceDuration = .seconds(3600)
            })
        #expect(count <= 10)
    }

    @Test func `a turn has no more calls than the limit`() async throws {
        let count = try await answered(
            .with {
                $0.maximumCallsPerTimeSlice = 10; $0.maximumTimeSliceDuration = .seconds(3600)
            })
        // The first call of the turn is the call of Mark.
        #expect(count < 10)
    }

    @Test func `calls before a pause do not count toward the limit on a turn`() async throws {
        let count = try await answered(
            .with {
                $0.maximumCallsPerTimeSlice = 10; $0.maximumTimeSliceDuration = .seconds(3600)
            }, afterCalls: 20)
        #expect(count > 0)
    }

    @Test func `a client that keeps calling yields to another client after a time`() async throws {
        let count = try await answered(
            .with {
                $0.maximumCallsPerTimeSlice = .max; $0.maximumTimeSliceDuration = .zero
            })
        #expect(count <= 1)
    }

    @Test func `without limits on a turn, a client that keeps calling does not yield`() async throws
    {
        let count = try await answered(
            .with {
                $0.maximumCallsPerTimeSlice = .max; $0.maximumTimeSliceDuration = .seconds(3600)
            })
        #expect(count == 300)
    }
}

extension RawSocket {
    /// Returns whether the next bytes arrive and the last of them is a NUL.
    fileprivate func receive(bytes count: Int) throws -> Bool {
        var bytes = [UInt8](repeating: 1, count: count)
        return recv(descriptor, &bytes, count, CInt(MSG_WAITALL)) == count && bytes[count - 1] == 0
    }
}
