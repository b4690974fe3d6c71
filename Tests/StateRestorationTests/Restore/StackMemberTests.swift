import StateRecords
import StateRestoration
import Testing

/// A container of a stack that encodes any list of objects as the members of its stack.
private final class ListedStack: TestObject {
    private static let listedKey: StaticString = "listed"

    var listed: [TestObject] = []

    override var restorationStackKey: StaticString? { Self.listedKey }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(listed, forKey: Self.listedKey)
    }
}

/// Stacks whose lists of members contain unusual members (R8).
@Suite struct StackMemberTests {
    /// Returns a root with a stack and another object. The stack has children with the given names.
    private func tree(_ names: [RestorationIdentifier]) -> (root: TestObject, stack: ListedStack) {
        let stack = ListedStack("stack", names.map { TestObject($0) })
        return (TestObject("root", [stack, TestObject("after", value: 1)]), stack)
    }

    /// Saves a tree, and restores another tree after the record of an object is removed.
    private func restored(
        _ root: TestObject, _ next: TestObject, removing removedName: String? = nil
    ) throws -> TestScene {
        let saved = try TestScene.launched(root)
        saved.save()
        let scene = try #require(saved.archive.savedScene).changed {
            $0.removeAll { $0.header.identifier == removedName }
        }
        let test = TestScene(TestDelegate(next), archive: saved.archive)
        try test.scene.launch(restoring: scene)
        return test
    }

    @Test func `R8: a member that has another parent is restored below its own parent`() throws {
        let (root, stack) = tree(["a"])
        stack.listed = [stack.children[0], root.children[1]]
        let (next, _) = tree(["a"])
        let test = try restored(root, next)
        #expect(test.unrestored == [])
        #expect(next.children[1].decodings == 1)
        #expect(next.children[0].children[0].decodings == 1)
    }

    @Test func `R8: a member that is listed twice is restored once`() throws {
        let (root, stack) = tree(["a", "b"])
        stack.listed = [stack.children[0], stack.children[0], stack.children[1]]
        let (next, _) = tree(["a", "b"])
        let test = try restored(root, next)
        #expect(test.unrestored == [])
        #expect(next.children[0].children.map(\.decodings) == [1, 1])
    }

    @Test func `R8: a member without a record does not affect objects with another parent`()
        throws
    {
        let (root, stack) = tree(["gone", "a"])
        stack.listed = [stack.children[0], root.children[1]]
        let (next, _) = tree(["a"])
        let test = try restored(root, next, removing: "gone")
        #expect(test.unrestored == [])
        #expect(next.children[1].value == 1)
    }

    @Test func `R8: an unrestored object below a member does not cut the stack`() throws {
        func stack(hasField: Bool) -> TestObject {
            let member = TestObject("a", hasField ? [TestObject("field", .view)] : [])
            return StackObject("stack", [member, TestObject("b", value: hasField ? 2 : nil)])
        }
        let next = stack(hasField: false)
        let test = try restored(stack(hasField: true), next)
        #expect(test.unrestored == ["stack/a/field: no-object"])
        #expect(next.children.last?.value == 2)
    }
}
