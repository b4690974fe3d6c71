import FoundationEssentials
import Testing

@testable import Varlink

/// Generated types that are read and written as JSON.
struct GeneratedTypeTests {
    private typealias Interface = EverythingInterface

    private func text(_ value: some JSONWritable) throws -> String {
        String(decoding: try JSONText.write(value), as: UTF8.self)
    }

    @Test func `a value with every kind of field survives encoding and decoding as JSON`() throws {
        var echo = Interface.EchoCall.with {
            $0.text.value = "\u{1}\"\\/é🌍\n"
            $0.error = .init(mode: .Type_, texts: ["a", ""])
            $0.tree = .init(
                name: "root", left: .init(name: "left", children: [], named: [:]),
                children: [.init(name: "child", children: [], named: [:])],
                named: ["b": .init(name: "b", children: [], named: [:])])
            $0.keywords = .init(
                class: "c", default: 1, self_: "s", Type_: "t", in: 0.5, writer: "w")
            $0.wide = .with { ($0.field0, $0.field64, $0.field68, $0.last) = (0, 64, 68, -1) }
            $0.point = .init(x: 1, y: -2, string: .init(deep: .deep))
            $0.kinds = [.two, .one]
            $0.map = ["b": nil, "a": 1]
            $0.float = 1e300
        }
        echo.anything = [try RawJSON(Array(#" [ 1, {"a" : null} ] "#.utf8)), .init()]
        let text = try text(echo)
        #expect(try JSONText.read(Interface.EchoCall.self, from: Array(text.utf8)) == echo)
        #expect(text.contains(#""map":{"a":1,"b":null}"#))
        #expect(text.contains(#""mode":"Type""#))
        #expect(text.contains(#""anything":[[ 1, {"a" : null} ],{}]"#))
    }

    @Test func `a client accepts added and repeated members from a newer server`() throws {
        let reply = #"{"added":{"x":[1]},"number":1,"number":2}"#
        #expect(
            try JSONText.read(Interface.CountCall.Reply.self, from: Array(reply.utf8)).number == 2)
        #expect(throws: JSONReadingError.invalidParameter("number")) {
            try JSONText.read(Interface.CountCall.Reply.self, from: Array(#"{"added":1}"#.utf8))
        }
    }

    @Test func `members after the 64th are distinguished`() throws {
        #expect(throws: JSONReadingError.invalidParameter("field68")) {
            var reader = JSONReader(Array(#"{"last":1,"field68":1,"field68":1}"#.utf8))
            _ = try reader.readAll(Interface.Wide.self)
        }
        #expect(throws: JSONReadingError.invalidParameter("last")) {
            var reader = JSONReader(Array(#"{"field68":1}"#.utf8))
            _ = try reader.readAll(Interface.Wide.self)
        }
    }

    @Test func `an error survives encoding and decoding`() {
        let errors: [EverythingError] = [
            .notFound(name: "x"), .notFound(name: "", class: "c"), .bare,
            .detailed(
                range: .init(start: 1), detail: .init(code: 1, kinds: [.a, .b]), in: 0.5),
        ]
        for error in errors { #expect(EverythingError(error.varlinkError) == error) }
        #expect(
            EverythingError.bare.varlinkError == VarlinkError(name: "org.example.Everything.Bare"))
        #expect(EverythingError(VarlinkError(name: "org.example.Everything.Unknown")) == nil)
        #expect(EverythingError(VarlinkError(name: "org.example.Everything.NotFound")) == nil)
    }

    @Test(
        arguments: [
            0, 9, 10, -1, .max, .min, 1_000_000,
        ] as [Int])
    func `integers are written like JSONEncoder writes them`(value: Int) throws {
        #expect(try JSONText.write([value]) == JSONText.encode([value]))
        #expect(try JSONText.read([Int].self, from: JSONText.write([value])) == [value])
    }

    @Test func `doubles are written like JSONEncoder writes them and can be read back exactly`()
        throws
    {
        var bits: UInt64 = 0x3FF0_0000_0000_0000
        for step in 0..<20_000 as Range<UInt64> {
            bits = bits &* 6_364_136_223_846_793_005 &+ step
            let value = Double(bitPattern: bits)
            guard value.isFinite else { continue }
            let text = try JSONText.write([value])
            #expect(try text == JSONText.encode([value]))
            #expect(try JSONText.read([Double].self, from: text) == [value])
        }
        #expect(throws: JSONWritingError()) { try JSONText.write([Double.nan]) }
        #expect(try text([-0.0, 0.0, 1.0, 1e16]) == "[-0,0,1,1e+16]")
    }

    @Test func `strings are written like JSONEncoder writes them`() throws {
        for scalar in (0...0x2FF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let value = ["a\(scalar)b", "\(scalar)"]
            let text = try JSONText.write(value)
            #expect(try text == JSONText.encode(value))
            #expect(try JSONText.read([String].self, from: text) == value)
        }
        let map = ["b": "/", "a": "🌍", "é": "1", "e\u{301}x": "2", "B": "3", "a10": "4", "a9": "5"]
        #expect(try JSONText.write(map) == JSONText.encode(map))
    }

    @Test(
        arguments: [
            ("1.0", 1), ("1e2", 100), ("100e-2", 1), ("-0", 0), ("-0.0", 0), ("0e5", 0), ("1E0", 1),
            ("9007199254740993.0", 9_007_199_254_740_993), ("1e18", 1_000_000_000_000_000_000),
            ("0.00000000000000000000000000000000000000001e41", 1),
            ("9223372036854775807.0", .max), ("-9223372036854775808.0", .min),
            ("9223372036854775808", nil), ("1e400", nil), ("1.5", nil), ("1e-1", nil),
            ("-9223372036854775809", nil), ("123456789012345678901234567890e-20", nil),
            ("1e99999999999999999999999999", nil), ("0e99999999999999999999999999", 0),
        ] as [(String, Int?)])
    func `a number is an integer if its exact value is`(text: String, value: Int?) {
        #expect((try? JSONText.read(Int.self, from: Array(text.utf8))) == value)
    }
}
