import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

struct VarlinkClientTests {
    private static let echo = "org.example.Test.Echo"

    @Test func `a typed call returns a typed reply`() async throws {
        try await TestService.run { service in
            let client = try service.client()
            for text in ["", "wörld 🌍", "/\"\\\n", String(repeating: "x", count: 900_000)] {
                let reply = try client.call(
                    Self.echo, TestService.Echo(text: text), returning: TestService.Echo.self)
                #expect(reply.text == text)
            }
        }
    }

    @Test func `disconnecting on another thread ends a call that waits for a reply`() async throws {
        var ends: [CInt] = [-1, -1]
        try #require(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        nonisolated(unsafe) let client = VarlinkClient(
            connected: ends[0], to: "peer", timeout: .seconds(600))
        let waiting = Task { try await runOnOwnThread { try client.call(Self.echo) } }
        // The call is in progress as soon as the peer can read it.
        let peer = ends[1]
        let count = try await runOnOwnThread {
            var byte: UInt8 = 0
            return read(peer, &byte, 1)
        }
        #expect(count == 1)
        client.disconnect()
        await #expect(throws: ClientError.self) { try await waiting.value }
    }

    @Test func `a reply of several megabytes arrives complete`() async throws {
        try await TestService.run { service in
            let reply = try service.client().call(
                Self.echo, json: Array(#"{"text":"0123456789","times":1000000}"#.utf8))
            #expect(reply.count == 10_000_000 + #"{"text":""}"#.utf8.count)
        }
    }

    @Test func `the raw reply is the service's JSON`() async throws {
        try await TestService.run { service in
            let reply = try service.client().call("org.varlink.service.GetInfo")
            #expect(
                String(decoding: reply, as: UTF8.self)
                    == #"{"interfaces":["org.example.Test","org.varlink.service"],"product":"P","url":"https://example.org/","vendor":"V","version":"1"}"#
            )
        }
    }

    @Test func `the service knows the caller's process, user and groups`() async throws {
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(CInt(groups.count), &groups)
        let expected = TestService.Identity(
            pid: Int(getpid()), uid: Int(geteuid()), gid: Int(getegid()),
            groups: groups.prefix(Int(count)).map(Int.init))
        try await TestService.run { service in
            let identity = try service.client().call(
                "org.example.Test.WhoAmI", Empty(), returning: TestService.Identity.self)
            #expect(identity == expected)
        }
    }

    @Test func `an error is thrown with its parameters, and the connection stays usable`()
        async throws
    {
        try await TestService.run { service in
            let client = try service.client()
            let error = try #require(throws: VarlinkError.self) {
                try client.call("org.example.Test.Refuse")
            }
            #expect(error.name == "org.example.Test.Refused")
            #expect(try error.parameters(as: [String: String].self) == ["reason": "no"])
            #expect(throws: VarlinkError.invalidParameter("text")) { try client.call(Self.echo) }
            #expect(throws: Never.self) { try client.call("org.varlink.service.GetInfo") }
        }
    }

    @Test
    func `the client receives the error for an oversized request although the service disconnects`()
        async throws
    {
        let refusal = VarlinkError(name: "org.example.Test.TooLarge")
        try await TestService.run(limits: .with { $0.makeRequestTooLargeError = { refusal } }) {
            service in
            let text = String(repeating: "x", count: 2 << 20)
            #expect(throws: refusal) {
                try service.client().call(
                    Self.echo, TestService.Echo(text: text), returning: Empty.self)
            }
        }
    }

    @Test(arguments: [
        "", "1", "[]", "{", "{}{}", "{\"a\":\0}", "{},\"more\":true", #"{"text":"a\u0000"}"#,
    ])
    func `parameters that are not an object are not sent`(json: String) async throws {
        try await TestService.run { service in
            let client = try service.client()
            let error = try #require(throws: ClientError.self) {
                try client.call(Self.echo, json: Array(json.utf8))
            }
            guard case .badParameters = error else {
                Issue.record("\(error)")
                return
            }
            #expect(throws: Never.self) { try client.call("org.varlink.service.GetInfo") }
        }
    }

    @Test func `a oneway call to a service that has disconnected fails`() async throws {
        let refusal = VarlinkError(name: "org.example.Test.Full")
        let limits = ServerLimits.with {
            $0.maximumConnectionsPerUser = 0; $0.makeTooManyConnectionsError = { _ in refusal }
        }
        try await TestService.run(limits: limits) { service in
            let client = try service.client()
            try await waitUntil("it has closed") { client.isClosed }
            #expect(throws: refusal) { try client.send(Self.echo) }
        }
        try await TestService.run { service in
            let client = try service.client()
            #expect(throws: Never.self) { try client.call("org.varlink.service.GetInfo") }
            #expect(!client.isClosed)
            service.server.stop()
            try await waitUntil("it has closed") { client.isClosed }
            #expect(throws: ClientError.notReceived(path: service.path, method: Self.echo)) {
                try client.send(Self.echo)
            }
        }
    }

    @Test func `a client can use an existing connection and set a timeout per call`()
        throws
    {
        var pair: [CInt] = [0, 0]
        #expect(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        let service = RawSocket(descriptor: pair[1])
        let client = VarlinkClient(connected: pair[0], to: "ours", timeout: .seconds(60))
        try service.send("{\"parameters\":{\"text\":\"a\"}}\0")
        let reply = try client.call("a.b.C", returning: TestService.Echo.self, within: .seconds(60))
        #expect(reply.text == "a")
        #expect(try service.receive() == #"{"method":"a.b.C","parameters":{}}"#)
        #expect(throws: ClientError.timedOut(path: "ours", .milliseconds(1))) {
            try client.call("a.b.C", within: .milliseconds(1))
        }
        #expect(throws: ClientError.timedOut(path: "ours", .milliseconds(2))) {
            try client.follow("a.b.C", within: .milliseconds(2)) { _ in }
        }
    }

    /// Returns a client and the other end of its connection.
    private static func connected() throws -> (VarlinkClient, RawSocket) {
        var pair: [CInt] = [0, 0]
        try #require(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        let client = VarlinkClient(connected: pair[0], to: "ours", timeout: .seconds(60))
        return (client, RawSocket(descriptor: pair[1]))
    }

    @Test func `a oneway call is sent without waiting for a reply`() throws {
        let (client, service) = try Self.connected()
        try client.send("a.b.C", json: Array(#"{"x":1}"#.utf8))
        #expect(
            try service.receive() == #"{"method":"a.b.C","parameters":{"x":1},"oneway":true}"#)
        try service.send(#"{"error":"a.b.Full"}"# + "\0")
        service.endInput()
        // The socket still accepts bytes, but the service does not read them.
        #expect(throws: VarlinkError(name: "a.b.Full")) { try client.send("a.b.C") }
    }

    @Test func `only the first reply of a stream has a deadline`() throws {
        let (client, service) = try Self.connected()
        let sending = DispatchQueue(label: "own thread")
        try service.send(#"{"parameters":{},"continues":true}"# + "\0")
        var count = 0
        // The first reply has already arrived. The client waits for most of the other replies.
        try client.follow("a.b.C", within: .zero) { _ in
            count += 1
            if count > 100 { return }
            let reply = count < 100 ? #"{"parameters":{},"continues":true}"# : "{}"
            sending.async {
                do { try service.send(reply + "\0") } catch { Issue.record(error) }
            }
        }
        #expect(count == 101)
    }

    @Test func `a timeout can be longer than poll(2) can wait`() async throws {
        try await TestService.run { service in
            async let call = runOnOwnThread {
                try service.client(timeout: .seconds(1 << 40)).call("org.example.Test.Wait")
            }
            await service.began.wait()
            service.release.send()
            let reply = try await call
            #expect(reply == Array("{}".utf8))
        }
    }

    @Test
    func `a client waits until its timeout for a service that does not accept the connection`()
        throws
    {
        let directory = try ScratchDirectory()
        let path = directory.file("s")
        let listening = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        try #require(UnixAddress.bindSocket(listening, to: path) == 0)
        try #require(listen(listening, 0) == 0)
        // With this connection, the queue is full.
        let first = try VarlinkClient(path: path, timeout: .seconds(600))
        let failure = Mutex<(any Error)?>(nil)
        let waiting = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: waiting) {
            do { _ = try VarlinkClient(path: path, timeout: .seconds(600)) } catch {
                failure.withLock { $0 = error }
            }
        }
        for timeout in [Duration.zero, .milliseconds(1), .milliseconds(20)] {
            #expect(throws: ClientError.timedOut(path: path, timeout)) {
                try VarlinkClient(path: path, timeout: timeout)
            }
        }
        let accepted = [accept(listening, nil, nil), accept(listening, nil, nil)]
        defer { accepted.forEach { close($0) } }
        waiting.wait()
        if let error = failure.withLock({ $0 }) { Issue.record(error) }
        withExtendedLifetime(first) {}
    }

    @Test func `each reason for a failed connection has its own error`() throws {
        let directory = try ScratchDirectory()
        let path = directory.file("s")
        #expect(throws: ClientError.noSuchSocket(path: path)) { try VarlinkClient(path: path) }
        close(try ListeningSocket(path: path, mode: 0o600).descriptor)
        #expect(throws: ClientError.refused(path: path)) { try VarlinkClient(path: path) }
        let long = String(repeating: "x", count: 108)
        for path in [long, "", path + "\0"] {
            #expect(throws: ClientError.badPathLength(path: path)) { try VarlinkClient(path: path) }
        }
        #expect(ClientError.noSuchSocket(path: path).isTransient)
        #expect(ClientError.refused(path: path).isTransient)
        #expect(!ClientError.permissionDenied(path: path).isTransient)
    }

    /// Calls a service that accepts a connection, reads one call, sends a text and closes. Returns the client's error.
    private func errorAfterReply(_ text: String?) async throws -> (any Error)? {
        let directory = try ScratchDirectory()
        let path = directory.file("s")
        let listening = try ListeningSocket(path: path, mode: 0o600)
        defer { close(listening.descriptor) }
        let client = try VarlinkClient(path: path, timeout: .milliseconds(text == nil ? 1 : 60_000))
        let accepted = RawSocket(descriptor: accept(listening.descriptor, nil, nil))
        if let text {
            try accepted.send(text)
            accepted.endInput()
        }
        return withExtendedLifetime(accepted) {
            do {
                return try {
                    _ = try client.call("a.b.C"); return nil
                }()
            } catch { return error }
        }
    }

    @Test func `a service that closes the connection before replying counts as disconnected`()
        async throws
    {
        for text in ["", "{\"parameters\":{"] {
            let error = try await errorAfterReply(text) as? ClientError
            guard case .disconnected(_, "a.b.C") = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.isTransient == true)
        }
    }

    @Test func `a call to a service that does not reply times out`() async throws {
        let error = try await errorAfterReply(nil) as? ClientError
        guard case .timedOut(_, .milliseconds(1)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an invalid reply is reported`() async throws {
        let error = try await errorAfterReply("HTTP/1.1\0") as? ClientError
        guard case .badReply(_, "a.b.C", .notJSON(offset: 0)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a call that fails because the service has exited is reported as not received`()
        throws
    {
        var ends: [CInt] = [-1, -1]
        try #require(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let client = VarlinkClient(connected: ends[0], to: "ours", timeout: .seconds(60))
        close(ends[1])
        #expect(throws: ClientError.notReceived(path: "ours", method: "a.b.C")) {
            try client.call("a.b.C")
        }
    }
}
