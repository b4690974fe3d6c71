import Testing
import Varlink
import VarlinkGeneration

/// Names and types of the declarations that are generated for a definition.
struct DeclarationsTests {
    private func code(
        _ text: String, _ change: (inout GenerationOptions) -> Void = { _ in }
    ) throws -> String {
        var options = GenerationOptions()
        change(&options)
        return try InterfaceGenerator(
            try InterfaceDefinition(parsing: "interface org.example.Test\n" + text), options
        ).makeSwiftFile()
    }

    // MARK: Names

    @Test(arguments: ["Interface", "Error", "Method", "Methods", "Dispatcher", "Client"])
    func `a type must not have the name of a declaration for the interface`(suffix: String) {
        #expect(throws: GenerationError.repeated(name: "Test\(suffix)")) {
            try code("type Test\(suffix) (x: int)")
        }
        #expect(throws: Never.self) {
            try code("type Test\(suffix) (x: int)") { $0.namePrefix = "Other" }
        }
    }

    @Test func `a type must not have the name of any method's parameters`() {
        for method in ["Do", "Other"] {
            #expect(throws: GenerationError.repeated(name: "\(method)Call")) {
                try code("type \(method)Call (x: int)\nmethod Do() -> ()\nmethod Other() -> ()")
            }
        }
    }

    @Test(arguments: [("A", "B"), ("B", "A")])
    func `every option for an unknown type is refused`(known: String, unknown: String) {
        #expect(throws: GenerationError.unknownType(name: unknown)) {
            try code("type \(known) (x: int)") { $0.typeNames = ["A": "First", "B": "Second"] }
        }
    }

    @Test func `a type that hides a library's type does not affect generated code`() throws {
        let code = try code(
            """
            type Bool (x: bool)
            type Int (x: int)
            type Double (x: float)
            type String (x: string)
            type JSONMessage (y: int)
            type RawJSON (x: object)
            """)
        for type in ["Swift.Bool", "Swift.Int", "Swift.Double", "Swift.String", "Varlink.RawJSON"] {
            #expect(code.contains("public var x: \(type) = "))
        }
        #expect(code.contains("public struct JSONMessage: Varlink.JSONMessage, Equatable {"))
    }

    @Test func `an anonymous type does not hide a declared type`() throws {
        let code = try code(
            """
            type Mode (a, b)
            type Kind (c, d)
            type T (mode: (e, f), kind: (g, h), other: (i, j), reply: (x: int))
            """)
        for name in ["ModeValue", "KindValue", "Other"] {
            #expect(code.contains("public enum \(name): String, Sendable"))
        }
        #expect(code.contains("public struct ReplyValue: JSONMessage"))
    }

    // MARK: Types that contain themselves

    @Test(arguments: [
        "type X (x: int)\ntype A (a: A)", "type A (x: int, b: B)\ntype B (y: int, a: A)",
        "type X (x: int)\ntype A (x: int, b: (y: int, a: A))",
    ])
    func `a type that contains itself in any of its fields is refused`(text: String) {
        #expect(throws: GenerationError.infinitelyRecursive(type: "A")) { try code(text) }
    }

    @Test func `a required field that can contain its own type is stored indirectly`() throws {
        let code = try code("type A (x: int, b: B)\ntype B (a: ?A)")
        #expect(code.contains("    public var x: Int = 0\n"))
        #expect(code.contains("    @Boxed public var b: B = .init()\n"))
        #expect(code.contains("    @Boxed public var a: A? = nil\n"))
    }

    @Test func `a type that leads to types that contain each other is stored directly`() throws {
        let chain = (0..<8).map { "type S\($0) (next: ?S\($0 + 1))" }.joined(separator: "\n")
        let code = try code(
            "\(chain)\ntype S8 (even: ?Even)\ntype Even (odd: ?Odd)\ntype Odd (even: ?Even)")
        for index in 1...8 { #expect(code.contains("    public var next: S\(index)?\n")) }
        #expect(code.contains("    public var even: Even?\n"))
        #expect(code.contains("    @Boxed public var odd: Odd? = nil\n"))
        #expect(code.contains("    @Boxed public var even: Even? = nil\n"))
    }

    // MARK: Conformances

    @Test func `a structure conforms to each protocol whose fields it has`() throws {
        let code = try code(
            "type A (y: string, x: ?int)\ntype B (x: ?int)\ntype C (z: ?int, y: string)"
        ) {
            $0.conformances = [
                GenerationOptions.Conformance(.values, parsing: "HasX=x:?int"),
                GenerationOptions.Conformance(.values, parsing: "HasXY=x:?int,y:string"),
            ].compactMap(\.self)
        }
        #expect(code.contains("public struct A: JSONMessage, Equatable, HasX, HasXY {"))
        #expect(code.contains("public struct B: JSONMessage, Equatable, HasX {"))
        #expect(code.contains("public struct C: JSONMessage, Equatable {"))
    }
}
