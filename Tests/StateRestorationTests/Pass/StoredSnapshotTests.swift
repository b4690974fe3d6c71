import StateRestoration
import Testing

@Suite struct StoredSnapshotTests {
    private func snapshot(_ test: TestScene) throws -> SceneSnapshot? {
        let scene = try #require(test.archive.savedScene)
        return scene.reservedState(names: NameTable(test.archive.names)).snapshot
    }

    /// Returns a saved scene with the given snapshot.
    private func saved(_ picture: String) throws -> TestScene {
        let test = try TestScene.launched(TestObject("nav")) { $0.picture = picture }
        test.save(.everything(snapshot: true))
        return test
    }

    @Test func `a snapshot of exactly the maximum size is stored`() throws {
        let picture = String(repeating: "x", count: SceneSnapshot.maximumBytes)
        #expect(try snapshot(saved(picture))?.text == picture)
    }

    @Test func `L6: the snapshot of refused state is not kept`() throws {
        let first = try saved("first")
        #expect(try snapshot(first)?.text == "first")
        let second = try TestScene.launched(TestObject("nav"), archive: first.archive) {
            $0.restores = false
        }
        second.save()
        #expect(try snapshot(second) == nil)
    }
}
