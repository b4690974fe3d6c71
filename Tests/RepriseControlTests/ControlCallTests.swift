import Testing
import Varlink

@testable import RepriseControl

@Suite struct ControlCallTests {
    @Test func `unset parameters are omitted`() throws {
        let type = TypeCall.with {
            $0.path = "p"
            $0.text = ""
        }
        #expect(try JSON.text(type) == #"{"path":"p","text":""}"#)
        let select = SelectCall.with {
            $0.path = "p"
            $0.indexes = []
        }
        #expect(try JSON.text(select) == #"{"indexes":[],"path":"p"}"#)
        #expect(try JSON.text(TapCall.with { $0.path = "p" }) == #"{"path":"p"}"#)
        #expect(try JSON.text(BackCall()) == "{}")
    }

    @Test func `unset fields of a reply are omitted`() throws {
        #expect(
            try JSON.text(TypeCall.Reply.with { $0.saved = .durable }) == #"{"saved":"durable"}"#)
        #expect(
            try JSON.text(GetCall.Reply.with { $0.value = .integer(1) }) == #"{"value":1}"#)
    }

    @Test func `a status survives encoding and decoding`() throws {
        let reply = StatusCall.Reply.with {
            $0.version = "0.1.0"
            $0.applications = [
                .with {
                    $0.phase = .running
                    $0.scenes = [.with { $0.launchReason = "recover" }]
                    $0.saved = .written
                },
                .with {
                    $0.phase = .failed
                    $0.failure = "why"
                },
            ]
        }
        let text = try JSON.text(reply)
        #expect(try JSON.text(JSON.decode(StatusCall.Reply.self, text)) == text)
    }

    @Test func `a text range that ends before it begins is nil`() {
        #expect(TextRange(lowerBound: 2, upperBound: 5).range == 2..<5)
        #expect(TextRange(lowerBound: 2, upperBound: 2).range == 2..<2)
        #expect(TextRange(lowerBound: 5, upperBound: 2).range == nil)
        #expect(TextRange(lowerBound: Int.max, upperBound: Int.min).range == nil)
    }
}
