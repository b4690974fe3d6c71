import StateRecords
import StateRestoration
import Testing

/// The cost of a pass depends on the change, measured in encoded objects (P14).
@Suite struct PassCostTests {
    /// Returns a saved tree of 100,000 objects: the root, 99 branches of 1,010 objects each, and nine more objects.
    private func saved() throws -> (test: TestScene, root: TestObject) {
        let branches = (1...99).map { branch in
            let twigs = (1...10).map { twig in
                let leaves = (1...100).map { TestObject(name("leaf", $0), value: $0) }
                return TestObject(
                    name("twig", twig), value: twig, leaves.dropLast(twig == 1 ? 1 : 0))
            }
            return TestObject(name("branch", branch), value: branch, twigs)
        }
        let root = TestObject("root", branches)
        for number in 1...9 { root.add(TestObject(name("more", number))) }
        let test = try TestScene.launched(root)
        let pass = try #require(test.scene.preserve(.test))
        #expect(pass.encodedObjectCount == 100_000)
        #expect(pass.objects.count == 100_001)
        return (test, root)
    }

    private func name(_ word: String, _ number: Int) -> RestorationIdentifier {
        RestorationIdentifier(recorded: "\(word)\(number)")
    }

    @Test func `P14: one change among 100,000 objects encodes one object`() throws {
        let (test, root) = try saved()
        root.children[50].children[3].children[7].change(to: -1)
        let pass = try #require(test.scene.preserve(.test))
        #expect(pass.encodedObjectCount == 1)
        #expect(pass.objects.count == 1)
        #expect(pass.moves.isEmpty && pass.removals.isEmpty)
    }

    @Test
    func `P14: moving or renaming a subtree of 1,000 objects encodes nothing and writes one move`()
        throws
    {
        let (test, root) = try saved()
        let branch = root.children[20]
        root.children[70].add(branch)
        let pass = try #require(test.scene.preserve(.test))
        #expect(pass.encodedObjectCount == 0)
        #expect(pass.objects.isEmpty && pass.removals.isEmpty)
        #expect(pass.moves.map(\.identifier) == ["branch21"])
        branch.restoration.identifier = "renamed"
        let renaming = try #require(test.scene.preserve(.test))
        #expect(renaming.encodedObjectCount == 0)
        #expect(renaming.moves.map(\.identifier) == ["renamed"])
        #expect(test.scene.preserve(.test, .everything())?.isEmpty == true)
    }

    @Test func `P14: adding or removing a subtree encodes no other object`() throws {
        let (test, root) = try saved()
        root.children[20].leave()
        let removal = try #require(test.scene.preserve(.test))
        #expect(removal.encodedObjectCount == 0)
        #expect(removal.removals.count == 1)
        root.children[30].add(TestObject("new", [TestObject("leaf")]))
        let addition = try #require(test.scene.preserve(.test))
        #expect(addition.encodedObjectCount == 2)
        #expect(addition.objects.count == 2)
    }
}
