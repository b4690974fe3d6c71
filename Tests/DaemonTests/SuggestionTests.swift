import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Suggestions of the command-line client for mistyped names.
struct SuggestionTests {
    /// Arguments with the expected suggestion, or `nil` for no suggestion.
    private static let mistyped: [([String], String?)] = [
        (["get", "nav/parnt"], "nav/parent"),
        (["type", "nav/parent/child1/textFeild", "x"], Paths.child1),
        (["explain", "nav/parent/CHILD1/textfield"], Paths.child1),
        (["get", "nav/parent/child9/textTield"], Paths.child1),
        (["get", Paths.child1, "txet"], "text"),
        (["--app", "org.reprise.ChildVeiws", "show"], "org.reprise.ChildViews"),
        (["--app", "childview", "quit"], "org.reprise.ChildViews"),
        (["--scene", "mian", "show"], "main"),
        (["close", "man"], "main"),
        (["quarantine", "put-back", "cpoy"], "copy"),
        (["debug", "exit", "lanch-found"], "launch-found"),
        (["get", "nav/nothing"], nil),
        (["get", Paths.child1, "x"], nil),
        (["--app", "org.example", "show"], nil),
        (["--scene", "m", "show"], nil),
        (["--scene", "other", "show"], nil),
        (["rollback", "9"], nil),
    ]

    @Test func `the closest existing name is suggested at the end of the error and in the JSON`()
        async throws
    {
        try await Host.with { host in
            try host.replace("exits: false", by: "exits: true", in: host.configuration)
            try await host.run { _ in
                try host.copyToQuarantine()
                for (arguments, name) in Self.mistyped {
                    let result = try await host.control(["--json"] + arguments)
                    try #require(result.status == .exited(1), "\(arguments): \(result)")
                    let isSuggested = result.errors.contains(" Did you mean ")
                    try #require(isSuggested == (name != nil), "\(arguments): \(result)")
                    try #require(result.output.contains(#""suggestion""#) == (name != nil))
                    guard let name else { continue }
                    try #require(
                        result.errors.hasSuffix(". Did you mean \(name)?\n"), "\(result)")
                    try #require(result.output.hasSuffix(#""suggestion":"\#(name)"}"# + "\n"))
                }
            }
        }
    }

    @Test func `the closest existing generation is suggested`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "x")
                try await host.mustControl("reset")
                for command in ["rollback", "diff"] {
                    let result = try await host.control(command, "00000l")
                    try #require(result.errors.hasSuffix(" Did you mean 000001?\n"), "\(result)")
                }
            }
        }
    }

    @Test(arguments: [
        (["lsit"], "list"), (["-q", "--app", "x", "tyep", "a"], "type"), (["help", "tre"], "tree"),
        (["quarantine", "putback"], "put-back"), (["--socket=x", "debug", "exti"], "exit"),
    ])
    func `the closest existing command is suggested without a call to the daemon`(
        arguments: [String], command: String
    ) async throws {
        try await Host.with { host in
            let result = try await host.control(arguments)
            try #require(result.status == .exited(2), "\(result)")
            try #require(result.errors.hasPrefix("reprisectl: There is no command "), "\(result)")
            try #require(result.errors.hasSuffix(". Did you mean \(command)?\n"), "\(result)")
        }
    }

    @Test func `nothing is launched to find a suggestion`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "second")
                try await host.mustControl("close", "second")
                let result = try await host.control("--scene", "secnod", "get", "nav")
                try #require(result.errors.hasSuffix(" Did you mean second?\n"), "\(result)")
                let list = try await host.mustControl("list")
                try #require(list.contains("second (saved)"), "\(list)")
                try await host.mustControl("quit")
                let ended = try await host.control("get", "nav/parnt")
                try #require(ended.errors.contains("is not running"), "\(ended)")
                try #require(try await host.mustControl("list").contains("ChildViews  stopped"))
            }
        }
    }
}
