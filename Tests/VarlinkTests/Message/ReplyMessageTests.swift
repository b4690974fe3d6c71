import Testing

@testable import Varlink

struct ReplyMessageTests {
    @Test(
        arguments: [
            (.parameters(Array(#"{"a":1}"#.utf8)), #"{"parameters":{"a":1}}"#),
            (
                .error(.invalidParameter("a\"b")),
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"a\"b"}}"#
            ),
            (
                .error(.permissionDenied),
                #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#
            ),
        ] as [(ReplyMessage.Outcome, String)])
    func `a written reply can be read back`(outcome: ReplyMessage.Outcome, text: String) throws {
        let message = ReplyMessage(outcome).message
        #expect(String(decoding: message, as: UTF8.self) == text + "\0")
        #expect(try ReplyMessage(parsing: message.dropLast()) == ReplyMessage(outcome))
    }

    @Test(arguments: ["{}", #"{"parameters":null}"#, #"{"future":[1]}"#])
    func `a reply without parameters has empty parameters`(text: String) throws {
        #expect(
            try ReplyMessage(parsing: Array(text.utf8)).outcome == .parameters(Array("{}".utf8)))
    }

    @Test func `the continues flag is parsed`() throws {
        #expect(try ReplyMessage(parsing: Array(#"{"continues":true}"#.utf8)).continues)
    }

    @Test(arguments: ["", "[]", "{", #"{"error":1}"#, #"{"parameters":[]}"#, #"{"continues":1}"#])
    func `an invalid reply is refused`(text: String) {
        #expect(throws: MessageError.self) { try ReplyMessage(parsing: Array(text.utf8)) }
    }
}

extension ReplyMessage {
    fileprivate init(parsing message: ArraySlice<UInt8>) throws(MessageError) {
        try self.init(parsing: Array(message))
    }
}
