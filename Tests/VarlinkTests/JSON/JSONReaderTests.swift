import Testing

@testable import Varlink

struct JSONReaderTests {
    /// Parses JSON. Fails if skipping the text does not have the same outcome as parsing it.
    private func value(_ bytes: [UInt8]) throws(MessageError) -> JSONValue {
        var value = JSONValue.null
        var fault: MessageError?
        do throws(MessageError) {
            try JSONReadingError.rethrowAsMessageError { () throws(JSONReadingError) in
                var reader = JSONReader(bytes)
                _ = try reader.skipValue()
                guard reader.isAtEnd() else { throw reader.malformedError }
            }
        } catch {
            fault = error
        }
        do throws(MessageError) {
            try JSONReadingError.rethrowAsMessageError { () throws(JSONReadingError) in
                var reader = JSONReader(bytes)
                value = try reader.readValue()
                guard reader.isAtEnd() else { throw reader.malformedError }
            }
            #expect(fault == nil)
        } catch {
            #expect(fault == error)
            throw error
        }
        return value
    }

    @Test(
        arguments: [
            ("null", .null), (" true\t", .bool(true)), ("false\r\n", .bool(false)),
            ("1E-2", .number("1E-2")), ("1e+2", .number("1e+2")),
            (#""\n a\t b""#, .string("\n a\t b")),
            ("0", .number("0")), ("-0", .number("-0")), ("-12.50e+3", .number("-12.50e+3")),
            (#""""#, .string("")), (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{C}\n\r\t")),
            (#""\u00e9\ud83c\udf0d""#, .string("é🌍")), (#""wörld 🌍""#, .string("wörld 🌍")),
            (#""\u0000""#, .string("\0")), ("[]", .array([])),
            ("[1, [2]]", .array([.number("1"), .array([.number("2")])])), ("{ }", .object([])),
            (
                #"{"a":1, "b" : 2 }"#,
                .object([
                    .init(name: "a", value: .number("1")), .init(name: "b", value: .number("2")),
                ])
            ),
            (
                #"{"a":1,"a":{}}"#,
                .object([
                    .init(name: "a", value: .number("1")), .init(name: "a", value: .object([])),
                ])
            ),
        ] as [(String, JSONValue)])
    func `valid JSON is parsed`(text: String, expected: JSONValue) throws {
        #expect(try value(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            "", " ", "nul", "True", "nullx", "01", "+1", "1.", ".5", "1e", "-", "0x1", "NaN", "'a'",
            "\"a", #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud83c""#, #""\ud83c\u0041""#,
            #""\udf0d""#,
            "\"\t\"", "[1,]", "[1 2]", "[", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "1 2", "]", "nulx", "trux", #""\"#, #""\n"#, #""\n a"#, "\"\\n\t\"", #""\u12"#, #""\u"#,
            #""\udf0d\udf0d""#, #""\ud83cu0041""#, #""\ud83c\n0041""#, "[1,", "[1", "[]]",
            #"{"\x":1}"#, #""\ud83c"#, #""\ud83c\"#, #""\ud83cxxdf0d""#, #""\ud83c\ndf0d""#,
            "\u{FEFF}1", "// c\n1",
        ])
    func `invalid JSON is refused`(text: String) {
        #expect(throws: MessageError.self) { try value(Array(text.utf8)) }
    }

    @Test(arguments: [[0xFF], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3]] as [[UInt8]])
    func `a string that is not UTF-8 is refused`(bytes: [UInt8]) {
        #expect(throws: MessageError.notUTF8(offset: 1)) { try value([0x22] + bytes + [0x22]) }
        #expect(throws: MessageError.notUTF8(offset: 1)) {
            try value([0x22, 0x5C, 0x6E] + bytes + [0x22])
        }
    }

    @Test(arguments: [
        ("", 0), ("nul", 3), ("[1", 2), ("[1,x]", 3), ("\"ab", 3), (#""\xab""#, 3), (#""\xab"#, 3),
        (#""\u12"#, 5), (#""\u12g4"#, 5), (#"{"a\xb"#, 5),
    ])
    func `the error for invalid JSON contains the offset at which reading stopped`(
        text: String, offset: Int
    ) {
        #expect(throws: MessageError.notJSON(offset: offset)) { try value(Array(text.utf8)) }
    }

    @Test(arguments: ["[", "{\"a\":"])
    func `nesting depth is limited`(opening: String) throws {
        let deep = String(repeating: opening, count: 1_000_000)
        #expect(throws: MessageError.tooDeep) { try value(Array(deep.utf8)) }
        let limit = JSONReader.maximumDepth
        func nested(_ depth: Int) -> [UInt8] {
            let closing = opening == "[" ? "]" : "}"
            let text =
                String(repeating: opening, count: depth) + "1"
                + String(repeating: closing, count: depth)
            return Array(text.utf8)
        }
        #expect(throws: Never.self) { try value(nested(limit)) }
        #expect(throws: MessageError.tooDeep) { try value(nested(limit + 1)) }
    }

    @Test(arguments: [
        ("[1,2]", true), (#"{"a":[]}"#, true), ("[[[]]]", true), ("[1,2,3]", false),
        (#"{"a":{"b":[]},"c":1}"#, false), ("[[[[]]]]", false),
    ])
    func `the number of values is limited`(text: String, isAllowed: Bool) throws {
        var reader = JSONReader(Array(text.utf8), maximumValues: 3)
        if isAllowed {
            _ = try reader.readValue()
            let isAtEnd = reader.isAtEnd()
            #expect(isAtEnd)
        } else {
            #expect(throws: JSONReadingError.message(.tooManyValues(limit: 3))) {
                try reader.readValue()
            }
        }
    }

    @Test func `only text that is exactly one JSON value is parsed`() {
        #expect(JSONValue(parsing: " [1] ") == .array([.number("1")]))
        #expect(JSONValue(parsing: "[1] 2") == nil)
        #expect(JSONValue(parsing: "[1") == nil)
    }

    @Test(arguments: [
        "", "/usr", "\"\\", "\u{0}\u{1f}\n", "\u{F}\u{10}\u{11} ", "wörld 🌍",
    ])
    func `a written string can be read back`(text: String) throws {
        #expect(try value(Array(JSONText.stringLiteral(text).utf8)) == .string(text))
    }

    @Test func `a written value can be read back`() throws {
        let text = #"{"a":[1,null,true,false,"x"],"b":{},"a":-1.5e3}"#
        let bytes = Array(JSONText.text(try value(Array(text.utf8))).utf8)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test func `slashes and non-ASCII characters are not escaped, and keys are sorted`() throws {
        let bytes = try JSONText.encode(["b": "/é", "a": "🌍"])
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"🌍","b":"/é"}"#)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func `a value that exceeds both limits is reported for its number of values`(opening: String) {
        let limit = JSONReader.maximumDepth
        let bytes = Array(String(repeating: opening, count: limit + 1).utf8)
        let expected = JSONReadingError.message(.tooManyValues(limit: limit))
        var reader = JSONReader(bytes, maximumValues: limit)
        #expect(throws: expected) { try reader.skipValue() }
        reader = JSONReader(bytes, maximumValues: limit)
        #expect(throws: expected) { try reader.readValue() }
    }
}
