import Testing

@testable import StateRestoration

@Suite struct EncodeFailureTests {
    @Test func `P9: an object that fails to encode keeps its last record and is reported`() throws {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        page.encoding = { _ in throw Refusal() }
        page.change(to: 2)
        let output = try #require(test.save())
        #expect(output.objects.isEmpty)
        #expect(
            output.diagnostics == [
                .encodeFailed(
                    path: RestorationPath(["nav", "page"]), reason: "refused for the test")
            ])
        #expect(try test.archive.values(at: "nav/page") == ["value": .integer(1)])
        #expect(!test.scene.needsPass)
        page.encoding = nil
        page.change(to: 3)
        test.save()
        #expect(try test.archive.values(at: "nav/page") == ["value": .integer(3)])
    }

    @Test func `P9: the reasons of encoding failures are recorded for at most 1,000 objects`()
        throws
    {
        let root = TestObject("nav")
        for number in 0..<1010 {
            let page = TestObject(RestorationIdentifier(recorded: "page\(number)"))
            page.encoding = { _ in throw Refusal() }
            root.add(page)
        }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1010)
        #expect(test.scene.records.losses.count == 1000)
        root.children[0].encoding = nil
        root.children[0].invalidateRestorableState()
        test.save()
        #expect(test.scene.records.losses.count == 999)
    }

    @Test func `P9: a loss is repeated if the object was already incompletely saved before`() throws
    {
        let page = TestObject("page")
        page.encoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page]))
        for repeatedCount in [0, 1] {
            page.invalidateRestorableState()
            #expect(test.save()?.pathsOfRepeatedLosses.count == repeatedCount)
        }
        page.encoding = nil
        page.invalidateRestorableState()
        test.save()
        page.encoding = { _ in throw Refusal() }
        page.invalidateRestorableState()
        #expect(test.save()?.pathsOfRepeatedLosses.isEmpty == true)
    }

    @Test func `P9: objects below an object that has never encoded successfully are preserved`()
        throws
    {
        let page = TestObject("page", value: 1, [TestObject("below", value: 2)])
        page.encoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page]))
        #expect(test.save()?.diagnostics.count == 1)
        #expect(try test.archive.values(at: "nav/page") == [:])
        #expect(try test.archive.values(at: "nav/page/below") == ["value": .integer(2)])
    }

    @Test func `P9: the last record is kept even if another object refers to a new object`() throws
    {
        let first = TestObject("first", value: 1)
        let second = TestObject("second")
        let test = try TestScene.launched(TestObject("nav", [first, second]))
        test.save()
        first.encoding = { _ in throw Refusal() }
        first.change(to: 2)
        second.reference = TestObject("orphan")
        second.invalidateRestorableState()
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths.contains("orphan"))
        #expect(try test.archive.values(at: "nav/first") == ["value": .integer(1)])
    }

    @Test func `P9: if a key is encoded twice, the first value is saved`() throws {
        let page = TestObject("page", value: 1)
        page.encoding = { coder in
            coder.encode("second", forKey: "value")
            coder.encode("after", forKey: "other")
        }
        let test = try TestScene.launched(page)
        let output = try #require(test.save())
        #expect(
            output.diagnostics == [
                .value(
                    StateEncodingError(objectPath: "page", key: "value", cause: .keyWrittenTwice))
            ])
        #expect(
            try test.archive.values(at: "page") == [
                "value": .integer(1), "other": .string("after"),
            ])
    }

    @Test func `P9: a moved object that fails to encode keeps the objects below it`() throws {
        let below = TestObject("below", value: 5)
        let moving = TestObject("moving", value: 4, [below])
        let old = TestObject("old", [moving])
        let new = TestObject("new")
        let root = TestObject("nav", [old, new])
        let scene = try TestScene.launched(root)
        scene.save()
        moving.encoding = { _ in throw Refusal() }
        new.add(moving)
        old.leave()
        scene.save()
        #expect(scene.archive.paths.contains("nav/new/moving/below"))
        below.change(to: 6)
        scene.save()
        #expect(try scene.archive.values(at: "nav/new/moving/below")["value"] == .integer(6))
    }

    @Test(arguments: [
        (
            PassDiagnostic.siblingsWithSameIdentifier(
                path: RestorationPath(["a", "b"]), preservedClass: "First",
                omittedClass: "Second"),
            "two objects have the path a/b: First is preserved, Second is not; give it another "
                + "identifier"
        ),
        (
            .pathTooLong(path: RestorationPath(["a", "b"]), bytes: 5000),
            "an object whose path has 5000 bytes is not preserved: at most 4096 are allowed "
                + "(the path begins with a)"
        ),
        (
            .encodeFailed(path: RestorationPath(["a"]), reason: "no"),
            "a could not encode its state, and its last saved state is retained: no"
        ),
        (
            .value(StateEncodingError(objectPath: "a", key: "k", cause: .keyWrittenTwice)),
            "a: \"k\" was encoded twice: the first value is saved"
        ),
        (
            .largeValue(objectPath: "a", key: "k", bytes: 5000),
            "a: \"k\" takes 5000 bytes, all of which are written whenever it changes: store large data in the elements "
                + "of a collection, or in a document"
        ),
    ])
    func `a diagnostic states the problem and the path`(
        diagnostic: PassDiagnostic, sentence: String
    ) {
        #expect(diagnostic.description == sentence)
    }
}
