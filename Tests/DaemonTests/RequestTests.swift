import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Invalid requests as bytes on the socket, after which the daemon continues to run.
struct RequestTests {
    /// Returns the peak memory of the daemon in KiB (`proc_pid_status(5)`).
    private func peakMemory(of daemon: Daemon) throws -> Int {
        let status = try FilePath("/proc/\(daemon.process)/status").text()
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }

    @Test func `repeated requests of 2 MiB are refused in bounded memory`() async throws {
        try await Host.with { host in
            try await host.run { daemon in
                try await host.mustControl("type", Paths.child1, "before")
                let before = try peakMemory(of: daemon)
                let text = String(repeating: "a", count: 2 << 20)
                for _ in 1...20 {
                    let reply = try RawSocket.call(
                        host.socket, "org.reprise.Control.Type",
                        #"{"path":"\#(Paths.child1)","text":"\#(text)"}"#)
                    try #require(
                        reply == #"{"error":"org.reprise.Control.RequestTooLarge","#
                            + #""parameters":{"maximumBytes":1048576}}"#)
                }
                // 40 MiB were sent, of which the daemon buffers only the size of a few requests.
                try #require(try peakMemory(of: daemon) - before < 16 << 10)
                try await host.require(child1: "before", reason: "pristine")
            }
        }
    }

    /// Message that is not a call.
    struct InvalidMessage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: [UInt8]
    }

    static let invalidMessages = [
        InvalidMessage(testDescription: "no JSON", message: Array("hello".utf8)),
        InvalidMessage(testDescription: "no object", message: Array("[1]".utf8)),
        InvalidMessage(testDescription: "no method", message: Array("{}".utf8)),
        InvalidMessage(testDescription: "nothing", message: []),
        InvalidMessage(
            testDescription: "no UTF-8",
            message: Array(#"{"method":"a.b.C","parameters":{"a":""#.utf8)
                + [0xFF, 0x22, 0x7D, 0x7D]),
        InvalidMessage(
            testDescription: "too deep", message: Array(repeating: 0x5B, count: 100_000)),
    ]

    @Test(arguments: invalidMessages)
    func `a message that is not a call closes its own connection and has no other effect`(
        invalidMessage: InvalidMessage
    ) async throws {
        try await Host.with { host in
            try await host.run { _ in
                let socket = try RawSocket(host.socket)
                try socket.send(invalidMessage.message)
                try #require(try socket.receive() == nil)
                try await host.require(child1: "", reason: "pristine")
            }
        }
    }

    @Test
    func
        `P14: calls that arrive together are carried out and answered in order, and survive a kill`()
        async throws
    {
        try await Host.with { host in
            let numbers = 1...100
            try await host.run(endingBy: .kill) { _ in
                let socket = try RawSocket(host.socket)
                let calls = numbers.map { number in
                    let path = number.isMultiple(of: 10) ? "nav/none" : Paths.child1
                    return #"{"method":"org.reprise.Control.Type","parameters":{"path":"\#(path)","#
                        + #""text":"\#(number),","append":true}}"#
                }
                try socket.send(Array(calls.joined(separator: "\0").utf8))
                for number in numbers {
                    let reply = try #require(try socket.receive())
                    let expected =
                        number.isMultiple(of: 10) ? "NoSuchObject" : #""saved":"written""#
                    try #require(reply.contains(expected), "\(number): \(reply)")
                }
            }
            let text = numbers.filter { !$0.isMultiple(of: 10) }.map { "\($0)," }.joined()
            try await host.run { _ in try await host.require(child1: text, reason: "recover") }
        }
    }

    @Test func `P14: calls that arrive together share a turn`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                func passes() async throws -> Int {
                    let metrics = try await host.mustControl("metrics")
                    let sample = "reprise_passes_total{application=\"org.reprise.ChildViews\"} "
                    let line = metrics.split(separator: "\n").first { $0.hasPrefix(sample) }
                    return try #require(line.flatMap { Int($0.dropFirst(sample.count)) })
                }
                try await host.mustControl("type", Paths.child1, "before")
                let before = try await passes()
                let socket = try RawSocket(host.socket)
                // The daemon reads at least 2,048 bytes at a time.
                let calls = (1...8).map { number in
                    #"{"method":"org.reprise.Control.Type","parameters":{"path":"\#(Paths.child1)","#
                        + #""text":"\#(number)"}}"#
                }
                try socket.send(Array(calls.joined(separator: "\0").utf8))
                for _ in calls {
                    try #require(try socket.receive() == #"{"parameters":{"saved":"written"}}"#)
                }
                try #require(try await passes() == before + 1)
            }
        }
    }

    @Test func `P14: calls that launch their scene run in order after the launch`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "second")
                try await host.mustControl("close", "second")
                let socket = try RawSocket(host.socket)
                let calls = (1...20).map { number in
                    #"{"method":"org.reprise.Control.Type","parameters":{"scene":"second","#
                        + #""path":"\#(Paths.child1)","text":"\#(number),","append":true}}"#
                }
                try socket.send(Array(calls.joined(separator: "\0").utf8))
                for _ in calls {
                    try #require(try socket.receive() == #"{"parameters":{"saved":"written"}}"#)
                }
                let text = (1...20).map { "\($0)," }.joined()
                let found = try await host.mustControl(
                    "--scene", "second", "get", Paths.child1, "text")
                try #require(found == text + "\n")
            }
        }
    }

    @Test
    func `P14: a read sees the changes of earlier calls, but not of later calls`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let socket = try RawSocket(host.socket)
                let method = #"{"method":"org.reprise.Control."#
                let path = #""path":"\#(Paths.child1)""#
                let calls = (1...50).flatMap { number in
                    [
                        method + #"Type","parameters":{\#(path),"text":"\#(number)"}}"#,
                        method + #"Get","parameters":{\#(path),"key":"text"}}"#,
                    ]
                }
                try socket.send(Array(calls.joined(separator: "\0").utf8))
                for number in 1...50 {
                    try #require(try socket.receive() == #"{"parameters":{"saved":"written"}}"#)
                    let reply = try #require(try socket.receive())
                    try #require(reply.contains(#""\#(number)""#), "\(number): \(reply)")
                }
            }
        }
    }

    private static let misshapen = [
        ("Type", #"{"path":"nav"}"#, "text"),
        ("Type", #"{"path":"nav","append":true}"#, "append"),
        ("Type", #"{"path":"nav","text":"x","select":{"lowerBound":2,"upperBound":1}}"#, "select"),
        ("Type", #"{"path":"nav","text":"x","select":{"lowerBound":2}}"#, "select"),
        ("Select", #"{"path":"nav"}"#, "indexes"),
        ("Select", #"{"path":"nav","indexes":[0],"identifiers":["a"]}"#, "identifiers"),
        ("Select", #"{"path":"nav","identifiers":[0]}"#, "identifiers"),
        ("Tap", #"{"path":"nav","row":1.5}"#, "row"),
        ("Tap", #"{}"#, "path"),
        ("Edit", #"{"path":"nav","on":"on"}"#, "on"),
        ("Edit", #"{"path":"nav"}"#, "on"),
        ("Move", #"{"path":"nav","from":0}"#, "to"),
        ("Delete", #"{"path":"nav"}"#, "row"),
        ("Scroll", #"{"path":"nav","x":"0","y":0}"#, "x"),
        ("Scroll", #"{"path":"nav","x":0,"y":1e999}"#, "y"),
        ("Zoom", #"{"path":"nav","scale":0}"#, "scale"),
        ("Zoom", #"{"path":"nav","scale":-1}"#, "scale"),
        ("Load", #"{"path":"nav"}"#, "url"),
        ("Back", #"{"path":7}"#, "path"),
        ("Forward", #"{}"#, "path"),
        ("Dismiss", #"{"path":"nav"}"#, "path"),
        ("Type", #"{"path":7,"text":"x"}"#, "path"),
        ("Select", #"{"path":"nav","indexes":"0"}"#, "indexes"),
        ("Get", #"{"path":"nav","bogus":1}"#, "bogus"),
    ]

    @Test func `a wrong or missing parameter is named`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                for (method, parameters, wrong) in Self.misshapen {
                    let reply = try RawSocket.call(
                        host.socket, "org.reprise.Control.\(method)", parameters)
                    try #require(
                        reply == #"{"error":"org.varlink.service.InvalidParameter","#
                            + #""parameters":{"parameter":"\#(wrong)"}}"#,
                        "\(method) \(parameters)")
                }
                try await host.require(child1: "", reason: "pristine")
            }
        }
    }
}
