import StateRecords
import StateRestoration
import TestSupport
import Testing

/// Records that an archive should never contain. They never cause a crash, and all other records are restored.
@Suite struct MisplacedRecordTests {
    private static func tree() -> TestObject {
        TestObject(
            "nav",
            [
                TestObject("a", value: 1, [TestObject("in", value: 2)]),
                TestObject("b", value: 3, [TestObject("in", value: 4)]),
            ])
    }

    /// Launches the saved tree after a change to its records.
    private func launch(_ change: (inout [ObjectRecord]) -> Void) throws -> (TestScene, TestObject)
    {
        let saved = try TestScene.launched(Self.tree())
        saved.save()
        let scene = try #require(saved.archive.savedScene).changed(change)
        let root = Self.tree()
        let test = TestScene(TestDelegate(root), archive: saved.archive)
        try test.scene.launch(restoring: scene)
        return (test, root)
    }

    @Test func `a record without its parent is dropped, and the records around it are restored`()
        throws
    {
        let (test, root) = try launch { $0.removeAll { $0.header.identifier == "a" } }
        #expect(test.unrestored == ["in: parent-dropped"])
        #expect(root.children[1].decodings == 1)
        #expect(root.children[1].children[0].decodings == 1)
    }

    @Test func `a record that precedes its parent is dropped`() throws {
        let (test, root) = try launch { $0.swapAt(1, 2) }
        #expect(test.unrestored == ["in: parent-dropped"])
        #expect(root.children.map(\.decodings) == [1, 1])
        #expect(root.children.map { $0.children[0].decodings } == [0, 1])
    }

    @Test func `a record that is separated from its parent is dropped`() throws {
        let (test, _) = try launch { $0.append($0.remove(at: 2)) }
        #expect(test.unrestored == ["in: parent-dropped"])
        #expect(test.report.restored == 4)
    }

    @Test func `records that are each other's parents are dropped`() throws {
        let (test, _) = try launch { scene in
            let numbers = scene.map(\.header.number)
            scene[0].header.parent = numbers[4]
            scene[4].header.parent = numbers[0]
        }
        #expect(test.report.restored == 0)
        #expect(test.report.unrestored.allSatisfy { $0.code == .ancestorNotRestored })
        #expect(test.report.unrestored.count == 5)
    }

    @Test func `a record that is its own parent is dropped`() throws {
        let (test, _) = try launch { $0[2].header.parent = $0[2].header.number }
        #expect(test.unrestored == ["in: parent-dropped"])
    }

    @Test func `two records with the same path restore one object`() throws {
        let (test, root) = try launch { scene in
            var copy = scene[2]
            copy.header.number = .max
            scene.insert(copy, at: 3)
        }
        #expect(test.unrestored == ["nav/a/in: no-object"])
        #expect(root.children[0].children[0].decodings == 1)
    }

    @Test func `two records with the same number restore two objects`() throws {
        let (test, _) = try launch { $0[4].header.number = $0[2].header.number }
        #expect(test.unrestored == [])
        #expect(test.report.restored == 5)
    }

    @Test func `a scene record below an object is dropped`() throws {
        let (test, _) = try launch { $0[3].header.kind = RestorationKind.scene.rawValue }
        #expect(test.unrestored == ["nav/b: no-object", "nav/b/in: parent-dropped"])
    }

    @Test func `a record with an unknown class name is dropped with the records below it`() throws {
        let (test, _) = try launch { scene in
            scene[1].header.classToken = 900
            scene[3].header.restorationClassToken = 900
        }
        #expect(
            test.unrestored == [
                "nav/a: class-missing", "nav/a/in: parent-dropped",
                "nav/b: restoration-class-missing", "nav/b/in: parent-dropped",
            ])
    }

    @Test func `I2: records deeper than the longest possible path are dropped`() throws {
        let (test, _) = try launch { scene in
            var record = scene[4]
            for number in 100_000..<103_000 {
                record.header.parent = record.header.number
                record.header.number = UInt32(number)
                record.header.identifier = "x"
                scene.append(record)
            }
        }
        #expect(test.report.recorded == 3005)
        #expect(test.report.restored == 5)
        #expect(test.report.unrestored.count == 3000)
        #expect(test.report.unrestored.first?.path == "nav/b/in/x")
        #expect(test.report.unrestored.last?.path == "x")
        // A path of 4,096 bytes has at most 2,048 identifiers. The path "nav/b/in" has three of them.
        #expect(test.report.unrestored.count { $0.path != "x" } == 2045)
    }

    @Test(arguments: 0..<200)
    func `every record of a randomly changed scene counts as restored or not restored`(seed: UInt64)
        throws
    {
        var random = SeededNumbers(seed: seed)
        let (test, _) = try launch { scene in
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: scene.indices, using: &random)
                let other = Int.random(in: scene.indices, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: scene.swapAt(place, other)
                case 1: scene.insert(scene[place], at: other)
                case 2: scene[place].header.parent = scene[other].header.number
                case 3: scene[place].header.number = scene[other].header.number
                // The scene's record has the number 1.
                default: scene[place].header.parent = 1
                }
            }
        }
        #expect(test.report.restored + test.report.unrestored.count == test.report.recorded)
    }

    @Test func `a record of an unknown kind is ignored, and the records below it are dropped`()
        throws
    {
        let (test, root) = try launch { $0[1].header.kind = 200 }
        #expect(test.unrestored == ["in: parent-dropped"])
        #expect(test.report.recorded == 4)
        #expect(root.children.map(\.decodings) == [0, 1])
    }
}
