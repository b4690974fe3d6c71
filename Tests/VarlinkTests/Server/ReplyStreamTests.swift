import Logging
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Calls with `more`, which have several replies. Source: varlink.org, "Method Reply".
struct ReplyStreamTests {
    private static func repeating(_ text: String, _ times: Int, more: Bool = true) -> String {
        #"{"method":"org.example.Test.Repeat","parameters":{"text":"\#(text)","times":\#(times)}"#
            + (more ? #","more":true}"# : "}") + "\0"
    }
    private static let follow = #"{"method":"org.example.Test.Follow","more":true}"# + "\0"
    private static let echo =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a"}}"# + "\0"

    @Test
    func `every reply of a stream except the last continues, and then the next call is answered`()
        async throws
    {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.repeating("x", 3) + Self.echo)
            for _ in 0..<2 {
                #expect(try raw.receive() == #"{"parameters":{"text":"x"},"continues":true}"#)
            }
            #expect(try raw.receive() == #"{"parameters":{"text":"x"}}"#)
            #expect(try raw.receive() == #"{"parameters":{"text":"a"}}"#)
        }
    }

    @Test func `a call without more gets one reply or the error ExpectedMore`()
        async throws
    {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.repeating("x", 3, more: false))
            #expect(try raw.receive() == #"{"parameters":{"text":"x"}}"#)
            try raw.send(#"{"method":"org.example.Test.Follow"}"# + "\0")
            #expect(
                try raw.receive()
                    == #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#)
        }
    }

    @Test func `a stream ends when its client disconnects`() async throws {
        try await TestService.run { service in
            do {
                let raw = try service.raw()
                try raw.send(Self.follow)
                #expect(try raw.receive() == #"{"parameters":{},"continues":true}"#)
            }
            await service.followCancelled.wait()
        }
    }

    @Test func `a client that shuts down only its input still receives the whole stream`()
        async throws
    {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.repeating("x", 1000))
            raw.endInput()
            for _ in 1..<1000 {
                #expect(try raw.receive() == #"{"parameters":{"text":"x"},"continues":true}"#)
            }
            #expect(try raw.receive() == #"{"parameters":{"text":"x"}}"#)
            #expect(try raw.receive() == nil)
        }
    }

    @Test func `replies sent together arrive in order`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.repeating(TestService.batchText, 4))
            for number in 1...3 {
                #expect(
                    try raw.receive() == #"{"parameters":{"text":"\#(number)"},"continues":true}"#)
            }
            #expect(
                try raw.receive() == #"{"parameters":{"text":"\#(TestService.batchText)"}}"#)
        }
    }

    @Test func `stopping the server ends a stream with an error`() async throws {
        let log = LogRecorder()
        try await TestService.run(logger: log.logger()) { service in
            let raw = try service.raw()
            try raw.send(Self.follow)
            #expect(try raw.receive() == #"{"parameters":{},"continues":true}"#)
            service.server.stop()
            #expect(
                try raw.receive()
                    == #"{"error":"org.example.Test.InternalError","parameters":{"message":"the service is stopping"}}"#
            )
            #expect(try raw.receive() == nil)
            await service.followCancelled.wait()
        }
        #expect(log.messages(from: .notice).isEmpty)
    }

    @Test func `a handler waits while too many of its client's replies are unread`() async throws {
        let text = String(repeating: "x", count: 10_000)
        // Even on a busy machine, the connection must not be closed because the client reads nothing.
        let limits = ServerLimits.with { $0.unreadReplyTimeout = .seconds(3600) }
        try await TestService.run(limits: limits) { service in
            let raw = try service.raw()
            try raw.send(Self.repeating(text, 2000))
            // The server replies to another client while the stream waits.
            try await waitUntil("a reply is taken") { service.repetitions.count > 0 }
            for _ in 0..<10 {
                let other = try service.raw()
                try other.send(Self.echo)
                _ = try other.receive()
            }
            #expect(service.repetitions.count < 1000)
            for _ in 1..<2000 {
                #expect(try raw.receive()?.hasSuffix(#""continues":true}"#) == true)
            }
            #expect(try raw.receive()?.hasSuffix(#""}}"#) == true)
        }
    }

    @Test func `a stream sends nothing after its call is answered`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            let keepCall =
                #"{"method":"org.example.Test.Keep","parameters":{"text":"k"},"more":true}"#
            try raw.send(keepCall + "\0")
            #expect(try raw.receive() == #"{"parameters":{"text":"k"}}"#)
            let keptStream = try #require(service.keptStream.state)
            await #expect(throws: CancellationError.self) { try await keptStream.reply(Empty()) }
            try raw.send(Self.follow)
            #expect(try raw.receive() == #"{"parameters":{},"continues":true}"#)
            await service.began.wait()
            await #expect(throws: CancellationError.self) { try await keptStream.reply(Empty()) }
            service.server.stop()
            #expect(try raw.receive()?.contains("InternalError") == true)
        }
    }

    @Test func `a stream sends nothing during a later call that has one reply`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(
                #"{"method":"org.example.Test.Keep","parameters":{"text":"k"},"more":true}"# + "\0")
            #expect(try raw.receive() == #"{"parameters":{"text":"k"}}"#)
            let keptStream = try #require(service.keptStream.state)
            try raw.send(#"{"method":"org.example.Test.Wait"}"# + "\0")
            await service.began.wait()
            await #expect(throws: CancellationError.self) { try await keptStream.reply(Empty()) }
            service.release.send()
            #expect(try raw.receive() == #"{"parameters":{}}"#)
        }
    }

    @Test func `a reply of a stream that is not an object is refused`() async throws {
        struct Sent: Error {}
        let stream = ReplyStream { _ throws(CancellationError) in Issue.record("it was sent") }
        await #expect(throws: NotAnObject.self) { try await stream.reply(1) }
        await #expect(throws: NotAnObject.self) {
            try await stream.reply(json: [Array("{}".utf8), []])
        }
    }

    @Test(arguments: [true, false])
    func `a handler that waits for its client resumes if the client leaves or the server stops`(
        stops: Bool
    ) async throws {
        let limits = ServerLimits.with { $0.unreadReplyTimeoutAtStop = .milliseconds(1) }
        try await TestService.run(limits: limits) { service in
            do {
                let raw = try service.raw()
                try raw.send(Self.repeating(String(repeating: "x", count: 10_000), 2000))
                try await waitUntil("a reply is taken") { service.repetitions.count > 0 }
                if stops { service.server.stop() }
                if stops { await service.repeatCancelled.wait() }
                withExtendedLifetime(raw) {}
            }
            await service.repeatCancelled.wait()
            #expect(service.repetitions.count < 2000)
        }
    }

    @Test func `a client follows a stream until it throws or the stream ends`() async throws {
        struct Enough: Error {}
        try await TestService.run { service in
            let parameters = Array(#"{"text":"x","times":5}"#.utf8)
            var count = 0
            let client = try service.client()
            try client.follow("org.example.Test.Repeat", json: parameters) { reply in
                #expect(reply == Array(#"{"text":"x"}"#.utf8))
                count += 1
            }
            #expect(count == 5)
            let refusal = #expect(throws: VarlinkError.self) {
                try client.follow("org.example.Test.Refuse") { _ in }
            }
            #expect(refusal?.name == "org.example.Test.Refused")
            #expect(throws: Enough.self) {
                try client.follow("org.example.Test.Repeat", json: parameters) { _ in
                    throw Enough()
                }
            }
        }
    }
}
