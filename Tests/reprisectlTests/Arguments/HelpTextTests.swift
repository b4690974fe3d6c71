import ArgumentParser
import Testing

@testable import reprisectl

@Suite struct HelpTextTests {
    /// Options of all commands that have no effect on some commands.
    private static let options: Set = [
        "--socket", "--timeout", "--host", "--follow", "--json", "--quiet", "--no-pager",
    ]

    private static func help(_ words: [String]) throws -> String {
        let words = try CommandWords(words, under: Reprisectl.self)
        do {
            try words.run()
        } catch {
            return try #require(error as? HelpText).text
        }
        Issue.record("no help was printed")
        return ""
    }

    /// Command that the help lists, with its words, such as `history delete`.
    private struct Command {
        var words: [String]
        var type: any ParsableCommand.Type

        static func all(
            of family: any ParsableCommand.Type = Reprisectl.self, after words: [String] = []
        ) -> [Command] {
            var commands: [Command] = []
            for type in family.configuration.subcommands where type.configuration.shouldDisplay {
                let words = words + [type._commandName]
                commands.append(Command(words: words, type: type))
                commands += all(of: type, after: words)
            }
            return commands
        }
    }

    @Test func `the help of a command lists only the shared options that affect it`() throws {
        var listed: Set<String> = []
        for command in Command.all() {
            guard let type = command.type as? any OptionIgnoring.Type else { continue }
            let help = try Self.help(command.words + ["--help"])
            let names = help.split { " \n[],<>`".contains($0) }.map(String.init)
            let found = Self.options.intersection(names)
            #expect(found == Self.options.subtracting(type.ignoredOptions), "\(command.words)")
            #expect(names.contains("--help"))
            listed.formUnion(found)
        }
        #expect(listed == Self.options)
        #expect(try Self.help(["help", "status"]) == Self.help(["status", "--help"]))
    }

    @Test(
        arguments: [
            ("list", ["--quiet", "--no-pager", "--follow"]), ("tap", ["--no-pager"]),
            ("tree", ["--quiet"]), ("relocate", ["--no-pager", "--follow"]),
        ] as [(String, Set<String>)])
    func `the help does not list options that have no effect`(
        command: String, ignored: Set<String>
    ) throws {
        let help = try Self.help([command, "--help"])
        let names = help.split { " \n[],<>`".contains($0) }.map(String.init)
        #expect(Self.options.subtracting(names) == ignored)
    }

    @Test func `removing the last option of a section does not remove the next section`() {
        let help = HelpText(
            text: """
                OPTIONS:
                  -q, --quiet             Print nothing
                                          when a change is saved.

                SUBCOMMANDS:
                  list                    Lists the applications.

                """)
        #expect(
            help.removingOptions(["--quiet"]).text == """
                OPTIONS:

                SUBCOMMANDS:
                  list                    Lists the applications.

                """)
    }

    @Test func `removing an option removes all lines of its description`() {
        let help = HelpText(
            text: """
                USAGE: x status [--json] [--quiet] [--all]

                OPTIONS:
                  --json                  Print JSON.
                  -q, --quiet             Print nothing
                                          when a change is saved.
                  --all                   Go through
                                          all.

                """)
        #expect(
            help.removingOptions(["--quiet"]).text == """
                USAGE: x status [--json] [--all]

                OPTIONS:
                  --json                  Print JSON.
                  --all                   Go through
                                          all.

                """)
    }
}
