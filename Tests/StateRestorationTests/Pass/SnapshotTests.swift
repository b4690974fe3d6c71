import StateRestoration
import Testing

@Suite struct SnapshotTests {
    private func launch(_ archive: MemoryArchive = MemoryArchive()) throws -> TestScene {
        let test = try TestScene.launched(TestObject("root"), archive: archive) {
            $0.picture = "first"
        }
        test.save()
        return test
    }

    private func snapshot(_ test: TestScene) throws -> SceneSnapshot? {
        let scene = try #require(test.archive.savedScene)
        return scene.reservedState(names: NameTable(test.archive.names)).snapshot
    }

    @Test func `a full pass stores a snapshot of the scene and the time of the snapshot`() throws {
        let test = try launch()
        #expect(try snapshot(test) == nil)
        test.save(.everything(snapshot: true))
        #expect(try snapshot(test) == SceneSnapshot(text: "first", timestamp: 1_000_000))
    }

    @Test func `P16: a scene with an unchanged snapshot is not written again`() throws {
        let test = try launch()
        test.save(.everything(snapshot: true))
        let later = PassMetadata(bundleVersion: "7", timestamp: 5, systemVersion: "Linux 6.1")
        #expect(test.scene.preserve(later, .everything(snapshot: true))?.isEmpty == true)
    }

    @Test func `a snapshot is kept over a restart until the next snapshot is taken`() throws {
        let test = try launch()
        test.save(.everything(snapshot: true))
        let second = try launch(test.archive)
        #expect(try snapshot(second)?.text == "first")
        second.delegate.picture = "second"
        second.save(.everything(snapshot: true))
        #expect(try snapshot(second)?.text == "second")
    }

    @Test func `a scene can omit snapshots until its next launch`() throws {
        let test = try launch()
        test.save(.everything(snapshot: true))
        test.scene.ignoreSnapshotOnNextApplicationLaunch()
        for _ in 0..<2 {
            test.save(.everything(snapshot: true))
            #expect(try snapshot(test) == nil)
        }
        let next = try launch(test.archive)
        next.save(.everything(snapshot: true))
        #expect(try snapshot(next)?.text == "first")
    }

    @Test func `a snapshot that is too long is not stored`() throws {
        let test = try launch()
        test.delegate.picture = String(repeating: "x", count: SceneSnapshot.maximumBytes + 1)
        test.save(.everything(snapshot: true))
        #expect(try snapshot(test) == nil)
    }
}
