import StateRecords
import Testing

@testable import StateRestoration

/// The previously saved value is kept when a new value cannot be saved.
@Suite struct RefusedValueTests {
    /// Returns an object that encodes a text between two other values, and fails to encode a `Codable` value.
    private func page(_ text: String) -> TestObject {
        let page = TestObject("page", value: 1)
        encode(text, in: page)
        return page
    }

    private func encode(_ text: String, in page: TestObject) {
        page.encoding = { coder in
            coder.encode(text, forKey: "text")
            coder.encode(7, forKey: "after")
        }
        page.invalidateRestorableState()
    }

    private func limit(_ test: TestScene, to maximum: Int) {
        test.scene.limits = ValueLimits(maximumBytes: maximum)
    }

    @Test func `P9: if a value is refused, the last saved value is kept and nothing is written`()
        throws
    {
        let page = page("short")
        let test = try TestScene.launched(page)
        limit(test, to: 16)
        test.save()
        let saved = try test.archive.record(at: "page")
        encode("much longer than that", in: page)
        let output = try #require(test.save())
        #expect(output.objects.isEmpty)
        #expect(
            output.sentences == [
                "page: \"text\" is not saved: it takes 23 bytes, and the limit is 16"
                    + "\(StateEncodingError.sizeRemedy); "
                    + "the previously saved value is retained"
            ])
        #expect(output.diagnostics.contains { $0.isLoss })
        #expect(try test.archive.record(at: "page").values == saved.values)
        #expect(test.save(isFull: true)?.isEmpty == true)
        // Other values are saved, together with the earlier value.
        page.change(to: 2)
        test.save()
        #expect(
            try test.archive.values(at: "page") == [
                "value": .integer(2), "text": .string("short"), "after": .integer(7),
            ])
        encode("other", in: page)
        #expect(test.save()?.diagnostics == [])
        #expect(try test.archive.values(at: "page")["text"] == .string("other"))
    }

    @Test func `P9: the last saved value is kept even after a restart with a lower limit`() throws {
        let first = try TestScene.launched(page("as long as it was"))
        first.save()
        let page = page("as long as it was")
        let second = TestScene(TestDelegate(page), archive: first.archive, reason: .restore)
        limit(second, to: 16)
        try second.launch()
        let output = try #require(second.save())
        #expect(output.objects.isEmpty)
        #expect(output.sentences.count == 1)
        #expect(try first.archive.values(at: "page")["text"] == .string("as long as it was"))
        #expect(second.save(isFull: true)?.isEmpty == true)
        page.change(to: 3)
        second.save()
        #expect(
            try first.archive.values(at: "page") == [
                "value": .integer(3), "text": .string("as long as it was"), "after": .integer(7),
            ])
    }

    @Test func `P9: if a large value is refused, the last saved large value is kept`() throws {
        let large = String(repeating: "x", count: 6000)
        let page = page(large)
        let test = try TestScene.launched(page)
        limit(test, to: 7000)
        test.save()
        let saved = try test.archive.record(at: "page")
        #expect(saved.outOfLine.count == 1)
        encode(String(repeating: "y", count: 8000), in: page)
        #expect(test.save()?.objects.isEmpty == true)
        page.change(to: 2)
        test.save()
        #expect(try test.archive.record(at: "page").outOfLine == saved.outOfLine)
        #expect(try test.archive.values(at: "page")["text"] == .string(large))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P9: if a value is unencodable or nested too deep, the last saved value is kept`()
        throws
    {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(page)
        page.encoding = {
            $0.encode(["a"], forKey: "deep")
            $0.encode("text", forKey: "codable")
        }
        test.save()
        page.encoding = { coder in
            nest(7, below: ValueReader.maximumDepth + 1, coder)
            coder.encode(Unencodable(), forKey: "codable")
        }
        page.change(to: 2)
        let output = try #require(test.save())
        #expect(
            output.sentences.allSatisfy { $0.hasSuffix("; the previously saved value is retained") }
        )
        #expect(output.sentences.count == 2)
        #expect(
            try test.archive.values(at: "page") == [
                "value": .integer(2), "deep": .array([.string("a")]), "codable": .string("text"),
            ])
    }

    @Test
    func `P9: if an application-level value is refused, the last saved value survives a restart`()
        throws
    {
        let root = TestObject("nav")
        func launched(_ text: String, _ archive: MemoryArchive) throws -> TestScene {
            let test = TestScene(TestDelegate(root), archive: archive)
            limit(test, to: 16)
            test.delegate.encoding = { $0.encode(text, forKey: "draft") }
            try test.launch()
            test.save()
            return test
        }
        let first = try launched("short", MemoryArchive())
        first.delegate.encoding = { $0.encode("much longer than that", forKey: "draft") }
        first.scene.invalidateApplicationState()
        #expect(
            first.save()?.sentences == [
                "application state: \"draft\" is not saved: it takes 23 bytes, and the limit is 16"
                    + "\(StateEncodingError.sizeRemedy); "
                    + "the previously saved value is retained"
            ])
        #expect(try first.archive.sceneValues()["draft"] == .string("short"))
        #expect(first.save(isFull: true)?.isEmpty == true)
        root.restoration.reset()
        let second = try launched("longer than that again", first.archive)
        #expect(try first.archive.sceneValues()["draft"] == .string("short"))
        #expect(second.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P9: a reference in a kept value preserves no object and decodes as nil`() throws {
        let orphan = TestObject("orphan")
        let page = TestObject("page")
        let test = try TestScene.launched(page)
        limit(test, to: 16)
        page.encoding = { $0.encode([orphan], forKey: "shown") }
        test.save()
        #expect(test.archive.paths == ["orphan", "page"])
        page.encoding = { $0.encode("much longer than that", forKey: "shown") }
        page.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["page"])
        #expect(try test.archive.values(at: "page")["shown"] == .array([.reference(nil)]))
        let next = TestObject("page")
        var shown: [TestObject?]?
        next.decoding = { shown = try $0.decodeObjects(forKey: "shown") }
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(shown?.count == 1)
        #expect(shown?[0] == nil)
    }

    @Test func `P9: the error about a refused value that was never saved mentions no kept value`()
        throws
    {
        let page = page("much longer than that")
        let test = try TestScene.launched(page)
        limit(test, to: 16)
        #expect(
            test.save()?.sentences == [
                "page: \"text\" is not saved: it takes 23 bytes, and the limit is 16"
                    + StateEncodingError.sizeRemedy
            ])
        #expect(try test.archive.values(at: "page")["text"] == nil)
    }

    @Test func `P9: inspection shows the kept value, and the explanation says that it was kept`()
        throws
    {
        let page = page("short")
        let test = try TestScene.launched(page)
        limit(test, to: 16)
        test.save()
        encode("much longer than that", in: page)
        test.save()
        let values = try StateInspection(test.scene).values(of: page, passMetadata: .test)
        #expect(values["text"] == .string("short"))
        let story = ObjectExplainer(test.scene).explanation(of: "page", passMetadata: .test)
        #expect(
            story.sentences.contains {
                $0.contains("the limit is 16\(StateEncodingError.sizeRemedy)")
                    && $0.hasSuffix("; the previously saved value is retained.")
            })
    }
}

/// Stores a value inside the given number of arrays.
private func nest(_ value: some StateValue, below levels: Int, _ coder: StateEncoder) {
    if levels == 0 { return coder.encode(value, forKey: "deep") }
    nest([value], below: levels - 1, coder)
}

/// A value that throws an error when it is encoded.
private struct Unencodable: Encodable {
    func encode(to encoder: any Encoder) throws { throw Refusal() }
}
