import FoundationEssentials
import Testing
import Varlink
import VarlinkGeneration

struct InterfaceGeneratorTests {
    private static let directory = #filePath.replacing("/InterfaceGeneratorTests.swift", with: "")

    private func generator(
        _ text: String, _ change: (inout GenerationOptions) -> Void = { _ in }
    ) throws -> String {
        var options = GenerationOptions()
        change(&options)
        return try InterfaceGenerator(
            try InterfaceDefinition(parsing: "interface org.example.Test\n" + text), options
        ).makeSwiftFile()
    }

    @Test(arguments: [
        "org.example.Everything", "io.systemd.Credentials", "io.systemd.Hostname",
        "io.systemd.Journal", "io.systemd.ManagedOOM", "io.systemd.PCRExtend",
        "io.systemd.PCRLock", "io.systemd.UserDatabase", "io.systemd.sysext",
    ])
    func `the generated code in this module is up to date`(name: String) throws {
        let definition = try String(
            contentsOfFile: "\(Self.directory)/Definitions/\(name).varlink", encoding: .utf8)
        let code = try String(
            contentsOfFile: "\(Self.directory)/Generated/\(name).swift", encoding: .utf8)
        var options = GenerationOptions()
        options.access = .internal
        #expect(
            try InterfaceGenerator(try InterfaceDefinition(parsing: definition), options)
                .makeSwiftFile()
                == code,
            "run script/generate-varlink")
    }

    @Test func `a type that can have no value is refused`() {
        #expect(throws: GenerationError.infinitelyRecursive(type: "A")) {
            try generator("type A (b: B)\ntype B (a: A)")
        }
        #expect(throws: Never.self) { try generator("type A (b: []B)\ntype B (a: A)") }
        #expect(throws: Never.self) { try generator("type A (b: ?B)\ntype B (a: A)") }
    }

    @Test func `two declarations with the same name are refused`() {
        #expect(throws: GenerationError.repeated(name: "DoCall")) {
            try generator("type DoCall (x: int)\nmethod Do() -> ()")
        }
        #expect(throws: GenerationError.repeated(name: "String")) {
            try generator("type String (x: int)") { $0.declaresTypesAtTopLevel = true }
        }
        #expect(throws: Never.self) {
            try generator("type String (x: int)") {
                $0.declaresTypesAtTopLevel = true
                $0.typeNames = ["String": "Text"]
            }
        }
    }

    @Test func `an option for an unknown type is refused`() {
        #expect(throws: GenerationError.unknownType(name: "B")) {
            try generator("type A (x: int)") { $0.typeNames = ["B": "C"] }
        }
    }

    @Test func `a structure conforms to the protocols that match its fields`() throws {
        let code = try generator(
            "type A (x: ?int)\ntype B (x: int)\nmethod C(x: ?int) -> (x: ?int)"
        ) {
            $0.access = .package
            $0.declaresTypesAtTopLevel = true
            $0.conformances = [
                GenerationOptions.Conformance(.values, parsing: "HasX=x:?int"),
                GenerationOptions.Conformance(.calls, parsing: "XCall=x:?int"),
            ].compactMap(\.self)
        }
        #expect(code.contains("package struct A: JSONMessage, Equatable, HasX {"))
        #expect(code.contains("package struct B: JSONMessage, Equatable {"))
        #expect(code.contains("package struct CCall: MethodCall, Equatable, XCall {"))
        #expect(code.contains("package struct Reply: JSONMessage, Equatable, HasX {"))
        #expect(GenerationOptions.Conformance(.calls, parsing: "XCall") == nil)
        #expect(GenerationOptions.Conformance(.calls, parsing: "XCall=x") == nil)
    }

    @Test(arguments: [
        ("", 1), ("# comment", 1), ("\\ #", 1), ("\\#(run())", 2), ("\"\"\"", 1), ("\"\"\"###", 4),
        ("\"a\"#b\"", 2), ("\"#\"##", 3), ("\"##\"#", 3),
    ])
    func `no text in a definition can end its literal or start an escape sequence`(
        text: String, length: Int
    ) {
        #expect(InterfaceGenerator.delimiterLength(for: text) == length)
    }

    @Test func `the generated file imports every module, in alphabetical order`() throws {
        let code = try generator("type A (x: int)") {
            $0.access = .package
            $0.imports = ["Zeta", "Alpha"]
        }
        #expect(code.contains("\nimport Alpha\npackage import Varlink\nimport Zeta\n"))
    }

    @Test func `a module in the name of a type or protocol is imported with the code's access`()
        throws
    {
        let code = try generator("type A (x: object)") {
            $0.objectType = "Alpha.Value"
            $0.imports = ["Alpha", "Alp", "Beta", "Gamma"]
            $0.conformances = [
                GenerationOptions.Conformance(.values, parsing: "Beta.HasX=x:object")
            ].compactMap(\.self)
        }
        let imports = [
            "import Alp", "public import Alpha", "public import Beta", "import Gamma",
            "public import Varlink",
        ]
        #expect(code.contains("\n\(imports.joined(separator: "\n"))\n"))
        #expect(code.contains("    public var x: Alpha.Value = .init()\n"))
        #expect(code.contains("public struct A: JSONMessage, Equatable, Beta.HasX {"))
    }

    @Test func `a type with the name of the type for objects is refused`() throws {
        #expect(throws: GenerationError.repeated(name: "Value")) {
            try generator("type Value (x: object)") { $0.objectType = "Value" }
        }
        #expect(throws: Never.self) { try generator("type RawJSON (x: object)") }
    }

    @Test func `a method is marked as read-only even if no method streams replies`() throws {
        let code = try generator("# [Read-only]\nmethod A() -> ()\nmethod B() -> ()")
        #expect(code.contains("case .a:\n            traits.isReadOnly = true\n"))
        #expect(!code.contains("isStreaming"))
    }

    @Test func `a definition with carriage returns is refused`() throws {
        let text = "# one\r# two\ninterface org.example.Lines\nmethod Do() -> ()\n"
        let definition = try InterfaceDefinition(parsing: text)
        #expect(throws: GenerationError.carriageReturn) {
            try InterfaceGenerator(definition, GenerationOptions())
        }
    }
}
