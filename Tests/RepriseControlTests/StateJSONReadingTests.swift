import Testing
import Varlink

@testable import RepriseControl

/// Tests values of any type in the parameters of a call.
@Suite struct StateJSONReadingTests {
    private func call(_ arguments: String) throws -> CallCall {
        var reader = JSONReader(
            Array(#"{"path":"p","command":"c","arguments":\#(arguments)}"#.utf8))
        return try reader.readAll(CallCall.self)
    }

    @Test func `an argument can contain null but cannot be null`() throws {
        #expect(
            try call(#"{"a":[null,{"b":null}]}"#).arguments
                == ["a": .array([.null, .object(["b": .null])])])
        #expect(throws: JSONReadingError.invalidParameter("arguments")) {
            try call(#"{"a":null}"#)
        }
        #expect(try call("null").arguments == nil)
    }

    @Test func `the error for a number that cannot be represented identifies its parameter`() {
        #expect(throws: JSONReadingError.invalidParameter("arguments")) {
            try call(#"{"a":[1e400]}"#)
        }
    }

    @Test func `a value saved as null reaches the client`() throws {
        let reply = GetCall.Reply(values: ["k": .null])
        let text = try JSON.text(reply)
        #expect(text == #"{"values":{"k":null}}"#)
        #expect(try JSON.decode(GetCall.Reply.self, text) == reply)
    }
}
