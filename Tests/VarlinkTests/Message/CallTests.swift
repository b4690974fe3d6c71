import Testing

@testable import Varlink

struct CallTests {
    @Test func `a call is parsed with its flags and the bytes of its parameters`() throws {
        let text = "\n{ \"parameters\" : {\"a\": [1, 2]} ,\"method\":\"a.b.C\", \"more\":true } \t"
        let call = try Call(parsing: Array(text.utf8))
        #expect(call.method == "a.b.C")
        #expect(String(decoding: call.parameters, as: UTF8.self) == "{\"a\": [1, 2]}")
        #expect(call.more)
        #expect(!call.oneway)
        #expect(!call.upgrade)
    }

    @Test(
        arguments: [
            #"{"method":"M"}"#, #"{"method":"M","parameters":null}"#,
            #"{"method":"M","parameters":{}}"#, #"{"method":"M","oneway":false,"more":false}"#,
        ])
    func `missing and null parameters are read as an empty object`(text: String) throws {
        let call = try Call(parsing: Array(text.utf8))
        #expect(call.parameters == Array("{}".utf8))
    }

    @Test(
        arguments: [
            ("", .empty), (" \n", .empty), ("x", .notJSON(offset: 0)), ("[]", .notObject),
            ("\"a\"", .notObject), ("{}", .noMethod), (#"{"parameters":{}}"#, .noMethod),
            (#"{"method":"M","extra":1}"#, .unknownKey("extra")),
            (#"{"method":"M","error":null}"#, .unknownKey("error")),
            (#"{"method":"M", "extra":1}"#, .unknownKey("extra")),
            (#"{"extra":tru}"#, .notJSON(offset: 12)),
            (#"{"method":"M","method":"M"}"#, .repeatedKey("method")),
            (#"{"method":1}"#, .mistyped("method")), (#"{"method":null}"#, .mistyped("method")),
            (#"{"method":"M","parameters":[]}"#, .mistyped("parameters")),
            (#"{"method":"M","parameters":"x"}"#, .mistyped("parameters")),
            (#"{"method":"M","oneway":1}"#, .mistyped("oneway")),
            (#"{"method":"M","more":null}"#, .mistyped("more")),
            (#"{"method":"M","upgrade":"yes"}"#, .mistyped("upgrade")),
            (#"{"method":"M","oneway":true,"more":true}"#, .onewayWithMore),
            (#"{"method":"M"} x"#, .notJSON(offset: 15)), (#"{"method":"M""#, .notJSON(offset: 13)),
            (#"{"method":"M","parameters":{"a":["x\u0000"]}}"#, .nulCharacter(offset: 35)),
        ] as [(String, MessageError)])
    func `an invalid call is refused`(text: String, expected: MessageError) {
        #expect(throws: expected) { try Call(parsing: Array(text.utf8)) }
    }

    @Test func `the method and its parameters count toward the maximum number of values`() {
        func parse(_ count: Int) throws(MessageError) {
            // The other values are the method, the parameters and the array.
            let elements = Array(repeating: "1", count: count - 3).joined(separator: ",")
            _ = try Call(
                parsing: Array(#"{"method":"M","parameters":{"a":[\#(elements)]}}"#.utf8))
        }
        #expect(throws: Never.self) { try parse(Call.maximumValues) }
        #expect(throws: MessageError.tooManyValues(limit: Call.maximumValues)) {
            try parse(Call.maximumValues + 1)
        }
    }

    @Test(arguments: [#""M""#, #""\x""#])
    func `the name of a method counts as a value even if it comes last`(name: String) {
        // The other values are the parameters and the array.
        let elements = Array(repeating: "1", count: Call.maximumValues - 2).joined(separator: ",")
        let text = #"{"parameters":{"a":[\#(elements)]},"method":\#(name)}"#
        #expect(throws: MessageError.tooManyValues(limit: Call.maximumValues)) {
            try Call(parsing: Array(text.utf8))
        }
    }
}
