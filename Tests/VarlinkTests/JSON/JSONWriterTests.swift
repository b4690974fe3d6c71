import Testing

@testable import Varlink

/// Writing of JSON by generated types.
@Suite struct JSONWriterTests {
    private func text(_ value: some JSONWritable) throws -> String {
        String(decoding: try JSONText.write(value), as: UTF8.self)
    }

    @Test func `quotes, backslashes and control characters are escaped`() throws {
        for (value, expected) in [
            ("", ""), ("a b", "a b"), ("/", "/"), ("é日😀\u{7F}", "é日😀\u{7F}"), ("\"", #"\""#),
            ("\\", #"\\"#), ("\u{8}\t\n\u{C}\r", #"\b\t\n\f\r"#),
            ("\0\u{1}\u{9}\u{A}\u{B}\u{F}", #"\u0000\u0001\t\n\u000b\u000f"#),
            ("\u{10}\u{19}\u{1A}\u{1F} ", #"\u0010\u0019\u001a\u001f "#),
            ("a\"b\\c\nd", #"a\"b\\c\nd"#), ("\n\n", #"\n\n"#),
        ] {
            #expect(try text(value) == "\"\(expected)\"")
            #expect(try JSONText.read(String.self, from: JSONText.write(value)) == value)
        }
    }

    @Test func `numbers are written in their shortest form`() throws {
        for (value, expected) in [
            (0, "0"), (9, "9"), (10, "10"), (-1, "-1"), (-9, "-9"), (123, "123"),
            (Int64.max, "9223372036854775807"), (.min, "-9223372036854775808"),
        ] {
            #expect(try text(value) == expected)
        }
        #expect(try text(7) == "7")
        for (value, expected) in [
            (0.0, "0"), (-0.0, "-0"), (2, "2"), (-10, "-10"), (0.5, "0.5"), (100.25, "100.25"),
            (1e300, "1e+300"), (1.5e-9, "1.5e-09"),
        ] {
            #expect(try text(value) == expected)
        }
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: JSONWritingError()) { try JSONText.write([1, value, 2]) }
        }
    }

    @Test func `elements and members are separated by commas, and keys are sorted`() throws {
        #expect(try text([Int]()) == "[]")
        #expect(try text([1, 2, 3]) == "[1,2,3]")
        #expect(try text([[1], [], [2, 3]]) == "[[1],[],[2,3]]")
        #expect(try text([String: Int]()) == "{}")
        #expect(try text(["b": 1, "a": 2, "a\n": 3]) == #"{"a":2,"a\n":3,"b":1}"#)
        #expect(try text([true, false, nil]) == "[true,false,null]")
        #expect(try text(Empty()) == "{}")
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("none", Int?.none)
        writer.member("first", 1)
        writer.member("second", "x")
        writer.member("third", Int?.some(3))
        writer.endObject()
        #expect(
            String(decoding: try writer.finish(), as: UTF8.self)
                == #"{"first":1,"second":"x","third":3}"#)
    }

    @Test func `a raw value holds any valid JSON except null`() throws {
        for text in ["{}", "[1]", " 7", "\"x\"", "false"] {
            let value = try RawJSON(Array(text.utf8))
            #expect(try self.text(value) == text.drop { $0 == " " })
        }
        for text in ["null", "", "{", "1 2", "x"] {
            #expect(throws: JSONReadingError.self) { try RawJSON(Array(text.utf8)) }
        }
        #expect(try RawJSON([1, 2]).bytes == Array("[1,2]".utf8))
        #expect(RawJSON().bytes == Array("{}".utf8))
        // A client accepts null.
        #expect(
            try JSONText.read(RawJSON.self, from: Array("null".utf8)).bytes == Array("null".utf8))
        var strict = JSONReader(Array("[7]".utf8))
        #expect(try strict.readAll([RawJSON].self).map(\.bytes) == [Array("7".utf8)])
        #expect(throws: JSONWritingError()) { try RawJSON(Double.nan) }
    }
}
