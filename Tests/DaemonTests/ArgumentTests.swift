import Subprocess
import SystemPackage
import Testing

/// Arguments that are wrong: one sentence, and exit status 2.
struct ArgumentTests {
    @Test(arguments: [
        (["--bogus"], "Unknown option '--bogus'"),
        (["extra"], "Unexpected argument 'extra'"),
        (["--config"], "Missing value for '--config <config>'"),
        (["--log-level", "loud"], "The value 'loud' is invalid for '--log-level <log-level>'"),
    ])
    func `the daemon refuses wrong arguments`(arguments: [String], sentence: String) async throws {
        try await Host.with { host in
            let result = try await host.attempt(arguments)
            try #require(result.status == .exited(2), "\(result)")
            try #require(result.errors.hasPrefix("reprised: \(sentence)"), "\(result)")
            try #require(result.output == "")
        }
    }

    @Test(arguments: [
        (["--bogus", "status"], "Unknown option '--bogus'"),
        (["bogus"], "Unexpected argument 'bogus'"),
        (["type", "nav"], "Missing expected argument '<text>'"),
        (["select", "nav", "first"], "The value 'first' is invalid for '<indexes>'"),
    ])
    func `the command line refuses wrong arguments`(
        arguments: [String], sentence: String
    ) async throws {
        try await Host.with { host in
            let result = try await host.control(arguments)
            try #require(result.status == .exited(2), "\(result)")
            try #require(result.errors.hasPrefix("reprisectl: \(sentence)"), "\(result)")
            try #require(result.output == "")
        }
    }

    @Test func `arguments that are not UTF-8 are refused by both programs`() async throws {
        try await Host.with { host in
            let text: [UInt8] = [0x77, 0xF6, 0x72, 0x6C, 0x64]
            let daemon = try await ProgramResult.of(
                [Array(try Programs.reprised().string.utf8), Array("--socket".utf8), text],
                in: host.folder)
            try #require(daemon.status == .exited(2), "\(daemon)")
            try #require(
                daemon.errors == "reprised: argument 2 is not UTF-8: write it in UTF-8.\n")
            let control = try await ProgramResult.of(
                [Array(try Programs.reprisectl().string.utf8)]
                    + ["type", Paths.child1].map { Array($0.utf8) } + [text],
                in: host.folder)
            try #require(control.status == .exited(2), "\(control)")
            try #require(
                control.errors == "reprisectl: argument 3 is not UTF-8: write it in UTF-8.\n")
        }
    }

    @Test func `help and version are no errors`() async throws {
        try await Host.with { host in
            let version = try await host.attempt(["--version"])
            try #require(version.status == .exited(0) && version.output.hasPrefix("reprised "))
            let help = try await host.control("--help")
            try #require(help.status == .exited(0) && help.output.contains("SUBCOMMANDS"))
        }
    }
}
