import StateRestoration
import Testing

@Suite struct LaunchOrderTests {
    @Test func `R1: all objects are found, then decode, then finish, each time parents first`()
        throws
    {
        let archive = try CompleteScene().saved().archive
        let all = CompleteScene()
        all.makeBase()
        let test = TestScene(TestDelegate(all.tab), archive: archive, classes: .withMadeObject)
        let delegate = test.delegate
        delegate.journal = all.journal
        delegate.launching = {
            try $0.registerObject(
                forStateRestoration: all.player, restorationIdentifier: "player")
        }
        delegate.finding = { path, _ in
            switch path.description {
            case "tab/stack/notes": all.withJournal(TestObject("notes"))
            case "tab/sheet": all.sheet()
            default: nil
            }
        }
        delegate.making = { path, _ in path.description == "tab/stack/detail" ? all.detail() : nil }
        try test.launch(TestStoryboard(makers: [CompleteScene.settingsOrigin: { all.settings() }]))
        let order = [
            "tab", "stack", "list", "table", "detail", "field", "notes", "settings", "switch",
            "sheet", "text", "player",
        ]
        let found = [
            "willFinishLaunching",
            "shouldRestore",
            // The window's root exists. Its view creates the first tab.
            "delegate tab", "load tab",
            // The stack's view creates the bottom of the stack.
            "delegate tab/stack", "load stack",
            "delegate tab/stack/list", "load list", "load table",
            // The middle member has a restoration class, so the delegate is not asked.
            "class tab/stack/detail", "load detail", "load field",
            "delegate tab/stack/notes", "load notes",
            // The storyboard creates the second tab after the delegate has returned no controller.
            "delegate tab/settings", "load settings", "load switch",
            // The presenter refers to the presented controller.
            "delegate tab/sheet", "load sheet", "load text",
            // Finders of view controllers are not asked for the registered object.
            "load player",
        ]
        let decoded = order.map { "decode \($0)" } + ["didDecode"]
        let finished = order.map { "finished \($0)" } + ["didFinishLaunching"]
        #expect(all.journal.take() == found + decoded + finished)
        #expect(test.unrestored == [])
        #expect(test.report.recorded == 12)
        #expect(test.report.restored == 12)
        #expect(all.tab.reference?.label == "sheet")
    }

    @Test func `R1: the stages of a launch are reached in order`() throws {
        let archive = try CompleteScene().saved().archive
        let journal = Journal()
        let all = CompleteScene()
        all.makeBase()
        let test = TestScene(TestDelegate(all.tab), archive: archive, classes: .withMadeObject)
        all.tab.decoding = { _ in journal.record("decode") }
        all.tab.loading = { journal.record("load") }
        test.delegate.launching = { _ in journal.record("willFinishLaunching") }
        test.delegate.launched = { _ in journal.record("didFinishLaunching") }
        test.delegate.decoding = { _ in journal.record("didDecode") }
        test.scene.onStage = { journal.record($0.rawValue) }
        try test.launch()
        #expect(
            journal.take() == [
                "launch-begin", "willFinishLaunching", "launch-made", "load", "launch-found",
                "decode", "launch-decoded", "didDecode", "didFinishLaunching", "launch-finished",
            ])
    }

    @Test func `R1: without saved state, only the launch callbacks run`() throws {
        let journal = Journal()
        let test = TestScene(TestDelegate(TestObject("nav").record(in: journal)))
        test.delegate.journal = journal
        try test.launch()
        #expect(journal.take() == ["willFinishLaunching", "didFinishLaunching"])
    }

    @Test func `R1 and P1: if the delegate refuses the state, no restoration callbacks run`() throws
    {
        let saved = try TestScene.launched(TestObject("nav", value: 1, [TestObject("page")]))
        saved.save()
        let journal = Journal()
        let root = TestObject("nav", value: 5).record(in: journal)
        let test = TestScene(TestDelegate(root), archive: saved.archive)
        test.delegate.journal = journal
        test.delegate.restores = false
        try test.launch()
        #expect(journal.take() == ["willFinishLaunching", "shouldRestore", "didFinishLaunching"])
        #expect(root.value == 5)
        #expect(test.report.isRefused)
    }
}
