import StateRestoration
import Testing

@testable import Preservation

@Suite struct CommandValueTests {
    private static let values: [StoredValue] = [
        .null, .bool(true), .integer(7), .integer(1 << 53 + 1), .double(1.5), .string("a"),
        .array([.integer(1), .integer(2)]), .array([.integer(1), .string("b")]),
        .dictionary(["a": .integer(1), "b": .integer(2)]),
        .dictionary(["a": .integer(1), "b": .string("c")]),
    ]

    /// Returns the values that a type accepts, converted back to stored values.
    private func accepted<Value: CommandValue>(_ type: Value.Type) -> [StoredValue] {
        Self.values.compactMap { Value(commandValue: $0)?.commandValue }
    }

    @Test func `each type accepts only values whose contents match as well`() {
        #expect(accepted(Bool.self) == [.bool(true)])
        #expect(accepted(Int.self) == [.integer(7), .integer(1 << 53 + 1)])
        #expect(accepted(Double.self) == [.double(7), .double(1.5)])
        #expect(accepted(String.self) == [.string("a")])
        #expect(accepted(Bool?.self) == [.null, .bool(true)])
        #expect(accepted([Int].self) == [.array([.integer(1), .integer(2)])])
        #expect(
            accepted([String: Int].self) == [.dictionary(["a": .integer(1), "b": .integer(2)])])
    }

    @Test func `types have the names that the Varlink specification defines`() {
        #expect(Bool.commandType == "bool")
        #expect(Int?.commandType == "?int")
        #expect([Double].commandType == "[]float")
        #expect([String: [String?]].commandType == "[string][]?string")
    }

    @Test func `a command refuses arguments that are missing, unknown or of the wrong type`() throws
    {
        let add = ProvidedCommand(
            "add", summary: "Adds.", CommandParameter("left", summary: "One.", Int.self),
            CommandParameter("right", summary: "Another.", Int?.self)
        ) { left, right in left + (right ?? 1) }
        #expect(add.parameters.map(\.type) == ["int", "?int"])
        #expect(add.resultType == "int")
        #expect(try add.run(["left": .integer(2)]) == .integer(3))
        #expect(try add.run(["left": .integer(2), "right": .integer(5)]) == .integer(7))
        let refused: [(arguments: [String: StoredValue], name: String, reason: String)] = [
            ([:], "left", "it is missing"),
            (["left": .string("2")], "left", "it must have the type int"),
            (["left": .integer(2), "right": .bool(true)], "right", "it must have the type ?int"),
            (["left": .integer(2), "third": .null], "third", "the command takes left, right"),
        ]
        for (arguments, name, reason) in refused {
            #expect(throws: CommandArgumentError(argumentName: name, reason: reason)) {
                try add.run(arguments)
            }
        }
        let drain = ProvidedCommand("drain", summary: "Takes no new jobs.") {}
        #expect(try drain.run([:]) == nil)
        #expect(
            throws: CommandArgumentError(
                argumentName: "a", reason: "the command takes no arguments")
        ) {
            try drain.run(["a": .null])
        }
    }

    @Test func `a command traps if a name is invalid or two parameters have the same name`()
        async
    {
        await #expect(processExitsWith: .failure) {
            _ = ProvidedCommand("take all", summary: "Takes all jobs.") {}
        }
        await #expect(processExitsWith: .failure) {
            _ = ProvidedCommand(
                "take", summary: "Takes a job.", CommandParameter("job", summary: "Job.", Int.self),
                CommandParameter("due date", summary: "Date.", String.self)
            ) { _, _ in }
        }
        await #expect(processExitsWith: .failure) {
            _ = ProvidedCommand(
                "swap", summary: "Swaps jobs.", CommandParameter("job", summary: "Job.", Int.self),
                CommandParameter("job", summary: "Other job.", Int.self)
            ) { _, _ in }
        }
    }
}
