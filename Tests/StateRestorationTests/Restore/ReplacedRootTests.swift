import StateRestoration
import Testing

@Suite struct ReplacedRootTests {
    private func root(_ view: TestObject) -> TestObject { TestObject("root", .view, [view]) }

    @Test func `R3: a view in a root that the delegate has replaced is not restored`() throws {
        let saved = try TestScene.launched(root(TestObject("view", .view, value: 1)))
        saved.save()
        #expect(saved.archive.paths == ["root", "view"])
        let (old, new) = (TestObject("view", .view), TestObject("view", .view))
        let (oldRoot, newRoot) = (root(old), root(new))
        let test = TestScene(TestDelegate(oldRoot), archive: saved.archive)
        oldRoot.loading = { [unowned delegate = test.delegate] in delegate.root = newRoot }
        try test.launch()
        #expect(new.value == 1)
        #expect(old.decodings == 0)
    }
}
