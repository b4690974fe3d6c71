import FoundationEssentials
import StateRestoration
import TestSupport
import Testing
import Varlink

@testable import RepriseControl

@Suite struct StateJSONTests {
    static let values: [StateJSON] = [
        .bool(true), .bool(false), .integer(0), .integer(.max), .integer(.min), .double(1.5),
        .double(-1e300), .double(-0.0), .double(0x1p63), .string(""),
        .string("wörld 🌍 \"quoted\" \u{1}"), .array([]),
        .array([.integer(1), .null, .array([.string("a")])]), .object([:]),
        .object(["a": .object(["b": .null]), "c": .bool(false)]),
    ]

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: replies with canonically equivalent texts differ`(one: String, other: String) {
        #expect(StateJSON.string(one) != .string(other))
        #expect(StateJSON.array([.string(one)]) != .array([.string(other)]))
        #expect(StateJSON.object(["key": .string(one)]) != .object(["key": .string(other)]))
        func line(_ text: String) -> DrawnLine { .with { $0.text = text } }
        #expect(line(one) != line(other))
        #expect(ShowCall.Reply.with { $0.text = one } != .with { $0.text = other })
    }

    @Test(arguments: values)
    func `a value survives encoding and decoding as JSON`(value: StateJSON) throws {
        let text = try JSON.text([value])
        #expect(try JSON.decode([StateJSON].self, text) == [value])
    }

    @Test func `arrays and dictionaries can contain null`() throws {
        #expect(try JSON.decode(StateJSON.self, "[null]") == .array([.null]))
        #expect(try JSON.decode(StateJSON.self, #"{"a":null}"#) == .object(["a": .null]))
    }

    @Test func `a number that is not a 64-bit integer is decoded as a double`() throws {
        #expect(try JSON.decode(StateJSON.self, "[1e3]") != .array([.string("1e3")]))
        #expect(try JSON.decode(StateJSON.self, "[0.5]") == .array([.double(0.5)]))
        #expect(
            try JSON.decode(StateJSON.self, "[18446744073709551616]")
                == .array([.double(18_446_744_073_709_551_616)]))
    }

    @Test(arguments: [
        (StateJSON.string("plain \"text\""), "plain \"text\""),
        (.null, "null"),
        (.bool(true), "true"),
        (.integer(-3), "-3"),
        (.double(0.5), "0.5"),
        (.array([.string("a"), .integer(1), .null]), #"["a", 1, null]"#),
        (.object(["b": .string("x"), "a": .array([])]), #"{a: [], b: "x"}"#),
        (.object(["lowerBound": .integer(1), "upperBound": .integer(3)]), "1..<3"),
        (.object(["lowerBound": .integer(1)]), "{lowerBound: 1}"),
        (
            .object(["lowerBound": .integer(1), "upperBound": .integer(3), "x": .null]),
            "{lowerBound: 1, upperBound: 3, x: null}"
        ),
        (
            .object(["first": .integer(1), "last": .integer(3), "x": .null]),
            "{first: 1, last: 3, x: null}"
        ),
        (.object(["reference": .string("nav"), "x": .null]), #"{reference: "nav", x: null}"#),
        (.object(["first": .integer(1), "last": .integer(3)]), "1...3"),
        (.object(["reference": .string("nav/parent")]), "→ nav/parent"),
        (.array([.object(["reference": .string("nav")])]), "[→ nav]"),
    ])
    func `a value is formatted as readable text on one line`(value: StateJSON, line: String) {
        #expect(value.singleLineText == line)
    }

    @Test(arguments: [
        (StoredValue.double(0x1p60), "1152921504606846976"), (.double(-0.0), "-0.0"),
        (.double(3), "3"), (.double(.nan), "nan"), (.unsigned(.max), "18446744073709551615"),
        (.date(0.5), "2001-01-01T00:00:00.5Z"), (.date(0), "2001-01-01T00:00:00Z"),
        (.date(.infinity), "inf seconds after 2001-01-01T00:00:00Z"),
        (.codable("18446744073709551615"), "18446744073709551615"), (.codable("-0"), "-0.0"),
        (.codable("1.0000000000000000000000001"), "1.0000000000000000000000001"),
        (
            .codable("[1.152921504606847e+18,9007199254740993]"),
            "[1152921504606846976, 9007199254740993]"
        ),
        (.codable(#"{"a":1,"b":[2,{"c":"x"}]}"#), #"{a: 1, b: [2, {c: "x"}]}"#),
        (
            .uuid([0, 15, 16, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]),
            "000F1033-4455-6677-8899-AABBCCDDEEFF"
        ),
        (.indexPath([1, 0]), "[1, 0]"), (.range(1..<3), "1..<3"), (.closedRange(1...3), "1...3"),
        (.array([.integer(1), .string("a")]), #"[1, "a"]"#),
        (.dictionary(["a": .integer(1), "b": .null]), "{a: 1, b: null}"),
        (.codable("1e999"), "1e999"), (.codable("NaN"), "NaN"), (.codable("[1,"), "[1,"),
    ])
    func `P3: a value is shown with every digit, even after encoding and decoding`(
        value: StoredValue, line: String
    ) throws {
        let json = StateJSON(value)
        #expect(json.singleLineText == line)
        let received = try JSON.decode(StateJSON.self, JSON.text(json))
        #expect(received.singleLineText == line)
    }

    /// A value whose numbers neither `Int64` nor `Double` can represent.
    private struct Measured: Codable {
        var biggest = UInt64.max
        var date = Date(timeIntervalSinceReferenceDate: 0.1)
        var exact = 0.1 as Decimal
        var long = Decimal(string: "-12345678901234567890.123456789012345678") ?? 0
        var small = Decimal(string: "1.5e-30") ?? 0
    }

    @Test func `P3: the numbers in a Codable value are shown with every digit`() throws {
        let text = String(decoding: try CodableJSON.encode(Measured()), as: UTF8.self)
        let json = StateJSON(.codable(text))
        let line =
            #"{biggest: "18446744073709551615", date: 0.1, exact: 0.1, "#
            + #"long: "-12345678901234567890.123456789012345678", small: 1.5e-30}"#
        #expect(json.singleLineText == line)
        #expect(try JSON.decode(StateJSON.self, JSON.text(json)).singleLineText == line)
    }

    @Test func `a value in a request is converted to a stored value with all its elements`() {
        let request = StateJSON.object([
            "a": .array([.integer(1), .double(0.5), .string("x")]), "b": .bool(true), "c": .null,
        ])
        let stored = StoredValue.dictionary([
            "a": .array([.integer(1), .double(0.5), .string("x")]), "b": .bool(true), "c": .null,
        ])
        #expect(request.value == stored)
    }

    @Test func `0.0 and -0.0 differ`() {
        #expect(StateJSON.double(0) != .double(-0.0))
        #expect(StateJSON.double(.nan) == .double(.nan))
    }

    @Test func `line feeds in nested texts are escaped`() {
        #expect(StateJSON.array([.string("a\nb\"c")]).singleLineText == #"["a\nb\"c"]"#)
    }

    @Test func `any number of microseconds can be formatted as a time`() {
        #expect(rfc3339String(0) == "1970-01-01T00:00:00Z")
        for time in [Int64.min, .min + 1, -62_167_219_200_000_001, .max] {
            #expect(!rfc3339String(time).isEmpty)
        }
    }
}
