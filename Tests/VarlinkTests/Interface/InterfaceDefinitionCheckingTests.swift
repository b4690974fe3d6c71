import Testing

@testable import Varlink

struct InterfaceDefinitionCheckingTests {
    static let definition = """
        interface org.example.Checks
        type Mode (fast, slow)
        type Range (start: int, end: ?int)
        type Tree (children: []Tree)
        method M(
          b: ?bool, i: ?int, f: ?float, s: ?string, o: ?object, r: ?Range, m: ?Mode, a: ?[]?int,
          d: ?[string]string, t: ?Tree, n: ?(x: string)
        ) -> ()
        method Needs(text: string, count: ?int) -> ()
        """

    private func invalid(_ method: String, _ json: String) throws -> String? {
        let interface = try InterfaceDefinition(parsing: Self.definition)
        let call = try Call(
            parsing: Array(#"{"method":"a.b.C","parameters":\#(json)}"#.utf8))
        let fields = try #require(interface.method(named: method)).parameters
        return interface.invalidParameterName(in: call.parameterMembers, for: fields)
    }

    @Test(
        arguments: [
            #"{}"#, #"{"b":true}"#, #"{"b":null}"#, #"{"i":-9223372036854775808}"#, #"{"i":1.0}"#,
            #"{"i":1e2}"#, #"{"f":1}"#, #"{"f":-1.5e-3}"#, #"{"s":"é\u00e9"}"#, #"{"o":{"x":1}}"#,
            #"{"o":[1]}"#, #"{"r":{"start":1}}"#, #"{"r":{"start":1,"end":null}}"#,
            #"{"m":"slow"}"#,
            #"{"a":[]}"#, #"{"a":[1,null]}"#, #"{"d":{}}"#, #"{"d":{"any key":"v"}}"#,
            #"{"t":{"children":[{"children":[]}]}}"#, #"{"n":{"x":""}}"#,
        ])
    func `valid parameters are accepted`(json: String) throws {
        #expect(try invalid("M", json) == nil)
    }

    @Test(
        arguments: [
            (#"{"b":1}"#, "b"), (#"{"b":"true"}"#, "b"), (#"{"i":"1"}"#, "i"), (#"{"i":1.5}"#, "i"),
            (#"{"i":9223372036854775808}"#, "i"), (#"{"i":1e400}"#, "i"), (#"{"i":true}"#, "i"),
            (#"{"f":"1"}"#, "f"), (#"{"s":1}"#, "s"), (#"{"s":[]}"#, "s"), (#"{"r":{}}"#, "r"),
            (#"{"r":{"start":1,"else":1}}"#, "r"), (#"{"r":{"start":1,"start":1}}"#, "r"),
            (#"{"r":[1]}"#, "r"), (#"{"m":"medium"}"#, "m"), (#"{"m":1}"#, "m"),
            (#"{"a":{}}"#, "a"),
            (#"{"a":["1"]}"#, "a"), (#"{"d":{"k":1}}"#, "d"), (#"{"d":{"k":null}}"#, "d"),
            (#"{"a":[1,"1"]}"#, "a"), (#"{"d":{"k":"v","l":1}}"#, "d"),
            (#"{"b":true,"i":"1"}"#, "i"),
            (#"{"t":{"children":[{}]}}"#, "t"), (#"{"n":{}}"#, "n"), (#"{"else":1}"#, "else"),
            (#"{"b":true,"b":true}"#, "b"), (#"{"B":true}"#, "B"),
        ])
    func `an unknown, repeated or mistyped parameter is identified`(json: String, name: String)
        throws
    {
        #expect(try invalid("M", json) == name)
    }

    @Test(
        arguments: [
            (#"{}"#, "text"), (#"{"text":null}"#, "text"), (#"{"count":1}"#, "text"),
            ("null", "text"),
            (#"{"text":""}"#, nil), (#"{"text":"","count":null}"#, nil),
        ] as [(String, String?)])
    func `a parameter that is not nullable is required`(json: String, name: String?) throws {
        #expect(try invalid("Needs", json) == name)
    }

    @Test func `every required parameter is found among the parameters of a call`() throws {
        let names = ["a", "b", "c", "d", "e", "f"]
        let fields = names.map { "\($0): string" }.joined(separator: ", ")
        let interface = try InterfaceDefinition(
            parsing: "interface a.b\nmethod M(\(fields)) -> ()")
        let parameters = try #require(interface.method(named: "M")).parameters
        let members = names.map { JSONValue.Member(name: $0, value: .string("")) }
        #expect(interface.invalidParameterName(in: members, for: parameters) == nil)
        #expect(
            interface.invalidParameterName(in: Array(members.dropLast()), for: parameters) == "f")
    }
}
