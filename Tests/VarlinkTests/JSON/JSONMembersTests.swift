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

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0x5C, 0x6E, 0xFF]] as [[UInt8]])
    func `an unknown member whose name is not UTF-8 is refused`(name: [UInt8]) {
        for isStrict in [true, false] {
            let text = Array(#"{"count":1,""#.utf8) + name + Array(#"":2}"#.utf8)
            var reader = JSONReader(text, isStrict: isStrict)
            #expect(throws: JSONReadingError.self) { try reader.readAll(Page.self) }
        }
    }

    @Test(arguments: ["", "c", "coun", "counts", "countcount", "näm", "isOpe"])
    func `a name that only begins like the name of a member is unknown`(name: String) throws {
        let text = #"{"count":1,"\#(name)":2}"#
        #expect(try page(text, isStrict: false) == Page(count: 1))
        #expect(throws: JSONReadingError.invalidParameter(name)) { try page(text, isStrict: true) }
    }

    /// Structure with two required members.
    private struct Pair: JSONReadable {
        private static let names = JSONNames("x", "y", required: [0, 1])

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Pair {
            var members = try reader.beginStructure(names)
            while try reader.nextMember(of: &members) != nil { _ = try reader.read(Int.self) }
            try reader.endStructure(members)
            return Pair()
        }
    }

    @Test(arguments: [("{}", "x"), (#"{"x":1}"#, "y"), (#"{"y":1}"#, "x")])
    func `every required member must be present`(text: String, missing: String) throws {
        #expect(throws: JSONReadingError.invalidParameter(missing)) {
            try JSONText.read(Pair.self, from: Array(text.utf8))
        }
        #expect(throws: Never.self) {
            try JSONText.read(Pair.self, from: Array(#"{"y":1,"x":2}"#.utf8))
        }
    }

    /// Structure with 130 members, whose indexes do not fit into two words.
    private struct Wide: JSONReadable {
        var indexes: [Int] = []

        private static let names = JSONNames(
            "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11", "m12", "m13",
            "m14", "m15", "m16", "m17", "m18", "m19", "m20", "m21", "m22", "m23", "m24", "m25",
            "m26", "m27", "m28", "m29", "m30", "m31", "m32", "m33", "m34", "m35", "m36", "m37",
            "m38", "m39", "m40", "m41", "m42", "m43", "m44", "m45", "m46", "m47", "m48", "m49",
            "m50", "m51", "m52", "m53", "m54", "m55", "m56", "m57", "m58", "m59", "m60", "m61",
            "m62", "m63", "m64", "m65", "m66", "m67", "m68", "m69", "m70", "m71", "m72", "m73",
            "m74", "m75", "m76", "m77", "m78", "m79", "m80", "m81", "m82", "m83", "m84", "m85",
            "m86", "m87", "m88", "m89", "m90", "m91", "m92", "m93", "m94", "m95", "m96", "m97",
            "m98", "m99", "m100", "m101", "m102", "m103", "m104", "m105", "m106", "m107", "m108",
            "m109", "m110", "m111", "m112", "m113", "m114", "m115", "m116", "m117", "m118", "m119",
            "m120", "m121", "m122", "m123", "m124", "m125", "m126", "m127", "m128", "m129",
            required: [64, 129])

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Wide {
            var wide = Wide()
            var members = try reader.beginStructure(names)
            while let index = try reader.nextMember(of: &members) {
                _ = try reader.read(Int.self)
                wide.indexes.append(index)
            }
            try reader.endStructure(members)
            return wide
        }
    }

    private func wideIndexes(_ indexes: [Int]) throws -> [Int] {
        let members = indexes.map { #""m\#($0)":0"# }.joined(separator: ",")
        var reader = JSONReader(Array("{\(members)}".utf8))
        return try reader.readAll(Wide.self).indexes
    }

    @Test(arguments: [0, 1, 62, 63, 64, 65, 126, 127, 128, 129])
    func `the members of a structure with many members are distinguished`(index: Int) throws {
        let others = [64, 129].filter { $0 != index }
        #expect(try wideIndexes([index] + others) == [index] + others)
        #expect(throws: JSONReadingError.invalidParameter("m\(index)")) {
            try wideIndexes([index, index] + others)
        }
    }

    @Test(arguments: [([129], "m64"), ([64], "m129"), ([0, 63, 65, 128, 129], "m64")])
    func `a missing member of a structure with many members is identified`(
        indexes: [Int], missing: String
    ) throws {
        #expect(throws: JSONReadingError.invalidParameter(missing)) { try wideIndexes(indexes) }
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
        #expect(try read(#"{"a":1, "b" : 2 }"#, [String: Int].self) == ["a": 1, "b": 2])
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
