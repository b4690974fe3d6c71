import StateRecords
import StateRestoration
import Testing

@Suite struct StackTests {
    /// Returns a tree with a stack that has a bar, and whose members have views.
    private func tree(value: Int? = nil) -> TestObject {
        let stack = StackObject(
            "stack",
            [
                TestObject("bar", .view),
                TestObject("a", [TestObject("field", .view)]),
                TestObject("b", [TestObject("field", .view)]),
                TestObject("c", [TestObject("field", .view), TestObject("sheet")]),
            ])
        let root = TestObject("root", [stack, TestObject("after", value: value)])
        return root
    }

    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root)
        test.save()
        return test.archive
    }

    @Test
    func `R8: a dropped controller cuts the stack, and controllers above it are not looked up`()
        throws
    {
        let archive = try archive(of: tree(value: 5))
        let root = tree()
        let stack = root.children[0]
        stack.children[2].leave()
        var asked: [String] = []
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { path, _ in
                asked.append(path.description)
                return nil
            }
        }
        #expect(
            test.unrestored == [
                "root/stack/b: no-object", "root/stack/b/field: parent-dropped",
                "root/stack/c: stack-cut", "root/stack/c/field: stack-cut",
                "root/stack/c/sheet: stack-cut",
            ])
        #expect(
            asked == [
                "root", "root/stack", "root/stack/a", "root/stack/b", "root/after",
            ])
        #expect(stack.children.map(\.label).contains("bar"))
        #expect(stack.children.first { $0.label == "a" }?.decodings == 1)
        #expect(stack.children.first { $0.label == "c" }?.decodings == 0)
        #expect(root.children[1].value == 5)
    }

    @Test func `R8: a controller of another class also cuts the stack`() throws {
        var classes = ClassRegistry()
        classes.register(OtherObject.self)
        let archive = try archive(of: StackObject("stack", [OtherObject("a"), TestObject("b")]))
        let root = StackObject("stack", [TestObject("a"), TestObject("b")])
        let test = try TestScene.launched(root, archive: archive, classes: classes)
        #expect(test.unrestored == ["stack/a: class-mismatch", "stack/b: stack-cut"])
        #expect(root.children[1].decodings == 0)
    }

    @Test func `R8: the bottom of the stack is looked up first, whatever the order of the records`()
        throws
    {
        let root = tree()
        let stack = root.children[0]
        let saved = try TestScene.launched(root)
        saved.save()
        // The stack is reversed, but the archive retains the records in their old order.
        let members = stack.children.dropFirst()
        for member in members.reversed() { stack.add(member) }
        stack.invalidateRestorableState()
        saved.save()
        let next = tree()
        var asked: [String] = []
        let test = try TestScene.launched(next, archive: saved.archive) {
            $0.finding = { path, _ in
                asked.append(path.description)
                return nil
            }
        }
        #expect(test.unrestored == [])
        #expect(
            asked == [
                "root", "root/stack", "root/stack/c", "root/stack/c/sheet", "root/stack/b",
                "root/stack/a", "root/after",
            ])
        #expect(next.children[0].children.map(\.label) == ["bar", "c", "b", "a"])
    }

    @Test func `R8: a member without a record cuts the stack`() throws {
        let root = tree()
        let archive = try archive(of: root)
        let saved = try #require(archive.savedScene).changed {
            $0.removeAll { $0.header.identifier == "b" }
        }
        let next = tree()
        let test = TestScene(TestDelegate(next), archive: archive)
        try test.scene.launch(restoring: saved)
        #expect(
            test.unrestored == [
                "root/stack/c: stack-cut", "root/stack/c/field: stack-cut",
                "root/stack/c/sheet: stack-cut", "field: parent-dropped",
            ])
        #expect(next.children[0].children.first { $0.label == "c" }?.decodings == 0)
        #expect(test.report.restored == 6)
    }

    @Test func `if the key of a stack occurs twice, the first value is used, as in a coder`() throws
    {
        let archive = try archive(of: tree())
        var saved = try #require(archive.savedScene)
        let place = try #require(
            saved.records.objects.firstIndex { $0.header.identifier == "stack" })
        // Appends every key again, with an empty array as its value.
        var reader = ValueReader(saved.records.objects[place].values)
        var writer = ValueWriter()
        while !reader.isAtEnd {
            writer.writeVarint(try reader.readVarint())
            try reader.skipValue()
            writer.write(.array)
            writer.writeVarint(0)
        }
        saved = saved.changed {
            // The closure does not receive the scene's own record, so indexes are lower by 1.
            $0[place - 1].values += writer.bytes
            $0.removeAll { $0.header.identifier == "b" }
        }
        let next = tree()
        let test = TestScene(TestDelegate(next), archive: archive)
        try test.scene.launch(restoring: saved)
        #expect(
            test.unrestored == [
                "root/stack/c: stack-cut", "root/stack/c/field: stack-cut",
                "root/stack/c/sheet: stack-cut", "field: parent-dropped",
            ])
    }

    @Test func `R8: cutting a nested stack does not cut the outer stack`() throws {
        func nested() -> TestObject {
            StackObject(
                "outer",
                [
                    StackObject("inner", [TestObject("a"), TestObject("b"), TestObject("c")]),
                    TestObject("top", value: 7),
                ])
        }
        let archive = try archive(of: nested())
        let root = nested()
        let inner = root.children[0]
        inner.children[1].leave()
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["outer/inner/b: no-object", "outer/inner/c: stack-cut"])
        #expect(root.children.map(\.label) == ["inner", "top"])
        #expect(root.children[1].value == 7)
    }

    @Test func `R8: other children of the container are restored even if the stack is cut`() throws
    {
        let archive = try archive(of: tree())
        let root = tree()
        let stack = root.children[0]
        stack.children[1].leave()
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored.first == "root/stack/a: no-object")
        #expect(stack.children[0].decodings == 1)
        #expect(test.report.restored == 4)
    }

    @Test func `R8: a dropped controller is not presented`() throws {
        let root = TestObject("root", [TestObject("sheet")])
        root.reference = root.children[0]
        let archive = try archive(of: root)
        let next = TestObject("root")
        next.reference = TestObject("sheet")
        let test = try TestScene.launched(next, archive: archive)
        #expect(test.unrestored == ["root/sheet: no-object"])
        #expect(next.reference == nil)
    }

    @Test(
        arguments: [
            [], [0xFF], [1], [1, 9], [1, 9, 0xFF, 0xFF, 3], [1, 9, 2, 11, 1, 3], [1, 2, 4],
        ] as [[UInt8]])
    func `R8: a stack whose members cannot be read is not cut`(values: [UInt8]) throws {
        let archive = try archive(of: tree())
        let members = try #require(archive.names.first { $0.value == "members" }?.key)
        let bytes = values.isEmpty ? [] : [UInt8(members)] + values.dropFirst()
        try archive.replaceValues(at: "root/stack", with: bytes)
        let root = tree()
        let test = try TestScene.launched(root, archive: archive)
        let failures = test.unrestored.filter { $0 != "root/stack: decode-failed" }
        #expect(failures == [])
        #expect(root.children[0].children.allSatisfy { $0.decodings == 1 })
    }
}
