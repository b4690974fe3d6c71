import ArgumentParser
import FoundationEssentials
import RepriseControl
import Testing

@testable import reprisectl

@Suite struct CommandWordsTests {
    /// Description of a command, as printed by the parser.
    private struct Description: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }

            var kind: String
            var names: [Name]?
        }

        var arguments: [Argument]?

        /// Options with a value.
        var options: Set<String> {
            let own = (arguments ?? []).filter { $0.kind == "option" }.flatMap { $0.names ?? [] }
            return Set(own.map { $0.kind == "short" ? "-\($0.name)" : "--\($0.name)" })
        }
    }

    @Test func `the list of shared options that take a value matches the parser's`() throws {
        struct Dump: Decodable { var command: Description }
        let text = Reprisectl._dumpHelp()
        let dump = try JSONDecoder().decode(Dump.self, from: Data(text.utf8))
        #expect(dump.command.options == CommandWords.optionsWithValue)
    }

    @Test(arguments: [
        "type nav x --select 0..0", "type nav --select 2..5", "type nav x --append",
        "edit-text nav moveLeft --extend", "edit-text nav pageDown --extend",
        "edit-text nav --insert x", "monitor --count 1", "--timeout 1ms list",
        "--timeout 1000000h list", "zoom nav 0.001", "scroll nav -1 -2", "select nav 0",
        "select nav --none", "select nav --id a b", "show --saved", "show --generation 1",
        "show --quarantined a", "show --watch", "debug exit launch-found --status 255",
        "quit --force", "quit --all", "get nav key --raw", "--json status --check",
    ])
    func `a valid command line is accepted`(line: String) throws {
        _ = try CommandWords(QuotedWords(line).words, under: Reprisectl.self).parse()
    }

    @Test(arguments: [
        "edit-text nav", "edit-text nav deleteBackward --extend",
        "edit-text nav --insert x --extend",
        "edit-text nav moveLeft --insert x", "monitor --count 0", "monitor --path ''",
        "monitor -q", "--timeout 1000001s list", "--timeout 5d list", "--timeout s list",
        "debug exit launch-found --status 256", "show --saved --watch",
        "show --saved --generation 1", "show --generation 1 --quarantined a",
        "show --quarantined a --watch", "attach --json", "attach -q", "backup ''", "inspect -q a",
        "inspect --host a b", "inspect --timeout 1s a", "inspect --app a b", "restore --scene a b",
        "backup a --scene b", "relay --app a", "--host '' list", "--host=-x list",
    ])
    func `an invalid command line is refused as a usage error`(line: String) throws {
        let failure = #expect(throws: Failure.self) {
            _ = try CommandWords(QuotedWords(line).words, under: Reprisectl.self).parse()
        }
        #expect(failure?.status == .usage)
    }

    @Test(arguments: [
        (["reprisectl", "status", "--check"], true), (["reprisectl", "list", "--check"], false),
        (["reprisectl", "status"], false), (["reprisectl", "status", "--", "--check"], false),
    ])
    func `a health check is recognized even if the arguments are invalid`(
        words: [String], isCheck: Bool
    ) {
        #expect(StatusCommand.requestsCheck(words) == isCheck)
    }

    @Test func `--all selects the applications in the command's phases`() {
        #expect(QuitCall.applicablePhases == [.launching, .running])
        #expect(PreserveCall.applicablePhases == [.launching, .running])
        #expect(LaunchCall.applicablePhases == [.stopped, .failed])
    }
}
