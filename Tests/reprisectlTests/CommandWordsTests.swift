import ArgumentParser
import FoundationEssentials
import Testing

@testable import reprisectl

@Suite struct CommandWordsTests {
    /// A command as the parser tells it of itself.
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
        var subcommands: [Description]?

        /// Its options with a value, and those of its subcommands.
        var options: Set<String> {
            let own = (arguments ?? []).filter { $0.kind == "option" }.flatMap { $0.names ?? [] }
            let names = own.map { $0.kind == "short" ? "-\($0.name)" : "--\($0.name)" }
            return (subcommands ?? []).reduce(Set(names)) { $0.union($1.options) }
        }
    }

    @Test func `the options that have a value are those of all commands`() throws {
        struct Dump: Decodable { var command: Description }
        let text = Reprisectl._dumpHelp()
        let dump = try JSONDecoder().decode(Dump.self, from: Data(text.utf8))
        #expect(dump.command.options == CommandWords.optionsWithValue)
    }
}
