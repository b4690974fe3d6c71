import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Invalid arguments, which produce one sentence and exit status 2.
struct ArgumentTests {
    private static let wrongForDaemon: [([String], String)] = [
        (["--bogus"], "Unknown option '--bogus'"),
        (["extra"], "Unexpected argument 'extra'"),
        (["--config"], "Missing value for '--config <config>'"),
        (["--unit", "a"], "--unit requires --check: add --check, or remove the option."),
        (["--log-level", "loud"], "The value 'loud' is invalid for '--log-level <log-level>'"),
    ]

    @Test(arguments: wrongForDaemon)
    func `the daemon refuses wrong arguments`(arguments: [String], sentence: String) async throws {
        try await Host.with { host in
            let result = try await host.attempt(arguments)
            try #require(result.status == .exited(2), "\(result)")
            try #require(result.errors.hasPrefix("reprised: \(sentence)"), "\(result)")
            try #require(result.output == "")
        }
    }

    /// Text that switches a terminal to red, ends a line, and reverses the text direction.
    private static let hostile = "a\u{1B}[31m\n\u{202E}b"

    @Test(arguments: [
        ["--config", hostile], ["--check", "--config", hostile], ["--\(hostile)"], [hostile],
        ["--state-directory", "/dev/null/\(hostile)"], ["--log-level", hostile],
        ["--state-directory", "state", "--socket", "/dev/null/\(hostile)"],
        ["--check", "--drop-in", hostile],
    ])
    func `names in the daemon's output are escaped and stay on one line`(arguments: [String])
        async throws
    {
        try await Host.with { host in
            let own = arguments.contains("--config") ? [] : ["--config", host.configuration.string]
            let result = try await host.attempt(own + arguments)
            try #require(!result.status.isSuccess, "\(result)")
            let printed = result.output + result.errors
            try #require(printed.contains(#"a\u{1B}[31m\n\u{202E}b"#), "\(result)")
            try #require(!printed.contains("\u{1B}") && !printed.contains("\u{202E}"), "\(result)")
            try #require(
                !printed.split(separator: "\n").contains { $0.hasPrefix("b") }, "\(result)")
        }
    }

    private static let wrongForClient: [([String], String)] = [
        (["--bogus", "status"], "Unknown option '--bogus'"),
        (["bogus"], "There is no command bogus: `reprisectl help` lists the commands.\n"),
        (["-q", "--json", "list"], "--json and --quiet cannot be used together."),
        (["quit", "--all", "--force"], "--force removes saved state: specify one application"),
        (["preserve", "--all", "--app", "a"], "--all and --app cannot be used together"),
        (["--socket", "", "status"], "--socket has no value"),
        (["--app=", "status"], "--app= has no value: add one after the =, or remove the option."),
        (
            ["--app", "", "status"],
            "--app has no value: specify a bundle identifier, or remove the option."
        ),
        (["show", "--scene", ""], "--scene has no value: specify a scene, or remove the option."),
        (
            ["--timeout", "0", "list"],
            "The value '0' is invalid for '--timeout <timeout>': write a time"
        ),
        (["--timeout", "5 s", "list"], "The value '5 s' is invalid for '--timeout <timeout>'"),
        (
            ["help", "typ"],
            "There is no command typ: `reprisectl help` lists the commands. Did you mean type?\n"
        ),
        (["help", "type", "x"], "There is no command x."),
        (["get", "nav", "--raw"], "--raw requires the key of a value."),
        (["type", "nav"], "Missing expected argument '<text>', or --select A..B"),
        (["type", "nav", "--append"], "--append requires a text."),
        (["type", "nav", "x", "--select", "5..2"], "The value '5..2' is invalid for '--select"),
        (["type", "nav", "--select=-1..2"], "The value '-1..2' is invalid for '--select"),
        (["type", "nav", "--select", "1...2"], "The value '1...2' is invalid for '--select"),
        (
            ["type", "nav", "--select", "1..99999999999999999999"],
            "The value '1..99999999999999999999' is invalid for '--select"
        ),
        (["select", "nav", "first"], "The value 'first' is invalid for '<indexes>'"),
        (["select", "nav"], "Missing expected argument '<indexes> ...', or --id"),
        (["select", "nav", "1", "--id", "a"], "Specify either indexes, or --id and identifiers"),
        (["select", "nav", "1", "--none"], "Specify either indexes, or --id and identifiers"),
        (
            ["select", "nav", "--none", "--id", "a"],
            "Specify either indexes, or --id and identifiers"
        ),
        (["select", "nav", "--id"], "Missing value for '--id <id>'"),
        (["tap"], "Missing expected argument '<path>'"),
        (["tap", "nav", "--row", "one"], "The value 'one' is invalid for '--row <row>'"),
        (["edit", "nav", "maybe"], "The value 'maybe' is invalid for '<mode>'"),
        (["move", "nav", "1"], "Missing expected argument '<to>'"),
        (["move", "nav", "1", "1.5"], "The value '1.5' is invalid for '<to>'"),
        (["delete", "nav"], "Missing expected argument '<row>'"),
        (["scroll", "nav", "1"], "Missing expected argument '<y>'"),
        (["scroll", "nav", "1", "2", "3"], "Unexpected argument '3'"),
        (["scroll", "nav", "nan", "0"], "The value 'nan' is invalid for '<x>': write a number"),
        (["scroll", "nav", "0", "-inf"], "Missing expected argument '<y>'"),
        (["scroll", "nav", "0", "1e999"], "The value '1e999' is invalid for '<y>'"),
        (["scroll", "nav", "0", "-1e999"], "The value '-1e999' is invalid for '<y>'"),
        (["scroll", "nav", "--bogus", "0"], "Missing expected argument '<y>'"),
        (["zoom", "nav", "0"], "The value '0' is invalid for '<scale>': write a number above 0"),
        (["zoom", "nav", "nan"], "The value 'nan' is invalid for '<scale>'"),
        (["zoom", "nav", "--", "-2"], "The value '-2' is invalid for '<scale>'"),
        (["load", "nav"], "Missing expected argument '<url>'"),
        (
            ["inspect", "file"],
            "The command does not connect to a daemon and does not accept --socket: remove the option."
        ),
        (["quarantine", "put-back"], "Missing expected argument '<name>'"),
        (
            ["--scene", "x", "quarantine"],
            "The command does not accept --scene: remove the option."
        ),
        (["back", "nav", "2"], "Unexpected argument '2'"),
        (["forward"], "Missing expected argument '<path>'"),
        (["dismiss", "nav"], "Unexpected argument 'nav'"),
        (["--app", "a", "status"], "The command does not accept --app: remove the option."),
        (["list", "--scene", "a"], "The command does not accept --scene: remove the option."),
        (["open", "b", "--scene", "a"], "The command does not accept --scene: remove the option."),
        (
            ["--scene", "a", "close", "b"],
            "The command does not accept --scene: remove the option."
        ),
        (["preserve", "--scene", "a"], "The command does not accept --scene: remove the option."),
        (
            ["quit", "--app", "b", "--scene", "a"],
            "The command does not accept --scene: remove the option."
        ),
        (["--scene", "a", "launch"], "The command does not accept --scene: remove the option."),
        (
            ["debug", "exit", "a", "--scene", "a"],
            "The command does not accept --scene: remove the option."
        ),
        ([], "Specify a command.\n\nOVERVIEW: Controls reprised"),
        (["--app", "a"], "Specify a command."),
        (["debug"], "Specify a command.\n\nOVERVIEW: Makes the daemon crash"),
    ]

    @Test(arguments: wrongForClient)
    func `reprisectl refuses wrong arguments`(
        arguments: [String], sentence: String
    ) async throws {
        try await Host.with { host in
            let result = try await host.control(arguments)
            try #require(result.status == .exited(2), "\(result)")
            try #require(result.errors.hasPrefix("reprisectl: \(sentence)"), "\(result)")
            let isJSON = arguments.contains("--json")
            try #require(isJSON == result.output.hasPrefix(#"{"error":"usage","#), "\(result)")
        }
    }

    @Test func `arguments that are not UTF-8 are refused by both programs`() async throws {
        try await Host.with { host in
            let text: [UInt8] = [0x77, 0xF6, 0x72, 0x6C, 0x64]
            let daemon = try await ProgramResult.of(
                [Array(try Programs.reprised().string.utf8), Array("--socket".utf8), text],
                in: host.directory)
            try #require(daemon.status == .exited(2), "\(daemon)")
            try #require(
                daemon.errors == "reprised: argument 2 is not UTF-8: encode it as UTF-8.\n")
            let control = try await ProgramResult.of(
                [Array(try Programs.reprisectl().string.utf8)]
                    + ["type", Paths.child1].map { Array($0.utf8) } + [text],
                in: host.directory)
            try #require(control.status == .exited(2), "\(control)")
            try #require(
                control.errors == "reprisectl: argument 3 is not UTF-8: encode it as UTF-8.\n")
        }
    }

    @Test(arguments: [
        ("status", []), ("list", []), ("open", ["--app", "--wait"]),
        ("close", ["--app", "--wait"]), ("preserve", ["--app", "--all"]),
        ("quit", ["--app", "--all"]), ("launch", ["--app", "--all"]),
        ("show", ["--app", "--scene"]), ("select", ["--app", "--scene", "--wait"]),
    ])
    func `help lists the options that a command accepts`(
        command: String, options: [String]
    ) async throws {
        try await Host.with { host in
            let help = try await host.mustControl("help", command)
            let offered = ["--app", "--scene", "--all", "--wait"].filter {
                help.contains("\n  \($0) ")
            }
            try #require(offered == options, "\(help)")
            try #require(help.contains("\n  --socket ") && help.contains("\n  --json "), "\(help)")
        }
    }

    @Test func `help and version exit with status 0`() async throws {
        try await Host.with { host in
            let version = try await host.attempt(["--version"])
            try #require(version.status == .exited(0) && version.output.hasPrefix("reprised "))
            let help = try await host.control("--help")
            try #require(help.status == .exited(0) && help.output.contains("SUBCOMMANDS"))
        }
    }
}
