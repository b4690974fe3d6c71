import ArgumentParser
import RepriseControl
import Testing

@testable import reprisectl

/// Arguments that cannot be combined, for all commands.
@Suite struct ArgumentProblemTests {
    /// Returns the problem of a command line, or `nil` if the parser accepts it. The word `''` represents an empty
    /// argument.
    private func problem(_ line: String) -> String? {
        do {
            let words = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
            _ = try CommandWords(words, under: Reprisectl.self).parse()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            ("status --host ''", "--host has no value"),
            ("status --host=-x", "--host has no value"),
            ("status --socket ''", "--socket has no value"),
            ("status --json --quiet", "--json and --quiet cannot be used together."),
            ("status --app a", "The command does not accept --app: remove the option."),
            ("status --scene a", "The command does not accept --scene: remove the option."),
            ("history --scene a", "The command does not accept --scene: remove the option."),
            ("open x --scene a", "The command does not accept --scene: remove the option."),
            ("preserve --scene a", "The command does not accept --scene: remove the option."),
            ("tree --app ''", "--app has no value"),
            ("tree --scene ''", "--scene has no value"),
            (
                "relocate a h --app b",
                "The command takes the application as an argument and does not accept --app: "
                    + "remove the option."
            ),
            ("cluster --app b", "The command does not accept --app: remove the option."),
            ("cluster resume --wait", "The command does not accept --wait: remove the option."),
            ("history --app a nonsense", "There is no command nonsense"),
            ("quit --wait", "The command does not accept --wait: remove the option."),
            ("preserve --all --app a", "--all and --app cannot be used together"),
            ("quit --force --all", "--force removes saved state"),
            ("inspect f --quiet", "The command changes nothing and does not accept --quiet"),
            (
                "inspect f --socket s",
                "The command does not connect to a daemon and does not accept --socket"
            ),
            (
                "inspect f --host h",
                "The command does not connect to a daemon and does not accept --host"
            ),
            (
                "inspect f --timeout 1s",
                "The command does not connect to a daemon and does not accept --timeout"
            ),
            ("inspect f --app a", "The command does not accept --app: remove the option."),
            ("inspect f --scene a", "The command does not accept --scene: remove the option."),
            ("attach --json", "attach is interactive and does not accept --json"),
            ("attach --quiet", "attach does not accept --quiet"),
            ("show --saved --watch", "cannot be used together."),
            ("show --saved --generation 1", "cannot be used together."),
            ("show --generation 1 --quarantined q", "cannot be used together."),
            ("show --quarantined q --watch", "cannot be used together."),
            ("get p --raw", "--raw requires the key of a value."),
            ("type p --append", "--append requires a text."),
            ("type p", "Missing expected argument '<text>'"),
            ("type p --select 2..1", "write it like 2..5"),
            ("type p --select=-1..1", "write it like 2..5"),
            ("type p --select 1", "write it like 2..5"),
            ("type p --select 1..2..3", "write it like 2..5"),
            ("type p --select x..2", "write it like 2..5"),
            ("type p --select 1..y", "write it like 2..5"),
            ("select p", "Missing expected argument '<indexes> ...'"),
            ("select p -1", "The value '-1' is invalid for '<indexes>'"),
            ("tap p --row -1", "The value '-1' is invalid for '--row <row>'"),
            ("move p 1 -2", "The value '-2' is invalid for '<to>'"),
            ("delete p -1", "The value '-1' is invalid for '<row>'"),
            ("select p 1 --none", "Specify either indexes, or --id and identifiers, or --none."),
            ("select p 1 --id a", "Specify either indexes, or --id and identifiers, or --none."),
            (
                "select p --none --id a",
                "Specify either indexes, or --id and identifiers, or --none."
            ),
            ("edit-text p", "Specify either an action, or a text with --insert."),
            (
                "edit-text p moveLeft --insert a",
                "Specify either an action, or a text with --insert."
            ),
            ("edit-text p deleteBackward --extend", "--extend requires an action"),
            ("edit-text p selectAll --extend", "--extend requires an action"),
            ("edit-text p --insert a --extend", "--extend requires an action"),
            ("scroll p 1", "Missing expected argument '<y>'"),
            ("scroll p 1 -2x", "Missing expected argument '<y>'"),
            ("scroll p 1 2 --timeout -5", "Missing value for '--timeout <timeout>'"),
            ("scroll p 1 2 3", "Unexpected argument '3'"),
            ("zoom p 0", "write a number above 0"), ("zoom p inf", "write a number above 0"),
            ("zoom p x", "write a number above 0"),
            ("monitor --count 0", "--count requires a number above 0."),
            ("monitor --path ''", "--path has no value"),
            ("monitor --quiet", "monitor changes nothing and does not accept --quiet"),
            ("backup ''", "The directory name is empty"),
            ("status --timeout 0", "write a time above 0"),
            ("status --timeout 1d", "write a time above 0"),
            ("status --timeout s", "write a time above 0"),
            ("status --timeout 1000001", "write a time above 0"),
        ])
    func `invalid combinations of arguments are refused`(line: String, phrase: String) {
        #expect(problem(line)?.contains(phrase) == true, "\(problem(line) ?? "accepted")")
    }

    @Test func `the error for an option of a subcommand contains no usage of another command`() {
        #expect(
            problem("cluster history a --app b")
                == "The command takes the application as an argument and does not accept --app: "
                + "remove the option.")
    }

    @Test func `a subcommand accepts an option that the command above it does not accept`() throws {
        let words = ["quarantine", "put-back", "name", "--wait"]
        let command = try CommandWords(words, under: Reprisectl.self).parse()
        #expect((command as? PutBackCommand)?.waitsForDurability == true)
    }

    @Test func `negative numbers are valid model identifiers and paths`() throws {
        let words = ["select", "-1", "--id", "-5", "a"]
        let command = try CommandWords(words, under: Reprisectl.self).parse()
        let call = try #require(command as? SelectCommand).call
        #expect(call.path == "-1")
        #expect(call.identifiers == ["-5", "a"])
    }

    @Test(arguments: [
        "status --host user@h", "status --socket s --json", "status --quiet", "tree --app a",
        "tree --app a --scene s", "history --app a", "open x --app a --wait", "preserve --all",
        "preserve --app a", "quit --force", "quit --all", "inspect f", "attach", "show",
        "show --saved", "show --generation 1", "show --quarantined q", "show --watch",
        "get p key --raw", "get p", "type p text --append", "type p --select 0..0",
        "type p text --select 2..5", "select p 1 2", "select p --id a b", "select p --none",
        "edit-text p moveLeft --extend", "edit-text p pageUp --extend",
        "edit-text p deleteBackward", "edit-text p --insert a", "scroll p 1 2",
        "scroll p -1 2.5", "zoom p 0.5", "monitor --count 1", "monitor --path p", "backup d",
        "status --timeout 1", "status --timeout 500ms", "status --timeout 2m",
        "status --timeout 1000000h",
    ])
    func `valid combinations of arguments are accepted`(line: String) {
        #expect(problem(line) == nil)
    }

    @Test(arguments: [
        ("1", Duration.seconds(1)), ("500ms", .milliseconds(500)), ("5s", .seconds(5)),
        ("2m", .seconds(120)), ("3h", .seconds(10_800)),
    ])
    func `a timeout is in seconds unless it has a unit`(text: String, length: Duration) throws {
        #expect(try DaemonCallOptions.parse(["--timeout", text]).timeout == length)
    }
}
