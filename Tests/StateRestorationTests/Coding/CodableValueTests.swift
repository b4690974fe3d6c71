import FoundationEssentials
import Testing

@testable import StateRestoration

@Suite struct CodableValueTests {
    private struct Sheet: Codable, Equatable {
        var title = "a/b"
        var numbers: [String: Double] = ["b": 2, "a": .infinity, "c": -.infinity]
        var when = Date(timeIntervalSinceReferenceDate: 0.1)
        var link = URL(string: "https://example.org")
        var bytes = Data([0, 255])
        var missing: Int?
    }

    private struct Failure: Error, CustomStringConvertible { let description = "not today" }

    private struct Stubborn: Codable {
        init() {}
        init(from decoder: any Decoder) throws { throw Failure() }
        func encode(to encoder: any Encoder) throws { throw Failure() }
    }

    private struct Text: Codable { var title: String }
    private struct Number: Codable { var title: Int }
    private struct Other: Codable { var name: String }

    private func cause(_ body: () throws -> Void) -> StateDecodingError.Cause? {
        let error = #expect(throws: StateDecodingError.self) { try body() }
        return error?.cause
    }

    @Test func `P9: a Codable value is restored, including numbers that JSON cannot represent`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(Sheet(), forKey: "sheet")
        coders.encoder.encode([Sheet(), Sheet(title: "2")], forKey: "sheets")
        coders.encoder.encode([Double?.some(.nan)], forKey: "nan")
        #expect(coders.problems == [])
        let decoder = coders.decoder()
        #expect(try decoder.decode(Sheet.self, forKey: "sheet") == Sheet())
        #expect(
            try decoder.decode([Sheet].self, forKey: "sheets") == [Sheet(), Sheet(title: "2")])
        #expect(try decoder.decode([Double?].self, forKey: "nan")?.first??.isNaN == true)
        #expect(try coders.values()["nan"] == .codable(#"["nan"]"#))
    }

    @Test func `equal Codable values have equal bytes`() {
        let keys = (0..<50).map { "key\($0)" }
        func bytes(_ keys: [String]) -> [UInt8] {
            let coders = Coders()
            let pairs = Dictionary(uniqueKeysWithValues: keys.map { ($0, Int?.none) })
            coders.encoder.encode(pairs, forKey: "pairs")
            return coders.bytes
        }
        #expect(bytes(keys) == bytes(keys.reversed()))
    }

    @Test func `P9: a Codable value that fails to encode is omitted and reported`() throws {
        let coders = Coders()
        coders.encoder.encode(Stubborn(), forKey: "stubborn")
        coders.encoder.encode(["a": [Stubborn()]], forKey: "inside")
        coders.encoder.encode(1, forKey: "after")
        #expect(
            coders.problems == [
                .init("stubborn", .codable(reason: "not today")),
                .init("inside", .codable(reason: "not today")),
            ])
        #expect(try coders.values() == ["after": .integer(1)])
    }

    @Test func `R14: decoding a Codable value as the wrong type throws a typed error`() throws {
        let coders = Coders()
        coders.encoder.encode(Text(title: "a"), forKey: "text")
        coders.encoder.encode("a", forKey: "string")
        let decoder = coders.decoder()
        #expect(
            cause { _ = try decoder.decode(Text.self, forKey: "string") }
                == .typeMismatch(saved: "String", requested: "Text"))
        #expect(
            cause { _ = try decoder.decode(String.self, forKey: "text") }
                == .typeMismatch(saved: "Codable", requested: "String"))
        let refused = cause { _ = try decoder.decode(Number.self, forKey: "text") }
        guard case .refused("Number", let reason) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(reason.hasPrefix("title: "))
        #expect(
            cause { _ = try decoder.decode(Other.self, forKey: "text") }
                == .refused(type: "Other", reason: "name: it is missing"))
        #expect(
            cause { _ = try decoder.decode(Stubborn.self, forKey: "text") }
                == .refused(type: "Stubborn", reason: "not today"))
        #expect(try decoder.decode(Text.self, forKey: "text")?.title == "a")
    }

    @Test
    func `R14: the error about a mismatched Codable value names the object, key, type and reason`()
    {
        let error = StateDecodingError(
            objectPath: "nav", key: "k", cause: .refused(type: "Draft", reason: "a: it is missing"))
        #expect(
            error.description == "nav: \"k\" does not match the type Draft: a: it is missing")
    }

    @Test(arguments: ["", "{", "[1,", "nul", "\u{0}", "{\"title\":\"a\"} x"])
    func `invalid JSON is refused`(text: String) throws {
        let coders = Coders()
        coders.encoder.encode(Text(title: "a"), forKey: "text")
        let bytes = coders.bytes.prefix(2) + [UInt8(text.utf8.count)] + Array(text.utf8)
        let decoder = coders.decoder(of: Array(bytes))
        #expect(throws: StateDecodingError.self) { try decoder.decode(Text.self, forKey: "text") }
    }

    @Test func `JSON nested more than 64 levels deep cannot be decoded`() throws {
        let coders = Coders()
        coders.encoder.encode([Int?.none], forKey: "array")
        let text = Array(repeating: UInt8(ascii: "["), count: 127)
        let decoder = coders.decoder(of: coders.bytes.prefix(2) + [127] + text)
        #expect(
            cause { _ = try decoder.decode([Int?].self, forKey: "array") }
                == .malformed(reason: "it is nested more than 64 levels deep"))
    }
}
