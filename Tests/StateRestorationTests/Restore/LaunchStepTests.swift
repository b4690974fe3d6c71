import Testing

@testable import StateRestoration

@Suite struct LaunchStepTests {
    @Test func `R17: a launch reports each step with the object's path, parents first`() throws {
        func tree() -> TestObject {
            let stack = StackObject(
                "stack", [TestObject("a", [TestObject("in")]), TestObject("b")])
            return TestObject("root", [TestObject("first"), stack, TestObject("last")])
        }
        let saved = try TestScene.launched(tree())
        saved.save()
        let test = TestScene(TestDelegate(tree()), archive: saved.archive, reason: .restore)
        var path = ""
        var told: [LaunchStep: [String]] = [:]
        test.scene.onLaunchStep = { step, identifier, above in
            path = above == 0 ? "" : String(path.prefix(above)) + "/"
            path += identifier.text
            told[step, default: []].append(path)
        }
        try test.launch()
        let all = [
            "root", "root/first", "root/stack", "root/stack/a", "root/stack/a/in", "root/stack/b",
            "root/last",
        ]
        #expect(told == [.finding: all, .decoding: all, .finishing: all])
    }

    @Test func `R17: an object is reported before it is loaded and before it decodes`()
        throws
    {
        let saved = try TestScene.launched(TestObject("root", [TestObject("page")]))
        saved.save()
        let page = TestObject("page")
        let root = TestObject("root", [page])
        let test = TestScene(TestDelegate(root), archive: saved.archive, reason: .restore)
        var last: (LaunchStep, String)?
        test.scene.onLaunchStep = { step, identifier, _ in last = (step, identifier.text) }
        var seen: [String] = []
        func record() { seen.append("\(last.map { "\($0.0) \($0.1)" } ?? "nothing")") }
        page.loading = record
        page.decoding = { _ in record() }
        root.decoding = { _ in record() }
        try test.launch()
        #expect(seen == ["finding page", "decoding root", "decoding page"])
    }

    @Test func `R17: an object is reported before it finishes its restoration`() throws {
        let saved = try TestScene.launched(TestObject("root", [TestObject("page")]))
        saved.save()
        let journal = Journal()
        let root = TestObject("root", [TestObject("page")]).record(in: journal)
        let test = TestScene(TestDelegate(root), archive: saved.archive, reason: .restore)
        test.scene.onLaunchStep = { step, identifier, _ in
            journal.record("\(step) \(identifier.text)")
        }
        try test.launch()
        #expect(
            journal.take().suffix(4)
                == ["finishing root", "finished root", "finishing page", "finished page"])
    }
}
