import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Daemon with an invalid configuration, which reports each error and does not start.
struct ConfigurationTests {
    @Test func `an error in line 7 is reported with file, line and column`() async throws {
        try await Host.with { host in
            try host.configuration.write(
                """
                applications:
                  - bundleIdentifier: org.reprise.ChildViews
                    scenes: [main]
                    storyboards: [ChildViews.yaml]
                preservation:
                  interval: 5s
                  durabilty: written
                """.utf8)
            let result = try await host.attempt()
            try #require(result.status == .exited(78), "\(result)")
            try #require(
                result.errors == "reprised: \(host.configuration):7:3: the key \"durabilty\" is "
                    + "unknown in preservation: did you mean \"durability\"?\n")
            try #require(host.state.entries.isEmpty)
        }
    }

    @Test func `a check reports what a start would report, without affecting a running daemon`()
        async throws
    {
        try await Host.with { host in
            let arguments = ["--config", host.configuration.string, "--check"]
            try await host.run { _ in
                let valid = try await host.attempt(arguments)
                #expect(valid.status == .exited(0), "\(valid)")
                #expect(
                    valid.output == "\(host.configuration), and the storyboards of all "
                        + "applications: no errors found.\n")
                try await host.mustControl("status")
            }
            try host.replace("level: info", by: "level: loud", in: host.configuration)
            let invalid = try await host.attempt(arguments)
            #expect(invalid.status == .exited(78), "\(invalid)")
            #expect(invalid.output.isEmpty)
            #expect(invalid.errors.hasPrefix("reprised: \(host.configuration):"), "\(invalid)")
        }
    }

    @Test
    func
        `the effective configuration is printed with file and line, and can be used as a configuration`()
        async throws
    {
        try await Host.with { host in
            let dropIns = host.configuration.removingLastComponent().appending("reprised.d")
            try await host.run("mkdir", "-p", dropIns.string)
            let dropIn = dropIns.appending("10.yaml")
            let socket = #"  socket: "/run/\u202Ex\U000E0001""#
            try dropIn.write(
                "history: { count: 7 }\ncontrol:\n  observers: \"wheel\"\n\(socket)\n".utf8)
            let print = ["--config", host.configuration.string, "--print-config"]
            let first = try await host.attempt(print)
            try #require(first.status == .exited(0), "\(first)")
            let lines = first.output.split(separator: "\n")
            for line in [
                "  count: 7  # \(dropIn):1:19", "  observers: \"wheel\"  # \(dropIn):3:14",
                "cluster: null  # default", "\(socket)  # \(dropIn):4:11",
            ] {
                try #require(lines.contains(Substring(line)), "\(line): \(first.output)")
            }
            try #require(
                first.output.contains("  interval: 5s  # \(host.configuration):"), "\(first.output)"
            )

            // A configuration with the output has the same values.
            try dropIn.write([])
            try host.configuration.write(first.output.utf8)
            let second = try await host.attempt(print)
            func values(_ output: String) -> [Substring] {
                output.split(separator: "\n").filter { !$0.hasPrefix("#") }
                    .map { $0.prefix { $0 != "#" } }
            }
            try #require(values(second.output) == values(first.output), "\(second)")

            try host.configuration.write("applications: []\n".utf8)
            let invalid = try await host.attempt(print)
            try #require(invalid.status == .exited(78) && invalid.output.isEmpty, "\(invalid)")
            let both = try await host.attempt(print + ["--check"])
            try #require(both.status == .exited(2), "\(both)")
        }
    }

    @Test func `a configuration and a drop-in can be checked before they are installed`()
        async throws
    {
        try await Host.with { host in
            let candidate = host.directory.appending("candidate")
            try candidate.write(try host.configuration.read())
            let directory = host.configuration.removingLastComponent()
            let arguments = ["--check", "--config", candidate.string]
            let withoutStoryboards = try await host.attempt(arguments)
            try #require(withoutStoryboards.status == .exited(78), "\(withoutStoryboards)")
            let withStoryboards = try await host.attempt(
                arguments + ["--storyboards", directory.appending("storyboards").string])
            try #require(withStoryboards.status == .exited(0), "\(withStoryboards)")

            try directory.appending("reprised.d").createDirectory()
            let present = directory.appending("reprised.d/50-log.yaml")
            try present.write("log: { level: loud }\n".utf8)
            let dropIn = host.directory.appending("50-log.yaml")
            try dropIn.write("log: { level: debug }\n".utf8)
            let check = ["--check", "--config", host.configuration.string]
            let before = try await host.attempt(check)
            try #require(before.errors.hasPrefix("reprised: \(present):1:15: "), "\(before)")
            // The drop-in replaces the installed drop-in with its name, which is invalid.
            let fixed = try await host.attempt(check + ["--drop-in", dropIn.string])
            try #require(fixed.status == .exited(0), "\(fixed)")
            try #require(fixed.output.contains(", \(dropIn), and"), "\(fixed)")
            try dropIn.write("log: { levl: debug }\n".utf8)
            let invalid = try await host.attempt(check + ["--drop-in", dropIn.string])
            try #require(invalid.errors.hasPrefix("reprised: \(dropIn):1:8: "), "\(invalid)")
        }
    }

    @Test(arguments: ["touch", "mkfifo", "ln -s reprised.d", "ln -s /dev/null", "ln -s nowhere"])
    func `a check and a start refuse a drop-in path that is not a directory with the same error`(
        command: String
    ) async throws {
        try await Host.with { host in
            let dropIns = host.configuration.removingLastComponent().appending("reprised.d")
            try await host.run("bash", "-c", "\(command) \(dropIns)")
            let check = try await host.attempt(
                ["--config", host.configuration.string, "--check"])
            try #require(check.status == .exited(78), "\(check)")
            try #require(check.errors.hasPrefix("reprised: \(dropIns) "), "\(check)")
            let start = try await host.attempt()
            try #require(start.status == .exited(78), "\(start)")
            try #require(start.errors == check.errors, "\(start)")
        }
    }

    @Test
    func
        `a configuration that others can change is reported by a check and logged once by the daemon`()
        async throws
    {
        try await Host.with { host in
            try #require(chmod(host.configuration.string, 0o666) == 0)
            let sentence =
                "\(host.configuration) can be changed by everybody: `chmod o-w "
                + "\(host.configuration)` prevents this."
            let check = try await host.attempt(
                ["--check", "--config", host.configuration.string])
            try #require(check.status == .exited(0), "\(check)")
            try #require(check.output.hasSuffix("\nwarning: \(sentence)\n"), "\(check)")
            let ended = try await host.run { _ in try await host.mustControl("reload") }
            let lines = ended.log.split(separator: "\n").filter { $0.contains(sentence) }
            try #require(lines.count == 1 && lines[0].hasPrefix("<4>"), "\(ended.log)")
        }
    }

    @Test func `every error is reported on its own line`() async throws {
        try await Host.with { host in
            try host.replace("interval: 5s ", by: "interval: 5 ", in: host.configuration)
            try host.replace("level: info", by: "level: loud", in: host.configuration)
            let result = try await host.attempt()
            try #require(result.status == .exited(78), "\(result)")
            let lines = result.errors.split(separator: "\n")
            try #require(lines.count == 2, "\(result)")
            try #require(lines[0].hasPrefix("reprised: \(host.configuration):"), "\(result)")
            try #require(lines[1].hasPrefix("\(host.configuration):"), "\(result)")
        }
    }

    @Test func `a missing configuration is reported with the paths that were checked`()
        async throws
    {
        try await Host.with { host in
            let result = try await host.attempt(
                [], environment: ["CONFIGURATION_DIRECTORY": host.state.string])
            try #require(result.status == .exited(78), "\(result)")
            try #require(
                result.errors == "reprised: there is no configuration (checked "
                    + "\(host.state)/reprised.yaml, /etc/reprise/reprised.yaml): create one there, "
                    + "or specify one with --config FILE.\n")
            let named = try await host.attempt(["--config", "none.yaml"])
            try #require(named.status == .exited(78))
            try #require(
                named.errors
                    == "reprised: none.yaml does not exist: create it, or specify another file.\n")
        }
    }

    @Test func `an unknown application is reported with the closest match`() async throws {
        try await Host.with { host in
            try host.replace(
                "org.reprise.ChildViews", by: "org.reprise.ChildView", in: host.configuration)
            let result = try await host.attempt()
            try #require(result.status == .exited(78), "\(result)")
            try #require(
                result.errors.hasSuffix("did you mean \"org.reprise.ChildViews\"?\n"), "\(result)")
        }
    }

    /// Error in the storyboard: a replacement in the file, and the expected part of the message.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let replacement: String
        let sentence: String
    }

    static let mistakes = [
        Mistake(
            testDescription: "an unknown class", text: "ParentViewController",
            replacement: "PerentViewController",
            sentence: ":28:12: controllers.parent.class is \"PerentViewController\", which is "
                + "an unknown class: did you mean \"ParentViewController\"?"),
        Mistake(
            testDescription: "a missing class", text: "    class: ParentViewController\n",
            replacement: "", sentence: ":28:5: the key \"class\" is missing in controllers.parent"),
        Mistake(
            testDescription: "a child that is not there", text: "[parent]",
            replacement: "[parant]",
            sentence: ":23:16: controllers.nav.children names \"parant\", but there is no such "
                + "controller: did you mean \"parent\"?"),
        Mistake(
            testDescription: "an initial controller that is not there", text: "initial: nav",
            replacement: "initial: nev", sentence: ":16:10: initial names \"nev\""),
        Mistake(
            testDescription: "siblings with one identifier", text: "      segmentedControl:\n",
            replacement: "      other: { class: TextField, restorationIdentifier: "
                + "segmentedControl }\n      segmentedControl:\n",
            sentence: "are siblings with the same restorationIdentifier \"segmentedControl\": "
                + "change one of them."),
        Mistake(
            testDescription: "an identifier with a slash",
            text: "restorationIdentifier: child1", replacement: "restorationIdentifier: a/b",
            sentence: "the restoration identifier \"a/b\" contains a /"),
        Mistake(
            testDescription: "another version", text: "bundleVersion: \"1\"",
            replacement: "bundleVersion: \"2\"",
            sentence: ":13:16: the storyboard is for version \"2\" of the program, and this is "
                + "version \"1\""),
        Mistake(
            testDescription: "no YAML", text: "initial: nav", replacement: "initial: [nav",
            sentence: "ChildViews.yaml:"),
    ]

    @Test(arguments: mistakes)
    func `a mistake in a storyboard is reported with file, line and column`(
        mistake: Mistake
    ) async throws {
        try await Host.with { host in
            try host.replace(mistake.text, by: mistake.replacement, in: host.storyboard)
            let result = try await host.attempt()
            try #require(result.status == .exited(78), "\(result)")
            try #require(result.errors.hasPrefix("reprised: \(host.storyboard):"), "\(result)")
            try #require(result.errors.contains(mistake.sentence), "\(result)")
            try #require(host.state.entries.isEmpty)
        }
    }

    @Test func `a storyboard that is not UTF-8 is reported with the position of the error`()
        async throws
    {
        try await Host.with { host in
            try host.storyboard.write(try host.storyboard.read() + Array("x: ".utf8) + [0xFF])
            let result = try await host.attempt()
            try #require(result.status == .exited(78), "\(result)")
            try #require(
                result.errors.hasSuffix(
                    ":53:4: this character is not UTF-8: write it again and save the file as "
                        + "UTF-8.\n"),
                "\(result)")
        }
    }

    @Test func `a missing storyboard is reported`() async throws {
        try await Host.with { host in
            try host.replace("[ChildViews.yaml]", by: "[Other.yaml]", in: host.configuration)
            let result = try await host.attempt()
            try #require(result.status == .exited(78), "\(result)")
            try #require(
                result.errors
                    == "reprised: \(host.directory)/config/storyboards/Other.yaml does not "
                    + "exist: create it, or specify another file.\n")
        }
    }
}
