import FoundationEssentials
import StateRestoration
import Testing

/// The overload that a call uses must not depend on how the value is passed.
@Suite struct OverloadTests {
    private struct Draft: Codable, Equatable, Sendable {
        var title = "a"
        var rating = 1.5
    }

    private enum Side: String, Codable, Sendable { case left, right }

    /// An object that could also be stored as JSON.
    private final class Both: StateRestoring, Codable {
        let restoration = RestorationNode()
        init() { restoration.identifier = "both" }
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) {}
        func encodeRestorableState(with coder: StateEncoder) {}
        func decodeRestorableState(with coder: StateDecoder) {}
    }

    @Test
    func `P9: supported types have their own form, and other Codable values are stored as JSON`()
        throws
    {
        let coders = Coders()
        let coder = coders.encoder
        let none: String? = nil
        let some: String? = "s"
        let draft: Draft? = Draft()
        let noDraft: Draft? = nil
        coder.encode("text", forKey: "string")
        coder.encode(["a", "b"], forKey: "strings")
        coder.encode(["a": 1], forKey: "counts")
        coder.encode(1...3, forKey: "closed")
        coder.encode(some, forKey: "some")
        coder.encode(none, forKey: "none")
        coder.encode(Draft(), forKey: "draft")
        coder.encode(draft, forKey: "optional draft")
        coder.encode(noDraft, forKey: "no draft")
        coder.encode([Draft()], forKey: "drafts")
        coder.encode(Side.left, forKey: "side")
        coder.encode([1, nil], forKey: "gaps")
        coder.encode([1: "a"], forKey: "by number")
        coder.encode(Set([7]), forKey: "set")
        #expect(coders.problems == [])
        #expect(
            try coders.values() == [
                "string": .string("text"),
                "strings": .array([.string("a"), .string("b")]),
                "counts": .dictionary(["a": .integer(1)]),
                "closed": .closedRange(1...3),
                "some": .string("s"),
                "draft": .codable(#"{"rating":1.5,"title":"a"}"#),
                "optional draft": .codable(#"{"rating":1.5,"title":"a"}"#),
                "drafts": .codable(#"[{"rating":1.5,"title":"a"}]"#),
                "side": .codable(#""left""#),
                "gaps": .codable("[1,null]"),
                "by number": .codable(#"{"1":"a"}"#),
                "set": .codable("[7]"),
            ])
        let decoder = coders.decoder()
        let text: String? = try decoder.decode(forKey: "string")
        #expect(text == "text")
        let side: Side? = try decoder.decode(forKey: "side")
        #expect(side == .left)
        #expect(try decoder.decode([String].self, forKey: "strings") == ["a", "b"])
        #expect(try decoder.decode([String: Int].self, forKey: "counts") == ["a": 1])
        #expect(try decoder.decode(ClosedRange<Int>.self, forKey: "closed") == 1...3)
        #expect(try decoder.decode(Draft.self, forKey: "draft") == Draft())
        #expect(try decoder.decode([Draft].self, forKey: "drafts") == [Draft()])
        #expect(try decoder.decode([Int?].self, forKey: "gaps") == [1, nil])
        #expect(try decoder.decode([Int: String].self, forKey: "by number") == [1: "a"])
        #expect(try decoder.decode(Set<Int>.self, forKey: "set") == [7])
        #expect(try decoder.decode(String?.self, forKey: "some") == "s")
        #expect(try decoder.decode(Draft?.self, forKey: "optional draft") == Draft())
        #expect(try decoder.decode(Draft.self, forKey: "no draft") == nil)
        #expect(try decoder.decode(Draft?.self, forKey: "no draft") == nil)
    }

    @Test
    func `P9: the stored form depends only on the type, even if only Codable is known statically`()
        throws
    {
        func encode(_ value: some Codable, _ key: StaticString, _ coder: StateEncoder) {
            coder.encode(value, forKey: key)
        }
        func decode<Kind: Codable>(
            _ type: Kind.Type, _ key: StaticString, _ coder: StateDecoder
        ) throws -> Kind? {
            try coder.decode(type, forKey: key)
        }
        let coders = Coders()
        encode(7, "number", coders.encoder)
        encode(["a": [1]], "dictionary", coders.encoder)
        encode(Int?.some(8), "optional", coders.encoder)
        encode(Int?.none, "none", coders.encoder)
        encode(Sensitive("secret"), "sensitive", coders.encoder)
        #expect(
            try coders.values() == [
                "number": .integer(7), "dictionary": .dictionary(["a": .array([.integer(1)])]),
                "optional": .integer(8),
            ])
        let decoder = coders.decoder()
        #expect(try decode(Int.self, "number", decoder) == 7)
        #expect(try decode([String: [Int]].self, "dictionary", decoder) == ["a": [1]])
        #expect(try decode(Int?.self, "optional", decoder) == 8)
        #expect(try decode(Int?.self, "none", decoder) == nil)
        #expect(try decode(Sensitive<String>.self, "number", decoder) == nil)
        #expect(throws: StateDecodingError.self) { try decode(String.self, "number", decoder) }
    }

    @Test func `P8: an object that is also Codable is stored as a reference`() throws {
        let coders = Coders()
        coders.encoder.recordNumberOfObject = { _ in RecordNumber(5) }
        let object = Both()
        let optional: Both? = object
        coders.encoder.encode(object, forKey: "object")
        coders.encoder.encode(optional, forKey: "optional")
        coders.encoder.encode([object], forKey: "array")
        coders.encoder.encode(["a": object], forKey: "named")
        #expect(coders.problems == [])
        #expect(
            try coders.values() == [
                "object": .reference(nil), "optional": .reference(nil),
                "array": .array([.reference(nil)]),
                "named": .dictionary(["a": .reference(nil)]),
            ])
    }
}
