import FoundationEssentials
import StateRestoration
import Testing

@Suite struct StateEncoderTests {
    @Test func `P3: equal keys in different objects never collide`() throws {
        let first = TestObject("first", value: 1)
        let second = TestObject("second", value: 2)
        for object in [first, second] {
            object.encoding = { coder in
                coder.encode("text of \(object.label)", forKey: "text")
                coder.encode([object.label: object.value ?? 0], forKey: "counts")
            }
        }
        let test = try TestScene.launched(TestObject("nav", [first, second]))
        #expect(test.save()?.diagnostics == [])
        var texts: [String?] = []
        let found = [TestObject("first"), TestObject("second")]
        for object in found {
            object.decoding = { texts.append(try $0.decode(String.self, forKey: "text")) }
        }
        let next = try TestScene.launched(TestObject("nav", found), archive: test.archive)
        #expect(next.report.unrestored == [])
        #expect(found.map(\.value) == [1, 2])
        #expect(texts == ["text of first", "text of second"])
    }

    @Test func `P8: references can appear next to values, in arrays and in dictionaries`() throws {
        let child = TestObject("child", value: 1)
        let orphan = TestObject("orphan", value: 2)
        let root = TestObject("nav", [child])
        root.encoding = { coder in
            coder.encode([child, orphan, child], forKey: "array")
            coder.encode(["a": child, "b": orphan], forKey: "named")
            coder.encode(["a", "b"], forKey: "names")
            coder.encode(orphan, forKey: "orphan")
        }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics == [])
        #expect(orphan.encodings == 1)
        #expect(test.archive.paths == ["nav", "nav/child", "orphan"])
        let next = TestObject("nav", [TestObject("child")])
        next.decoding = { [unowned next] coder in
            let array = try coder.decodeObjects(TestObject.self, forKey: "array")
            #expect(array?.map { $0 === next.children[0] } == [true, false, true])
            let named = try coder.decodeNamedObjects(TestObject.self, forKey: "named")
            #expect(named?.keys.sorted() == ["a", "b"])
            #expect(named?["a"] ?? nil === next.children[0])
            #expect(try coder.decode([String].self, forKey: "names") == ["a", "b"])
        }
        let restored = try TestScene.launched(next, archive: test.archive)
        #expect(next.decodings == 1)
        #expect(restored.unrestored == ["orphan: no-object"])
    }

    @Test func `P9: if a key is encoded twice, the first value is saved`() throws {
        let coders = Coders()
        coders.encoder.encode(1, forKey: "a")
        coders.encoder.encode("second", forKey: "a")
        coders.encoder.encode(2, forKey: "b")
        #expect(coders.problems == [.init("a", .keyWrittenTwice)])
        #expect(try coders.values() == ["a": .integer(1), "b": .integer(2)])
    }

    @Test func `P9: a key that begins with @ is refused`() throws {
        let coders = Coders()
        coders.encoder.encode(1, forKey: "@bundleVersion")
        coders.encoder.encode(1, forKey: "@")
        coders.encoder.encode(2, forKey: "a@b")
        coders.encoder.encode(3, forKey: "")
        #expect(
            coders.problems == [
                .init("@bundleVersion", .reservedKey), .init("@", .reservedKey),
            ])
        #expect(try coders.values() == ["a@b": .integer(2), "": .integer(3)])
    }

    @Test func `P9: a value above the limit is omitted, and a value at the limit is saved`() throws
    {
        let coders = Coders(limits: ValueLimits(warningBytes: 50, maximumBytes: 100))
        // The value consists of a tag, a count of one byte, and the text.
        coders.encoder.encode(String(repeating: "a", count: 98), forKey: "at the limit")
        coders.encoder.encode(String(repeating: "b", count: 99), forKey: "above")
        coders.encoder.encode(Array(repeating: 7, count: 50), forKey: "array")
        coders.encoder.encode(Array(repeating: Int?.some(7), count: 60), forKey: "codable")
        coders.encoder.encode("after", forKey: "after")
        #expect(
            coders.problems == [
                .init("above", .tooLarge(bytes: 101, limit: 100)),
                .init("array", .tooLarge(bytes: 102, limit: 100)),
                .init("codable", .tooLarge(bytes: 123, limit: 100)),
            ])
        #expect(try coders.values().keys.sorted() == ["after", "at the limit"])
        coders.encoder.encode("shorter", forKey: "above")
        #expect(try coders.values()["above"] == .string("shorter"))
    }

    @Test func `P9: a value above the warning size is saved and reported`() throws {
        let coders = Coders(limits: ValueLimits(warningBytes: 50, maximumBytes: 100))
        coders.encoder.encode(Data(count: 48), forKey: "small")
        coders.encoder.encode(Data(count: 49), forKey: "large")
        #expect(coders.problems == [])
        #expect(
            coders.encoder.diagnostics { "nav" }.map(\.description) == [
                "nav: \"large\" takes 51 bytes, all of which are written whenever it changes: store large data in the "
                    + "elements of a collection, or in a document"
            ])
        #expect(try coders.values().keys.sorted() == ["large", "small"])
    }

    @Test
    func `P9: by default, values above 1 MiB are reported and values above 16 MiB are refused`()
        throws
    {
        let page = TestObject("page")
        page.encoding = { coder in
            coder.encode(Data(count: 1 << 20), forKey: "large")
            coder.encode(Data(count: 16 << 20), forKey: "too large")
        }
        let test = try TestScene.launched(page)
        let output = try #require(test.save())
        #expect(
            output.sentences == [
                "page: \"too large\" is not saved: it takes 16777221 bytes, "
                    + "and the limit is 16777216\(StateEncodingError.sizeRemedy)",
                "page: \"large\" takes 1048580 bytes, all of which are written whenever it changes: store large data "
                    + "in the elements of a collection, or in a document",
            ])
        #expect(output.values.count < 2 << 20)
        #expect(try test.archive.values(at: "page").keys.sorted() == ["large"])
    }

    @Test func `P9: a refused value leaves no bytes behind`() throws {
        let coders = Coders(limits: ValueLimits(warningBytes: 5, maximumBytes: 10))
        coders.encoder.encode(1, forKey: "a")
        let before = coders.bytes
        coders.encoder.encode("a text that is too long", forKey: "b")
        coders.encoder.encode(2, forKey: "a")
        coders.encoder.encode(2, forKey: "@a")
        coders.encoder.encode(TestObject(nil), forKey: "c")
        #expect(coders.bytes == before)
        #expect(coders.problems.count == 4)
    }

    @Test func `each object starts without the keys and problems of the previous object`() throws {
        let coders = Coders()
        coders.encoder.encode(1, forKey: "a")
        coders.encoder.encode(1, forKey: "a")
        coders.encoder.begin()
        coders.encoder.encode(2, forKey: "a")
        #expect(coders.problems == [])
        #expect(try coders.values() == ["a": .integer(2)])
    }

    @Test func `keys excluded from the history are recorded separately for each object`() throws {
        let first = TestObject("first")
        first.encoding = {
            $0.encode(1, forKey: "count")
            $0.excludeFromHistory(forKey: "count")
        }
        let test = try TestScene.launched(
            TestObject("nav", [first, TestObject("second", value: 2)]))
        test.save()
        #expect(try test.archive.values(at: "nav/first").count == 2)
        #expect(try test.archive.values(at: "nav/second") == ["value": .integer(2)])
    }

    @Test func `an object that fails to encode does not affect the next object`() throws {
        let first = TestObject("first")
        first.encoding = {
            $0.encode(String(repeating: "x", count: 10_000), forKey: "large")
            $0.encode(1, forKey: "count")
            $0.excludeFromHistory(forKey: "count")
            throw Refusal()
        }
        let second = TestObject("second", value: 2)
        second.encoding = { $0.encode(3, forKey: "count") }
        let test = try TestScene.launched(TestObject("nav", [first, second]))
        test.save()
        #expect(
            try test.archive.values(at: "nav/second")
                == ["value": .integer(2), "count": .integer(3)])
    }
}
