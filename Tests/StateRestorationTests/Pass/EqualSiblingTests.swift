import StateRestoration
import Testing

@Suite struct EqualSiblingTests {
    @Test func `I3: objects with different parents can have the same identifier`() throws {
        let root = TestObject(
            "nav",
            [
                TestObject("child1", [TestObject("textField", .view)]),
                TestObject("child2", [TestObject("textField", .view)]),
            ])
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths.count == 5)
    }

    @Test
    func `I3: if two new siblings share an identifier, the first is preserved and both are named`()
        throws
    {
        let root = TestObject(
            "nav", [TestObject("page", value: 1), OtherObject("page", value: 2)])
        let test = try TestScene.launched(root)
        let output = try #require(test.save())
        #expect(test.archive.paths == ["nav", "nav/page"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
        #expect(
            output.diagnostics == [
                .siblingsWithSameIdentifier(
                    path: RestorationPath(["nav", "page"]), preservedClass: "TestObject",
                    omittedClass: "OtherObject")
            ])
    }

    @Test func `I3: the sibling that was preserved first keeps the path`() throws {
        let earlier = TestObject("page", value: 1)
        let root = TestObject("nav", [earlier])
        let test = try TestScene.launched(root)
        test.save()
        let late = OtherObject("page", value: 2)
        root.add(late)
        root.add(earlier)
        #expect(root.children.first === late)
        let output = try #require(test.save())
        #expect(output.diagnostics.count == 1)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
        earlier.leave()
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(2))
    }

    /// A sibling that has the identifier of the preserved object after a restart.
    enum Newcomer: CaseIterable {
        case ofAnotherKind, ofAnotherClass

        func object() -> TestObject {
            switch self {
            case .ofAnotherKind: TestObject("page", .view, value: 2)
            case .ofAnotherClass: OtherObject("page", value: 2)
            }
        }
    }

    @Test(arguments: Newcomer.allCases, [0, 1])
    func `I3: the object preserved before a restart keeps the path`(
        newcomer: Newcomer, place: Int
    ) throws {
        let test = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("below", value: 3)])]))
        test.save()
        let (page, below) = (TestObject("page"), TestObject("below"))
        page.add(below)
        var children: [TestObject] = [page]
        children.insert(newcomer.object(), at: place)
        let next = try TestScene.launched(TestObject("nav", children), archive: test.archive)
        #expect(page.value == 1)
        #expect(below.value == 3)
        #expect(next.scene.report.unrestored == [])
        let output = try #require(next.save())
        #expect(output.diagnostics.count == 1)
        #expect(next.scene.records.omissionDiagnostic == output.diagnostics.first)
        #expect(try next.archive.values(at: "nav/page")["value"] == .integer(1))
        #expect(try next.archive.values(at: "nav/page/below")["value"] == .integer(3))
    }

    @Test func `I3: an omitted sibling is reported until the conflict is resolved`() throws {
        let second = TestObject("page")
        let root = TestObject("nav", [TestObject("page"), second])
        let test = try TestScene.launched(root)
        let diagnostic = try #require(test.save()?.diagnostics.first)
        test.save(isFull: true)
        #expect(test.scene.records.omissionDiagnostic == diagnostic)
        second.restoration.identifier = "other"
        test.save()
        #expect(test.scene.records.omissionDiagnostic == nil)
        second.restoration.identifier = "page"
        test.save()
        #expect(test.scene.records.omissionDiagnostic == diagnostic)
        root.leave()
        second.leave()
        test.save()
        #expect(test.scene.records.omissionDiagnostic == nil)
    }

    @Test func `I3: an object that changes its identifier does not take over a sibling's path`()
        throws
    {
        let first = TestObject("other", value: 2)
        let second = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [first, second]))
        test.save()
        first.restoration.identifier = "page"
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
        #expect(test.archive.paths == ["nav", "nav/page"])
    }

    @Test func `I3: a controller's views and child controllers share one namespace`() throws {
        let root = TestObject("nav", [TestObject("x", .view), OtherObject("x")])
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "nav/x"])
    }

    @Test func `I3: a reference does not preserve an omitted sibling`() throws {
        let first = TestObject("page", value: 1)
        let second = OtherObject("page", value: 2)
        let root = TestObject("nav", [first, second])
        root.encoding = { $0.encode([first, second], forKey: "both") }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "nav/page"])
        #expect(test.save(isFull: true)?.isEmpty == true)
        let next = TestObject("nav", [TestObject("page")])
        var labels: [String?]?
        next.decoding = {
            labels = try $0.decodeObjects(TestObject.self, forKey: "both")?.map(\.?.label)
        }
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(labels == ["page", nil])
    }

    @Test func `I3: a referenced object that loses its path is removed`() throws {
        let first = TestObject("one", value: 1)
        let second = TestObject("two", value: 2)
        let root = TestObject("nav", [first, second])
        root.encoding = { $0.encode([first, second], forKey: "both") }
        let test = try TestScene.launched(root)
        test.save()
        second.restoration.identifier = "one"
        test.save()
        #expect(test.archive.paths == ["nav", "nav/one"])
    }

    @Test func `I2: a reference does not preserve an object whose path is too long`() throws {
        let long = try RestorationIdentifier(validating: String(repeating: "x", count: 255))
        let last = TestObject("last")
        var tree = TestObject(long, [last])
        for _ in 1..<16 { tree = TestObject(long, [tree]) }
        tree.reference = last
        let test = try TestScene.launched(tree)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths.count == 16)
    }

    @Test
    func `I3: a navigation or split controller numbers children with equal identifiers in order`()
        throws
    {
        func tree(_ count: Int) -> TestObject {
            let root = TestObject("nav")
            root.allowsDuplicateChildIdentifiers = true
            for _ in 0..<count { root.add(TestObject("page")) }
            return root
        }
        let root = tree(3)
        for (index, child) in root.children.enumerated() { child.value = index }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["nav", "nav/page", "nav/page~2", "nav/page~3"])
        let next = tree(3)
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(next.children.map(\.value) == [0, 1, 2])
    }

    @Test
    func `I3: children with equal identifiers are restored in their new order after a reordering`()
        throws
    {
        func tree() -> TestObject {
            let root = TestObject(
                "nav", [TestObject("page", value: 0), TestObject("page", value: 1)])
            root.allowsDuplicateChildIdentifiers = true
            return root
        }
        let root = tree()
        let test = try TestScene.launched(root)
        test.save()
        root.add(root.children[0])
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
        let next = tree()
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(next.children.map(\.value) == [1, 0])
    }

    @Test func `I5: siblings can have identifiers that look the same but differ in their bytes`()
        throws
    {
        let root = TestObject(
            "nav", [TestObject("\u{E9}", value: 1), TestObject("e\u{301}", value: 2)])
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths.count == 3)
        let next = TestObject("nav", [TestObject("e\u{301}"), TestObject("\u{E9}")])
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(next.children.map(\.value) == [2, 1])
    }
}
