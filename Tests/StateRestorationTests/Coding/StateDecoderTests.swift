import FoundationEssentials
import StateRestoration
import Testing

@Suite struct StateDecoderTests {
    /// Saves an object with one closure, and restores it with another closure.
    private func roundTrip(
        _ encode: @escaping (StateEncoder) throws -> Void,
        _ decode: @escaping (StateDecoder) throws -> Void
    ) throws {
        let saved = TestObject("nav")
        saved.encoding = encode
        let test = try TestScene.launched(saved)
        test.save()
        let found = TestObject("nav")
        found.decoding = decode
        let next = try TestScene.launched(found, archive: test.archive)
        #expect(next.report.unrestored == [])
        #expect(found.decodings == 1)
    }

    /// Checks a condition. The macro cannot contain a call that throws a typed error.
    private func check(_ isTrue: Bool, _ place: SourceLocation = #_sourceLocation) {
        #expect(isTrue, sourceLocation: place)
    }

    @Test(arguments: [0, 300])
    func `a repeated key decodes as its first value, in any order of reads`(
        earlierReadCount: Int
    ) throws {
        let coders = Coders()
        coders.encoder.encode(1, forKey: "first")
        coders.encoder.encode(2, forKey: "second")
        var bytes = coders.bytes
        coders.encoder.begin()
        coders.encoder.encode(3, forKey: "first")
        bytes += coders.bytes
        for order in [[0, 1], [1, 0], [0, 1, 0], [1, 1, 0, 0]] {
            let decoder = coders.decoder(of: bytes)
            for _ in 0..<earlierReadCount { _ = try decoder.decode(Int.self, forKey: "second") }
            let values = try order.map { index in
                index == 0
                    ? try decoder.decode(Int.self, forKey: "first")
                    : try decoder.decode(Int.self, forKey: "second")
            }
            #expect(values == order.map { $0 + 1 }, "\(order)")
        }
    }

    @Test func `R14: a missing key decodes as nil`() throws {
        try roundTrip { coder in
            coder.encode(1, forKey: "there")
            coder.encode(Int?.none, forKey: "nothing")
        } _: { coder in
            try check(coder.decode(Int.self, forKey: "missing") == nil)
            try check(coder.decode(Int.self, forKey: "nothing") == nil)
            try check(coder.decodeObject(TestObject.self, forKey: "missing") == nil)
            try check(coder.decodeObjects(TestObject.self, forKey: "missing") == nil)
            try check(coder.decodeNamedObjects(TestObject.self, forKey: "missing") == nil)
            try check(coder.decode(Int.self, forKey: "there") == 1)
        }
    }

    @Test
    func `R14: a value of the wrong type is an error that names the object, key and both types`()
        throws
    {
        try roundTrip { coder in
            coder.encode("text", forKey: "key")
        } _: { coder in
            let error = #expect(throws: StateDecodingError.self) {
                try coder.decode(Int.self, forKey: "key")
            }
            #expect(error?.objectPath == "nav")
            #expect(error?.key == "key")
            #expect(error?.cause == .typeMismatch(saved: "String", requested: "Int"))
            #expect(
                error?.description
                    == "nav: \"key\" was saved as String but decoded as Int")
            try check(coder.decode(String.self, forKey: "key") == "text")
        }
    }

    @Test func `R14: values and references cannot be decoded as each other`() throws {
        let nav = TestObject("nav")
        nav.reference = nav
        nav.encoding = { coder in
            coder.encode([1, 2], forKey: "numbers")
            coder.encode(["a": 1], forKey: "named")
        }
        let test = try TestScene.launched(nav)
        test.save()
        nav.reference = nil
        let found = TestObject("nav")
        var causes: [StateDecodingError.Cause] = []
        func note(_ body: () throws(StateDecodingError) -> Void) {
            do { try body() } catch { causes.append(error.cause) }
        }
        found.decoding = { [unowned found] coder in
            found.reference = nil
            note { () throws(StateDecodingError) in
                _ = try coder.decode(Int.self, forKey: "reference")
            }
            note { () throws(StateDecodingError) in
                _ = try coder.decodeObject(TestObject.self, forKey: "numbers")
            }
            note { () throws(StateDecodingError) in
                _ = try coder.decodeObjects(TestObject.self, forKey: "numbers")
            }
            note { () throws(StateDecodingError) in
                _ = try coder.decodeObjects(TestObject.self, forKey: "named")
            }
            note { () throws(StateDecodingError) in
                _ = try coder.decodeNamedObjects(TestObject.self, forKey: "named")
            }
            note { () throws(StateDecodingError) in
                _ = try coder.decodeObject(DerivedObject.self, forKey: "reference")
            }
        }
        _ = try TestScene.launched(found, archive: test.archive)
        #expect(
            causes == [
                .typeMismatch(saved: "reference", requested: "Int"),
                .typeMismatch(saved: "[integer]", requested: "reference"),
                .typeMismatch(saved: "[integer]", requested: "[reference]"),
                .typeMismatch(saved: "[String: integer]", requested: "[reference]"),
                .typeMismatch(saved: "[String: integer]", requested: "[String: reference]"),
                .typeMismatch(saved: "TestObject", requested: "DerivedObject"),
            ])
    }

    @Test func `R14: an integer that does not fit the requested type is an error`() throws {
        try roundTrip { coder in
            coder.encode(300, forKey: "key")
        } _: { coder in
            #expect(throws: StateDecodingError.self) { try coder.decode(UInt8.self, forKey: "key") }
            #expect(throws: StateDecodingError.self) { try coder.decode(Int8.self, forKey: "key") }
            try check(coder.decode(Int16.self, forKey: "key") == 300)
        }
    }

    @Test func `values can be decoded in any order and more than once`() throws {
        let keys: [StaticString] = ["a", "b", "c", "d"]
        try roundTrip { coder in
            for (index, key) in keys.enumerated() { coder.encode(index, forKey: key) }
        } _: { coder in
            for index in [2, 0, 3, 3, 1, 0, 2] {
                try check(coder.decode(Int.self, forKey: keys[index]) == index)
                try check(coder.decode(Int.self, forKey: "value") == nil)
            }
        }
    }

    @Test func `unreadable values are reported as decode-failed`() throws {
        let nav = TestObject("nav", value: 1)
        let test = try TestScene.launched(nav)
        test.save()
        let key = NameTable(test.archive.names).number(for: "value" as String)
        for bytes: [UInt8] in [[UInt8(key)], [UInt8(key), 99], [0x80], [UInt8(key), 4, 9, 1]] {
            try test.archive.replaceValues(at: "nav", with: bytes)
            let next = try TestScene.launched(TestObject("nav"), archive: test.archive)
            #expect(next.unrestored == ["nav: decode-failed"])
            #expect(next.report.unrestored[0].detail.hasPrefix("nav: \"value\" cannot be read: "))
        }
    }

    @Test func `R14: a type mismatch describes both types as precisely as possible`() throws {
        let coders = Coders()
        coders.encoder.encode(["a"], forKey: "texts")
        coders.encoder.encode(["k": [1, 2]], forKey: "lists")
        coders.encoder.encode([Int](), forKey: "none")
        coders.encoder.encode(300, forKey: "number")
        let decoder = coders.decoder()
        func cause(_ body: () throws -> Void) -> StateDecodingError.Cause? {
            #expect(throws: StateDecodingError.self) { try body() }?.cause
        }
        #expect(
            cause { _ = try decoder.decode([Int].self, forKey: "texts") }
                == .typeMismatch(saved: "[String]", requested: "[Int]"))
        #expect(
            cause { _ = try decoder.decode([String: Double].self, forKey: "lists") }
                == .typeMismatch(saved: "[String: [integer]]", requested: "[String: Double]"))
        #expect(
            cause { _ = try decoder.decode(String.self, forKey: "none") }
                == .typeMismatch(saved: "[]", requested: "String"))
        #expect(
            cause { _ = try decoder.decode(UInt8.self, forKey: "number") }
                == .typeMismatch(saved: "integer", requested: "UInt8"))
        #expect(try decoder.decode([String].self, forKey: "none") == [])
    }

    @Test func `keys are found in any order among thousands of keys`() throws {
        let names = NameTable()
        var writer = ValueWriter()
        let keys = Keys.all
        for (index, key) in keys.enumerated() {
            writer.writeVarint(UInt64(names.number(for: key)))
            writer.write(.integer)
            writer.writeZigzag(Int64(index))
        }
        for index in 0..<20_000 {
            writer.writeVarint(UInt64(names.number(for: "other \(index)")))
            writer.write(.true)
        }
        let source = SharedDecoderData(
            names: names, passMetadata: .test, path: { _ in "nav" }, object: { _ in nil })
        let decoder = StateDecoder(
            source, number: RecordNumber(1), SavedValues(writer.bytes[...]))
        for _ in 0..<1000 {
            for (index, key) in keys.enumerated().reversed() {
                let isFound = try decoder.decode(Int.self, forKey: key) == index
                if !isFound { Issue.record("\(key)") }
            }
            let isThere = try decoder.decode(Int.self, forKey: "missing") != nil
            if isThere { Issue.record("a value of a key that is not there") }
        }
    }

    @Test func `invalid bytes hide only the values after them, in whatever order values are read`()
        throws
    {
        let names = NameTable()
        func value(_ index: Int, of key: StaticString) -> [UInt8] {
            var writer = ValueWriter()
            writer.writeVarint(UInt64(names.number(for: key)))
            writer.write(.integer)
            writer.writeZigzag(Int64(index))
            return writer.bytes
        }
        let source = SharedDecoderData(
            names: names, passMetadata: .test, path: { _ in "nav" }, object: { _ in nil })
        let bytes = value(0, of: "a") + value(1, of: "b") + [99, 99] + value(2, of: "c")
        let decoder = StateDecoder(
            source, number: RecordNumber(1),
            SavedValues(bytes[...], outOfLine: [value(3, of: "d")[...]]))
        let keys: [StaticString] = ["a", "b", "c", "d"]
        for index in [1, 0, 3, 2, 0, 1, 3, 0] {
            if index == 2 {
                #expect(throws: StateDecodingError.self) {
                    try decoder.decode(Int.self, forKey: keys[index])
                }
            } else {
                #expect(try decoder.decode(Int.self, forKey: keys[index]) == index)
            }
        }
    }

    @Test func `a value before invalid bytes is found even among many values`() throws {
        let names = NameTable()
        _ = names.number(for: "missing" as StaticString)
        var writer = ValueWriter()
        for index in 0..<1000 {
            writer.writeVarint(UInt64(names.number(for: "other \(index)")))
            writer.write(.true)
        }
        writer.writeVarint(UInt64(names.number(for: "last" as StaticString)))
        writer.write(.true)
        let source = SharedDecoderData(
            names: names, passMetadata: .test, path: { _ in "nav" }, object: { _ in nil })
        let decoder = StateDecoder(
            source, number: RecordNumber(1), SavedValues((writer.bytes + [2, 99])[...]))
        for _ in 0..<3 {
            #expect(try decoder.decode(Bool.self, forKey: "last") == true)
            #expect(throws: StateDecodingError.self) {
                try decoder.decode(Bool.self, forKey: "missing")
            }
        }
    }
}

private enum Keys {
    static let all: [StaticString] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p",
    ]
}
