import StateRestoration
import Testing

/// Closures that are called when an object is added to a scene.
@Suite struct AttachmentTests {
    @Test func `an object's closure is called once, when the object is added to a scene`() throws {
        let root = TestObject("nav")
        var callCount = 0
        root.restoration.onAttached = nil
        root.restoration.onAttached = { callCount += 1 }
        let test = try TestScene.launched(root)
        #expect(callCount == 0)
        for _ in 1...2 {
            test.scene.attachRoot()
            #expect(callCount == 1)
        }
        test.save()
        #expect(callCount == 1)
    }

    @Test func `a closure that was removed is not called`() throws {
        let root = TestObject("nav")
        root.restoration.onAttached = { Issue.record("the closure was removed") }
        root.restoration.onAttached = nil
        try TestScene.launched(root).save()
    }

    @Test func `a closure can set the closure for the next time that its object is added`() throws {
        let root = TestObject("nav")
        var calls: [String] = []
        root.restoration.onAttached = { [unowned root] in
            calls.append("first")
            root.restoration.onAttached = { calls.append("second") }
        }
        let test = try TestScene.launched(root)
        test.scene.attachRoot()
        #expect(calls == ["first"])
        test.scene.attachRoot()
        #expect(calls == ["first", "second"])
    }
}
