import Testing

@testable import Varlink

struct InterfaceDefinitionParsingTests {
    static let example = """
        # Controls scenes.
        # Second line.
        interface org.example.Scenes

        # Not a documentation: an empty line follows.

        # A word.
        type Mode (
          # Fast.
          fast,
          slow
        )

        type Range (start: int, end: ?int) # trailing
        type Scene (name: string, ranges: []Range, extra: [string]?object, mode: Mode, inner: (a: bool, b: ?[](x, y)))

        # Lists scenes.
        method List(
          # Only this one.
          name: ?string, depth: float) -> (scenes: []Scene)
        method Close() -> ()
        error NoSuchScene (name: string)

        """

    @Test func `a definition is parsed with all its members`() throws {
        let interface = try InterfaceDefinition(parsing: Self.example)
        #expect(interface.name == "org.example.Scenes")
        #expect(interface.types.map(\.name) == ["Mode", "Range", "Scene"])
        #expect(interface.methods.map(\.name) == ["List", "Close"])
        #expect(interface.errors.map(\.name) == ["NoSuchScene"])
        #expect(
            interface.qualifiedMethods == [
                "org.example.Scenes.List", "org.example.Scenes.Close",
            ])
        #expect(interface.method(named: "Close")?.parameters == [])
        #expect(
            interface.errors.first { $0.name == "NoSuchScene" }?.parameters.map(\.type) == [.string]
        )
    }

    @Test func `every kind of type is parsed`() throws {
        let interface = try InterfaceDefinition(parsing: Self.example)
        guard case .structure(let fields) = interface.type(named: "Scene")?.type else {
            Issue.record("Scene is no structure")
            return
        }
        func word(_ name: String) -> EnumerationCase { .init(name: name, documentation: "") }
        func field(_ name: String, _ type: ValueType) -> Field {
            .init(name: name, type: type, documentation: "")
        }
        let inner: [Field] = [
            field("a", .bool), field("b", .nullable(.array(.enumeration([word("x"), word("y")])))),
        ]
        #expect(
            fields.map(\.type) == [
                .string, .array(.named("Range")), .map(.nullable(.object)), .named("Mode"),
                .structure(inner),
            ])
    }

    @Test func `comments directly above a declaration become its documentation`() throws {
        let interface = try InterfaceDefinition(parsing: Self.example)
        #expect(interface.documentation == "Controls scenes.\nSecond line.")
        #expect(interface.type(named: "Mode")?.documentation == "A word.")
        #expect(interface.type(named: "Range")?.documentation == "")
        #expect(interface.type(named: "Scene")?.documentation == "")
        let list = try #require(interface.method(named: "List"))
        #expect(list.documentation == "Lists scenes.")
        #expect(list.parameters.map(\.documentation) == ["Only this one.", ""])
    }

    @Test func `the text is preserved unchanged, even with carriage returns`() throws {
        let text = Self.example.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        let interface = try InterfaceDefinition(parsing: text)
        #expect(interface.text == text)
        #expect(interface.documentation == "Controls scenes.\nSecond line.")
    }

    @Test func `the standard interface is a valid definition`() throws {
        let interface = try InterfaceDefinition(parsing: InterfaceDefinition.serviceText)
        #expect(interface.name == InterfaceDefinition.serviceName)
        #expect(interface.methods.map(\.name) == ["GetInfo", "GetInterfaceDescription"])
        let errors = interface.errors.map { "\(interface.name).\($0.name)" }
        #expect(errors == VarlinkError.StandardName.allCases.map(\.rawValue))
    }

    @Test(
        arguments: [
            ("", 1, 1, #"found the end of the text, expected "interface""#),
            ("interface", 1, 10, "expected the interface's name"),
            ("interface org", 1, 11, "not an interface name"),
            ("interface org..a\nerror A ()", 1, 11, "not an interface name"),
            ("interface 1org.a\nerror A ()", 1, 11, "not an interface name"),
            ("interface org.-a\nerror A ()", 1, 11, "not an interface name"),
            ("interface a.b", 1, 14, "expected \"type\""),
            ("interface a.b error A ()", 1, 15, "on a line of its own"),
            ("interface a.b\nerror A () error B ()", 2, 12, "on a line of its own"),
            ("interface a.b\nfunction A () -> ()", 2, 1, "found \"function\""),
            ("interface a.b\nmethod a() -> ()", 2, 8, "not a valid name"),
            ("interface a.b\nmethod A_b() -> ()", 2, 8, "not a valid name"),
            ("interface a.b\nmethod A()", 2, 11, "expected \"->\""),
            ("interface a.b\nmethod A(x, y) -> ()", 2, 9, "found an enumeration"),
            ("interface a.b\nmethod A(x: int y: int) -> ()", 2, 17, "expected \",\""),
            ("interface a.b\nmethod A(x: int,) -> ()", 2, 17, "expected a field's name"),
            ("interface a.b\nmethod A(x: int, y) -> ()", 2, 19, "expected \":\""),
            ("interface a.b\ntype A (x, y: int)", 2, 13, "expected \",\""),
            ("interface a.b\nmethod A(x: text) -> ()", 2, 13, "not declared"),
            ("interface a.b\nmethod A(x: Text) -> ()", 2, 13, "not declared"),
            (
                "interface a.b\ntype T ()\nmethod A(x: T, y: Text) -> (z: Other)", 3, 19,
                "not declared"
            ),
            ("interface a.b\nerror A x: int)", 2, 9, "expected \"(\""),
            ("interface a.b\nmethod A(1x: int) -> ()", 2, 10, "not a valid field name"),
            ("interface a.b\nmethod A(x-y: int) -> ()", 2, 10, "not a valid field name"),
            ("interface a.b\nmethod A(x: ??int) -> ()", 2, 14, "expected a type"),
            ("interface a.b\nmethod A(x: [int]int) -> ()", 2, 13, "expected a type"),
            ("interface a.b\nmethod A(_x: int) -> ()", 2, 10, "not a valid field name"),
            ("interface a.b\nmethod A(x__y: int) -> ()", 2, 10, "not a valid field name"),
            ("interface a.b\nmethod A(x_: int) -> ()", 2, 10, "not a valid field name"),
            ("interface a.b\nmethod A(x: int, x: int) -> ()", 2, 18, "declared twice"),
            ("interface a.b\nerror A ()\ntype A ()", 3, 6, "declared twice"),
            ("interface a.b\nerror A (", 2, 10, "found the end of the text"),
            ("interface a.b\nerror Ä ()", 2, 7, "found \"Ä\""),
        ] as [(String, Int, Int, String)])
    func `a syntax error has a line and a column`(
        text: String, line: Int, column: Int, sentence: String
    ) throws {
        let error = try #require(throws: InterfaceSyntaxError.self) {
            try InterfaceDefinition(parsing: text)
        }
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.description.contains(sentence), "\(error)")
    }

    @Test(arguments: ["(a: ", "[]", "[string]", "[]?"])
    func `nesting depth is limited`(opening: String) throws {
        let deep = String(repeating: opening, count: 100_000)
        let error = try #require(throws: InterfaceSyntaxError.self) {
            try InterfaceDefinition(parsing: "interface a.b\nerror A (x: \(deep)")
        }
        #expect(error.reason == .tooDeep)
    }

    @Test(arguments: [
        ("(a: ", 63, "()", ")"), ("[]", 63, "int", ""), ("[string]", 63, "int", ""),
    ])
    func `nesting is accepted up to 64 levels`(
        opening: String, count: Int, innermost: String, closing: String
    ) throws {
        func parse(_ count: Int) throws(InterfaceSyntaxError) {
            let type =
                String(repeating: opening, count: count) + innermost
                + String(repeating: closing, count: count)
            // A field has the nesting level of its structure.
            let text = closing.isEmpty ? "(x: \(type))" : type
            _ = try InterfaceDefinition(parsing: "interface a.b\nerror A \(text)")
        }
        #expect(throws: Never.self) { try parse(count) }
        let error = #expect(throws: InterfaceSyntaxError.self) { try parse(count + 1) }
        #expect(error?.reason == .tooDeep)
    }

    @Test(arguments: [
        ("a.b", true), ("org.example-2.x9", true), ("a", false), ("", false), ("a.", false),
        (".a", false), ("1a.b", false), ("a.1b", true), ("a.b-", false), ("a.-b", false),
        ("a.b_c", false), ("a-.b", false), ("a." + String(repeating: "b", count: 253), true),
        ("a." + String(repeating: "b", count: 254), false),
    ])
    func `an interface name has at least two labels and at most 255 bytes`(
        name: String, isValid: Bool
    ) {
        #expect(InterfaceNameRules.isInterfaceName(name) == isValid)
    }

    @Test(arguments: [
        ("A", true), ("Ab9", true), ("", false), ("a", false), ("9A", false), ("A_b", false),
        ("A-b", false),
    ])
    func `a type name begins with an uppercase letter`(name: String, isValid: Bool) {
        #expect(InterfaceNameRules.isTypeName(name) == isValid)
    }

    @Test(arguments: [
        ("a", true), ("A", true), ("a9_b", true), ("a_b_c", true), ("a_9", true), ("", false),
        ("9a", false), ("_a", false), ("a_", false), ("a__b", false), ("a-b", false),
        ("a_b.c", false),
    ])
    func `a field name consists of letters, digits and single underscores`(
        name: String, isValid: Bool
    ) {
        #expect(InterfaceNameRules.isFieldName(name) == isValid)
    }

    @Test func `every prefix and every changed byte yields a definition or an error`() {
        let bytes = Array(Self.example.utf8)
        var errors = 0
        for index in bytes.indices {
            for replacement in [nil, 0, 0x28, 0x3F, 0x5B, 0xFF] as [UInt8?] {
                var changed = bytes
                if let replacement {
                    changed[index] = replacement
                } else {
                    changed = Array(bytes[..<index])
                }
                let text = String(decoding: changed, as: UTF8.self)
                do throws(InterfaceSyntaxError) {
                    let interface = try InterfaceDefinition(parsing: text)
                    #expect(interface.text == text)
                } catch {
                    errors += 1
                    #expect(error.line >= 1 && error.column >= 1)
                }
            }
        }
        #expect(errors > bytes.count)
    }
}
