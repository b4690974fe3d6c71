import DaemonHost
import Testing

/// Replies to clients that follow the drawing of a scene.
@Suite struct AttachStreamTests {
    private static func attach(_ host: Host, _ parameters: String) throws -> RawSocket {
        let socket = try RawSocket(host.socket)
        try socket.send(
            Array(
                #"{"method":"org.reprise.Control.Attach","more":true,"parameters":{\#(parameters)}}"#
                    .utf8))
        return socket
    }

    @Test func `an observing client does not launch a scene`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "other")
                try await host.mustControl("close", "other")
                let scene = #""columns":40,"scene":"other""#
                let observing = try Self.attach(host, #"\#(scene),"observing":true"#)
                let refusal = try #require(try observing.receive())
                #expect(refusal.contains("org.reprise.Control.SceneNotLaunched"), "\(refusal)")
                let operating = try Self.attach(host, scene)
                let drawing = try #require(try operating.receive())
                #expect(drawing.contains(#""scene":"other""#), "\(drawing)")
                // The scene is launched now, so that a client can observe it.
                let again = try Self.attach(host, #"\#(scene),"observing":true"#)
                #expect(try #require(try again.receive()) == drawing)
            }
        }
    }

    @Test
    func
        `clients of the same width receive the same lines, and clients of another width receive others`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let named = try Self.attach(host, #""columns":40,"scene":"main""#)
                let unnamed = try Self.attach(host, #""columns":40"#)
                let wide = try Self.attach(host, #""columns":60"#)
                let first = try [named, unnamed, wide].map { try #require(try $0.receive()) }
                #expect(first[0] == first[1] && first[0] != first[2])
                for text in ["one", "two"] {
                    _ = try await host.mustControl("type", Paths.child1, text)
                    let replies = try [named, unnamed, wide].map { try #require(try $0.receive()) }
                    #expect(replies.allSatisfy { $0.contains("│ \(text)▏") }, "\(replies)")
                    #expect(replies[0] == replies[1] && replies[0] != replies[2])
                    // The reply contains no unchanged lines.
                    #expect(replies[0].count { $0 == "│" } == 2, "\(replies[0])")
                }
                // An invisible change produces no reply, so the next reply is for the next visible change.
                _ = try await host.mustControl("type", Paths.child2, "unseen")
                _ = try await host.mustControl("type", Paths.child1, "three")
                for socket in [named, unnamed, wide] {
                    let reply = try #require(try socket.receive())
                    #expect(reply.contains("│ three▏") && !reply.contains("unseen"))
                }
            }
        }
    }

    @Test func `a client that states its height receives a drawing of this height`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let list = #""application":"org.reprise.StateRestore","columns":40"#
                let path = "navController/tableViewController"
                for _ in 0..<28 {
                    try await host.application("StateRestore")("tap", "\(path)/@addButton")
                }
                let saved = try await host.application("StateRestore")("show")
                let sockets = try ["", #","lines":12"#, #","lines":60"#].map {
                    try Self.attach(host, list + $0)
                }
                let replies = try sockets.map { try #require(try $0.receive()) }
                let heights = [7, 12, 34]
                for (reply, height) in zip(replies, heights) {
                    #expect(reply.contains(#""height":\#(height),"#), "\(reply)")
                    #expect(reply.contains(#""rows":32"#))
                }
                // A drawing changes neither the state nor a drawing of another size.
                #expect(try await host.application("StateRestore")("show") == saved)
                try await host.application("StateRestore")(
                    "scroll", "\(path)/tableView", "0", "28")
                let scrolled = try sockets.prefix(2).map { try #require(try $0.receive()) }
                #expect(scrolled[0].contains("29–32 of 32"), "\(scrolled)")
                #expect(scrolled[1].contains("24–32 of 32"), "\(scrolled)")
            }
        }
    }

    @Test(arguments: ["0", "-1", "4097", "4611686018427387904"])
    func `a height that is not between 1 and 4096 is refused`(_ lines: String) async throws {
        try await Host.with { host in
            try await host.run { _ in
                let socket = try Self.attach(host, #""columns":40,"lines":\#(lines)"#)
                let refusal = try #require(try socket.receive())
                #expect(refusal.contains(#""parameter":"lines""#), "\(refusal)")
            }
        }
    }
}
