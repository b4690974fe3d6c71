import FoundationEssentials
import TestSupport
import Testing

@testable import StateRestoration

@Suite struct StateValueTests {
    private func bytes(_ value: some StateValue) -> [UInt8] {
        var writer = StateValueWriter()
        value.write(to: &writer)
        return writer.writer.bytes
    }

    private func roundTrip<Kind: StateValue & Equatable>(_ value: Kind) throws {
        let bytes = bytes(value)
        var reader = StateValueReader(reader: ValueReader(bytes[...]))
        #expect(try Kind.read(from: &reader) == value)
        #expect(reader.reader.isAtEnd)
        var skipper = ValueReader(bytes[...])
        try skipper.skipValue()
        #expect(skipper.isAtEnd)
        for end in bytes.indices {
            var torn = StateValueReader(reader: ValueReader(bytes[..<end]))
            #expect(throws: ValueError.self) { try Kind.read(from: &torn) }
            var tornSkipper = ValueReader(bytes[..<end])
            #expect(throws: ValueError.self) { try tornSkipper.skipValue() }
        }
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: stored values are equal only if their bytes are equal`(one: String, other: String) {
        let makers: [(String) -> StoredValue] = [
            { .string($0) }, { .url($0) }, { .codable($0) }, { .array([.null, .string($0)]) },
            { .dictionary(["a": .string($0)]) }, { .dictionary([$0: .bool(true)]) },
            { .reference(RestorationPath([RestorationIdentifier(recorded: $0)])) },
        ]
        for make in makers {
            #expect(make(one) == make(one))
            #expect(make(one) != make(other))
        }
        #expect(StoredValue.double(0) != .double(-0.0))
        #expect(StoredValue.date(0) != .date(-0.0))
        #expect(StoredValue.double(.nan) == .double(.nan))
        #expect(StoredValue.double(0) != .date(0))
        #expect(StoredValue.string(one) != .url(one))
    }

    @Test func `P9: Booleans and integers are restored`() throws {
        try roundTrip(true)
        try roundTrip(false)
        for value in [0, 1, -1, 63, 64, -64, -65, .max, .min] { try roundTrip(value) }
        try roundTrip(Int8.min)
        try roundTrip(Int16.max)
        try roundTrip(Int32.min)
        try roundTrip(Int64.max)
        try roundTrip(UInt8.max)
        try roundTrip(UInt16.max)
        try roundTrip(UInt32.max)
        for value in [UInt64.min, UInt64(Int64.max), UInt64(Int64.max) + 1, .max] {
            try roundTrip(value)
        }
        try roundTrip(UInt.max)
    }

    @Test func `P9: only integers above Int64.max are stored in the unsigned form`() throws {
        #expect(bytes(UInt64(Int64.max)) == bytes(Int64.max))
        #expect(bytes(UInt64(Int64.max) + 1).first == ValueTag.unsigned.rawValue)
        var reader = StateValueReader(reader: ValueReader(bytes(UInt64.max)[...]))
        #expect(try Int64.read(from: &reader) == nil)
        var small = StateValueReader(reader: ValueReader([ValueTag.unsigned.rawValue, 7]))
        #expect(try Int8.read(from: &small) == 7)
        var negative = StateValueReader(reader: ValueReader(bytes(-1)[...]))
        #expect(try UInt64.read(from: &negative) == nil)
    }

    @Test func `P9: floating-point numbers are restored exactly`() throws {
        for value in [0.0, -0.0, 1.5, .pi, .infinity, -.infinity, .leastNonzeroMagnitude] {
            try roundTrip(value)
        }
        var reader = StateValueReader(reader: ValueReader(bytes(Double.nan)[...]))
        #expect(try Double.read(from: &reader)?.isNaN == true)
        var zero = StateValueReader(reader: ValueReader(bytes(-0.0)[...]))
        #expect(try Double.read(from: &zero)?.sign == .minus)
    }

    @Test func `P9: a number decodes as Float only if no precision is lost`() throws {
        for value in [0, -0.0, 1.5, .pi, .infinity, -.infinity, .leastNonzeroMagnitude] as [Float] {
            try roundTrip(value)
            #expect(bytes(value) == bytes(Double(value)))
        }
        func read(_ value: Double) throws -> Float? {
            var reader = StateValueReader(reader: ValueReader(bytes(value)[...]))
            return try Float.read(from: &reader)
        }
        #expect(try read(.nan)?.isNaN == true)
        #expect(try read(0.1) == nil)
        #expect(try read(1e300) == nil)
        #expect(try read(16_777_217) == nil)
    }

    @Test func `P9: strings, data, dates and UUIDs are restored`() throws {
        for text in ["", "hello", "wörld 🌍", "e\u{301}", "\u{0}", "👩‍👩‍👧"] { try roundTrip(text) }
        try roundTrip(Data())
        try roundTrip(Data(0...255))
        try roundTrip(Date(timeIntervalSinceReferenceDate: -1_234_567.875))
        try roundTrip(UUID())
    }

    @Test func `P9: URLs and index paths are restored`() throws {
        for text in ["https://example.org/a?b=c#d", "file:///etc/hosts", "a/b", "mailto:a@b.c"] {
            try roundTrip(try #require(URL(string: text)))
        }
        let base = try #require(URL(string: "https://example.org/a/"))
        let relative = try #require(URL(string: "b", relativeTo: base))
        var reader = StateValueReader(reader: ValueReader(bytes(relative)[...]))
        #expect(try URL.read(from: &reader)?.absoluteString == "https://example.org/a/b")
        for indexes in [[], [0], [3, 1], [1, 2, 3, .max]] {
            try roundTrip(IndexPath(indexes: indexes))
        }
    }

    @Test func `P9: decoding an invalid saved URL is an error`() throws {
        #expect(URL(string: "http://[") == nil)
        let text = Array("http://[".utf8)
        let bytes = [ValueTag.url.rawValue, UInt8(text.count)] + text
        var reader = StateValueReader(reader: ValueReader(bytes[...]))
        #expect(throws: ValueError.invalidURL) { try URL.read(from: &reader) }
    }

    @Test func `P9: ranges, arrays and dictionaries are restored`() throws {
        try roundTrip(0..<0)
        try roundTrip(-5..<7)
        try roundTrip(Int.min..<Int.max)
        try roundTrip(0...0)
        try roundTrip(Int.min...Int.max)
        try roundTrip([Int]())
        try roundTrip([[1, 2], [], [3]])
        try roundTrip(["a": ["x": "1"], "b": [:]])
        try roundTrip([String: [Int]]())
    }

    @Test func `a string is restored byte for byte`() throws {
        let text = "e\u{301}"
        var reader = StateValueReader(reader: ValueReader(bytes(text)[...]))
        #expect(Array(try #require(try String.read(from: &reader)).utf8) == Array(text.utf8))
    }

    @Test func `equal dictionaries have equal bytes`() {
        let keys = (0..<50).map { "key\($0)" }
        let one = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
        let two = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, 1) })
        #expect(bytes(one) == bytes(two))
    }

    @Test func `an element of the wrong type makes the whole collection a type mismatch`() throws {
        var reader = StateValueReader(reader: ValueReader(bytes(["a"])[...]))
        #expect(try [Int].read(from: &reader) == nil)
        var pairs = StateValueReader(reader: ValueReader(bytes(["a": true])[...]))
        #expect(try [String: Int].read(from: &pairs) == nil)
    }

    @Test func `a value can be read without knowing its type`() throws {
        func shown(_ value: some StateValue) throws -> StoredValue {
            var reader = ValueReader(bytes(value)[...])
            return try StoredValue(reading: &reader) { _ in nil }
        }
        let uuid = UUID()
        #expect(try shown(true) == .bool(true))
        #expect(try shown(-3) == .integer(-3))
        #expect(try shown(1.5) == .double(1.5))
        #expect(try shown("x") == .string("x"))
        #expect(try shown(Data([1, 2])) == .data([1, 2]))
        #expect(try shown(Date(timeIntervalSinceReferenceDate: 2)) == .date(2))
        #expect(try shown(uuid) == .uuid(withUnsafeBytes(of: uuid.uuid) { Array($0) }))
        #expect(try shown(UInt64.max) == .unsigned(.max))
        #expect(try shown(Float(0.5)) == .double(0.5))
        let url = try #require(URL(string: "file:///a"))
        #expect(try shown(url) == .url("file:///a"))
        #expect(try shown(IndexPath(indexes: [1, 0])) == .indexPath([1, 0]))
        #expect(try shown(2..<5) == .range(2..<5))
        #expect(try shown(2...5) == .closedRange(2...5))
        #expect(try shown([1, 2]) == .array([.integer(1), .integer(2)]))
        #expect(try shown(["a": false]) == .dictionary(["a": .bool(false)]))
    }
}
