import Testing

@testable import Varlink

/// Reading of JSON by generated types.
@Suite struct JSONMembersTests {
    /// Structure with two optional members and one required member.
    private struct Page: JSONReadable, Equatable {
        var name: String?
        var count = 0
        var isOpen: Bool?

        private static let names = JSONNames("count", "isOpen", "näme", required: [0])

        init(name: String? = nil, count: Int = 0, isOpen: Bool? = nil) {
            (self.name, self.count, self.isOpen) = (name, count, isOpen)
        }

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Page {
            var page = Page()
            var members = try reader.beginStructure(names)
            while let member = try reader.nextMember(of: &members) {
                switch member {
                case 0: page.count = try reader.read(Int.self)
                case 1: page.isOpen = try reader.read(Bool?.self)
                default: page.name = try reader.read(String?.self)
                }
            }
            try reader.endStructure(members)
            return page
        }
    }

    private func page(_ text: String, isStrict: Bool) throws -> Page {
        var reader = JSONReader(Array(text.utf8), isStrict: isStrict)
        return try reader.readAll(Page.self)
    }

    @Test(
        arguments: [
            (#"{"count":1}"#, 1, nil, nil), (#" { "count" : 1 } "#, 1, nil, nil),
            (#"{"isOpen":true,"count":2}"#, 2, true, nil),
            (#"{"count":2,"isOpen":null,"n\u00e4me":"x"}"#, 2, nil, "x"),
            (#"{"n\u00e4me":null,"c\u006funt":3,"isOpen":false}"#, 3, false, nil),
        ] as [(String, Int, Bool?, String?)])
    func `members are read in any order`(text: String, count: Int, isOpen: Bool?, name: String?)
        throws
    {
        for isStrict in [true, false] {
            #expect(
                try page(text, isStrict: isStrict) == Page(name: name, count: count, isOpen: isOpen)
            )
        }
    }

    @Test(arguments: [
        (#"{"count":1,"other":{"a":[1,{"count":9}]},"isOpen":true}"#, 1, "other"),
        (#"{"other":1,"count":1}"#, 1, "other"), (#"{"count":1,"count":2}"#, 2, "count"),
        (#"{"oth\u0065r":1,"count":4}"#, 4, "other"),
    ])
    func `unknown and repeated members are errors only for a server`(
        text: String, count: Int, name: String
    ) throws {
        #expect(try page(text, isStrict: false).count == count)
        #expect(throws: JSONReadingError.invalidParameter(name)) { try page(text, isStrict: true) }
    }

    @Test(arguments: [
        (#"{}"#, "count"), (#"{"isOpen":true}"#, "count"), (#"{"count":"x"}"#, "count"),
        (#"{"count":1.5}"#, "count"), (#"{"count":null}"#, "count"), (#"{"count":{}}"#, "count"),
        (#"{"count":1,"isOpen":1}"#, "isOpen"), (#"{"count":1,"isOpen":"true"}"#, "isOpen"),
        (#"{"count":1,"näme":1}"#, "näme"), (#"{"count":1,"näme":["x"]}"#, "näme"),
        ("[]", ""), ("7", ""), ("null", ""),
    ])
    func `a missing or mistyped member is identified`(text: String, name: String) {
        for isStrict in [true, false] {
            #expect(throws: JSONReadingError.invalidParameter(name)) {
                try page(text, isStrict: isStrict)
            }
        }
    }

    @Test(arguments: [
        "", "{", #"{"count"}"#, #"{"count" 1}"#, #"{"count":}"#, #"{"count":1"#, #"{"count":1,}"#,
        #"{,"count":1}"#, #"{"count":1 "isOpen":true}"#, #"{"count":1}}"#, #"{"count":1} x"#,
        #"{"isOpen":tru,"count":1}"#, #"{"isOpen":fals,"count":1}"#, #"{"isOpen":trux,"count":1}"#,
        #"{"isOpen":falsy,"count":1}"#,
        #"{"isOpen":nul,"count":1}"#, #"{"isOpen":nulx,"count":1}"#, #"{count:1}"#, #"{"count":-}"#,
        #"{"count":1,"x":tru}"#, #"{"count":1,"x":fals}"#, #"{"count":1,"x":[}"#,
    ])
    func `text that is not JSON is refused`(text: String) {
        for isStrict in [true, false] {
            #expect(throws: JSONReadingError.self) { try page(text, isStrict: isStrict) }
        }
    }

    @Test func `arrays and maps are read with their elements`() throws {
        func read<Value: JSONReadable>(_ text: String, _ type: Value.Type) throws -> Value {
            try JSONText.read(type, from: Array(text.utf8))
        }
        #expect(try read("[ ]", [Int].self) == [])
        #expect(try read("[1, 2 ,3]", [Int].self) == [1, 2, 3])
        #expect(try read("[[1],[],[2,3]]", [[Int]].self) == [[1], [], [2, 3]])
        #expect(try read("{ }", [String: Int].self) == [:])
        #expect(try read(#"{"a":1,"b\n":2,"a":3}"#, [String: Int].self) == ["a": 1, "b\n": 2])
        #expect(try read("[null,1]", [Int?].self) == [nil, 1])
        #expect(try read("[1e2,1.0,-0.0]", [Int].self) == [100, 1, 0])
        #expect(try read("[0.5,1e-2]", [Double].self) == [0.5, 0.01])
        #expect(try read("0", Double.self) == 0)
        #expect(try read("0e5", Double.self) == 0)
        for text in ["[1 2]", "[1,]", "[,1]", "[1", "1", "{}", "[\"1\"]", "[1e400]", "[1]]"] {
            #expect(throws: JSONReadingError.self) { try read(text, [Double].self) }
        }
        for text in [#"{"a":1 "b":2}"#, #"{"a" 1}"#, #"{1:1}"#, "[]", #"{"a":1,}"#, #"{"a":1"#] {
            #expect(throws: JSONReadingError.self) { try read(text, [String: Int].self) }
        }
        #expect(throws: JSONReadingError.self) { try read("1e-400", Double.self) }
    }

    @Test func `nested values have a maximum depth`() throws {
        func text(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array(
                (String(repeating: open, count: depth) + "1"
                    + String(repeating: close, count: depth)).utf8)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let maximumDepth = JSONReader.maximumDepth
            var reader = JSONReader(text(maximumDepth, open, close))
            #expect(throws: Never.self) { try reader.readAll(RawJSON.self) }
            reader = JSONReader(text(maximumDepth + 1, open, close))
            #expect(throws: JSONReadingError.self) { try reader.readAll(RawJSON.self) }
        }
    }

    /// Nested arrays and maps of any depth.
    private indirect enum Nest: JSONReadable {
        case end
        case inner([Nest])
        case map([String: Nest])

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Nest {
            switch reader.peek() {
            case UInt8(ascii: "["): .inner(try reader.read([Nest].self))
            case UInt8(ascii: "{"): .map(try reader.read([String: Nest].self))
            default: try reader.consumeNull() ? .end : .end
            }
        }
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `typed values have a maximum depth but no maximum number`(
        open: String, close: String
    ) throws {
        func read(_ depth: Int) throws {
            let text =
                String(repeating: open, count: depth) + "null"
                + String(repeating: close, count: depth)
            _ = try JSONText.read(Nest.self, from: Array(text.utf8))
        }
        #expect(throws: Never.self) { try read(JSONReader.maximumDepth) }
        #expect(throws: JSONReadingError.self) { try read(JSONReader.maximumDepth + 1) }
        let siblings = "[" + Array(repeating: "[[]]", count: 300).joined(separator: ",") + "]"
        #expect(throws: Never.self) { try JSONText.read(Nest.self, from: Array(siblings.utf8)) }
        let maps = "[" + Array(repeating: #"{"a":{}}"#, count: 300).joined(separator: ",") + "]"
        #expect(throws: Never.self) { try JSONText.read(Nest.self, from: Array(maps.utf8)) }
    }

    @Test func `a name that is not expected is refused`() throws {
        let names = JSONNames("first", "zwöi")
        for (text, index) in [
            (#""first""#, 0), (#""zwöi""#, 1), (#""zw\u00f6i""#, 1), (#""f\u0069rst""#, 0),
        ] {
            var reader = JSONReader(Array(text.utf8))
            #expect(try reader.name(names) == index)
        }
        for text in [#""third""#, #""th\u0069rd""#, "1", "first", #""fir"#] {
            var reader = JSONReader(Array(text.utf8))
            #expect(throws: JSONReadingError.self) { try reader.name(names) }
        }
        #expect(names.index(of: "zwöi") == 1)
        #expect(names.index(of: "firs") == nil)
    }

    @Test func `the number of untyped values is limited`() throws {
        func skip(_ text: String, _ maximum: Int) throws {
            var reader = JSONReader(Array(text.utf8), maximumValues: maximum)
            _ = try reader.readAll(RawJSON.self)
        }
        for (text, count) in [
            ("[]", 1), ("{}", 1), ("[1,2]", 3), (#"{"a":1,"b":[2]}"#, 4), (#"["x","y"]"#, 3),
        ] {
            #expect(throws: Never.self) { try skip(text, count) }
            #expect(throws: JSONReadingError.self) { try skip(text, count - 1) }
            var reader = JSONReader(Array(text.utf8), maximumValues: count)
            #expect(throws: Never.self) { try reader.readValue() }
            reader = JSONReader(Array(text.utf8), maximumValues: count - 1)
            #expect(throws: JSONReadingError.self) { try reader.readValue() }
        }
    }

    @Test func `an empty structure has no members`() throws {
        var reader = JSONReader(Array("{ }".utf8))
        #expect(try reader.readAll(Empty.self) == Empty())
        reader = JSONReader(Array(#"{"a":1}"#.utf8))
        #expect(throws: JSONReadingError.invalidParameter("a")) { try reader.readAll(Empty.self) }
        #expect(try JSONText.read(Empty.self, from: Array(#"{"a":1,"b":{}}"#.utf8)) == Empty())
    }
}
