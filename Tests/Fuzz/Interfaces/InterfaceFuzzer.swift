import Varlink

/// Fuzzer that parses bytes as interface definitions.
enum InterfaceFuzzer {
    /// Definitions that contain every type in every allowed position.
    static var seeds: [[UInt8]] {
        let texts = [
            """
            # What it is.
            interface org.example.fuzz

            # A type.
            type State (on, off)
            type Record (
              name: string, # not documentation
              count: ?int,
              ratio: float,
              flags: []bool,
              extra: object,
              parts: [string]?State,
              nested: (a: [](b, c), d: ?[]Record)
            )

            # A method.
            method Get(record: Record, key: ?string) -> (value: ?[string]object)
            method Empty() -> ()
            error Missing (key: string)
            """,
            "interface a.b\nmethod C()->()", "interface com.example-1.x2\r\n\terror E()\n",
            "interface a.b\ntype T (a: int, a: int)", "interface a.b\ntype é (a: int)",
        ]
        return texts.map { Array($0.utf8) }
    }

    /// Checks that a definition preserves its text, and that an error has a position in the text.
    static func read(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        do throws(InterfaceSyntaxError) {
            let definition = try InterfaceDefinition(parsing: text)
            precondition(Array(definition.text.utf8) == input)
            let again = try InterfaceDefinition(parsing: definition.text)
            precondition(again == definition)
            for type in definition.types { precondition(definition.type(named: type.name) == type) }
            for method in definition.methods {
                precondition(definition.method(named: method.name) == method)
            }
        } catch {
            let lines = input.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            precondition((1...lines.count).contains(error.line), "\(error)")
            precondition((1...lines[error.line - 1].count + 1).contains(error.column), "\(error)")
            precondition(!error.description.isEmpty)
        }
    }
}
