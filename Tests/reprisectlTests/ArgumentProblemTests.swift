import ArgumentParser
import Testing

@testable import reprisectl

/// Arguments that cannot be combined, for all commands.
@Suite struct ArgumentProblemTests {
    /// Returns the problem of a command line, or `nil` if the parser accepts it. The word `''` represents an empty
    /// argument.
    private func problem(_ line: String) -> String? {
        do {
            _ = try Reprisectl.parseAsRoot(
                line.split(separator: " ").map { $0 == "''" ? "" : String($0) })
            return nil
        } catch {
            return Reprisectl.message(for: error)
        }
    }

    @Test(
        arguments: [
            ("status --host ''", "--host has no host"),
            ("status --host=-x", "--host has no host"),
            ("status --socket ''", "--socket has no path"),
            ("status --json --quiet", "--json and --quiet exclude each other."),
            ("status --app a", "The command takes no --app: leave it out."),
            ("status --scene a", "The command takes no --scene: leave it out."),
            ("history --scene a", "The command takes no --scene: leave it out."),
            ("open x --scene a", "The command takes no --scene: leave it out."),
            ("preserve --scene a", "The command takes no --scene: leave it out."),
            ("tree --app ''", "--app has no bundle identifier"),
            ("tree --scene ''", "--scene has no name"),
            ("preserve --all --app a", "--all and --app exclude each other"),
            ("quit --force --all", "--force takes saved state away"),
            ("inspect f --quiet", "The command changes nothing and takes no --quiet"),
            ("inspect f --socket s", "The command asks no daemon and takes no --socket"),
            ("inspect f --host h", "The command asks no daemon and takes no --host"),
            ("inspect f --timeout 1s", "The command asks no daemon and takes no --timeout"),
            ("inspect f --app a", "The command takes no --app: leave it out."),
            ("inspect f --scene a", "The command takes no --scene: leave it out."),
            ("attach --json", "attach is interactive and takes no --json"),
            ("attach --quiet", "attach takes no --quiet"),
            ("show --saved --watch", "exclude each other."),
            ("show --saved --generation 1", "exclude each other."),
            ("show --generation 1 --quarantined q", "exclude each other."),
            ("show --quarantined q --watch", "exclude each other."),
            ("get p --raw", "Name the key of the value that --raw prints."),
            ("type p --append", "Name the text that --append is to write."),
            ("type p", "Missing expected argument '<text>'"),
            ("type p --select 2..1", "write it like 2..5"),
            ("type p --select=-1..1", "write it like 2..5"),
            ("type p --select 1", "write it like 2..5"),
            ("type p --select 1..2..3", "write it like 2..5"),
            ("type p --select x..2", "write it like 2..5"),
            ("type p --select 1..y", "write it like 2..5"),
            ("select p", "Missing expected argument '<indexes> ...'"),
            ("select p 1 --none", "one of the three."),
            ("select p 1 --id a", "one of the three."),
            ("select p --none --id a", "one of the three."),
            ("edit-text p", "Name an action, or a text with --insert, and not both."),
            ("edit-text p moveLeft --insert a", "and not both."),
            ("edit-text p deleteBackward --extend", "--extend requires an action"),
            ("edit-text p selectAll --extend", "--extend requires an action"),
            ("edit-text p --insert a --extend", "--extend requires an action"),
            ("scroll p 1", "Name two numbers, X and Y, to scroll to."),
            ("scroll p 1 2 3", "Name two numbers, X and Y, to scroll to."),
            ("zoom p 0", "write a number above 0"), ("zoom p inf", "write a number above 0"),
            ("zoom p x", "write a number above 0"),
            ("monitor --count 0", "--count takes a number above 0."),
            ("monitor --path ''", "--path has no path"),
            ("monitor --quiet", "monitor changes nothing and takes no --quiet"),
            ("backup ''", "The directory has no name"),
            ("status --timeout 0", "write a time above 0"),
            ("status --timeout 1d", "write a time above 0"),
            ("status --timeout s", "write a time above 0"),
            ("status --timeout 1000001", "write a time above 0"),
        ])
    func `what does not fit together is refused`(line: String, phrase: String) {
        #expect(problem(line)?.contains(phrase) == true, "\(problem(line) ?? "accepted")")
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
    func `what fits together is accepted`(line: String) {
        #expect(problem(line) == nil)
    }

    @Test(arguments: [
        ("1", Duration.seconds(1)), ("500ms", .milliseconds(500)), ("5s", .seconds(5)),
        ("2m", .seconds(120)), ("3h", .seconds(10_800)),
    ])
    func `a timeout has a unit, or is in seconds`(text: String, length: Duration) throws {
        #expect(try DaemonOptions.parse(["--timeout", text]).timeout == length)
    }
}
