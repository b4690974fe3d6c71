import StateRestoration
import Testing

/// A scene with all that R1 speaks of: a tab controller at the root with two tabs, one of which is
/// a stack of three, a presented controller, views, and a registered object.
private final class Everything {
    static let settingsOrigin = StoryboardOrigin(name: "Main", identifier: "settings")

    let journal = Journal()
    let tab = TestObject("tab")
    let player = TestObject("player", .object)

    init() {
        tab.journal = journal
        player.journal = journal
    }

    /// The base objects: the tab controller, whose view makes the first tab, whose view makes the
    /// bottom of its stack.
    func makeBase() {
        tab.loading = { [self] in tab.add(firstTab()) }
    }

    func firstTab() -> TestObject {
        let stack = noted(StackObject("stack"))
        stack.loading = { [self, unowned stack] in
            stack.add(withView("table", noted(TestObject("list"))))
        }
        return stack
    }

    func detail() -> TestObject { withView("field", noted(MadeObject("detail"))) }

    func settings() -> TestObject {
        let settings = withView("switch", noted(TestObject("settings")))
        settings.restoration.storyboard = Self.settingsOrigin
        return settings
    }

    func sheet() -> TestObject { withView("text", noted(TestObject("sheet"))) }

    /// An object whose view has one view in it, made when it is loaded.
    private func withView(_ identifier: RestorationIdentifier, _ object: TestObject) -> TestObject {
        object.loading = { [self, unowned object] in
            object.add(noted(TestObject(identifier, .view)))
        }
        return object
    }

    func noted<Object: TestObject>(_ object: Object) -> Object {
        object.journal = journal
        return object
    }
}

@Suite struct LaunchOrderTests {
    /// What a scene saves in which everything was made by hand.
    private func archive() throws -> MemoryArchive {
        let all = Everything()
        all.makeBase()
        let test = TestScene(TestDelegate(all.tab), classes: .withMadeObject)
        test.delegate.launching = {
            try $0.registerObject(
                forStateRestoration: all.player, restorationIdentifier: "player")
            all.tab.loadRestorationChildren()
            all.tab.add(all.settings())
            all.tab.add(all.sheet())
            let stack = all.tab.children[0]
            stack.loadRestorationChildren()
            let detail = all.detail()
            detail.restoration.restorationClass = MadeObject.self
            stack.add(detail)
            stack.add(TestObject("notes"))
            for object in all.tab.children + stack.children where object !== stack {
                object.loadRestorationChildren()
            }
            all.tab.reference = all.tab.children[2]
        }
        try test.launch()
        test.save()
        return test.archive
    }

    @Test func `R1: everything is found, then decodes, then is told, parents first`() throws {
        let archive = try archive()
        let all = Everything()
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
            case "tab/stack/notes": all.noted(TestObject("notes"))
            case "tab/sheet": all.sheet()
            default: nil
            }
        }
        delegate.making = { path, _ in path.description == "tab/stack/detail" ? all.detail() : nil }
        try test.launch(TestStoryboard(makers: [Everything.settingsOrigin: { all.settings() }]))
        let order = [
            "tab", "stack", "list", "table", "detail", "field", "notes", "settings", "switch",
            "sheet", "text", "player",
        ]
        #expect(
            all.journal.take() == [
                "willFinishLaunching",
                "shouldRestore",
                // The window's root exists; its view brings the first tab.
                "delegate tab", "load tab",
                // The stack's view brings its bottom.
                "delegate tab/stack", "load stack",
                "delegate tab/stack/list", "load list", "load table",
                // The middle has a restoration class, so the delegate is not asked.
                "class tab/stack/detail", "load detail", "load field",
                "delegate tab/stack/notes", "load notes",
                // The second tab comes from its storyboard, after the delegate had none.
                "delegate tab/settings", "load settings", "load switch",
                // What is presented; its presenter refers to it.
                "delegate tab/sheet", "load sheet", "load text",
                // The registered object; finders of view controllers are not asked for it.
                "load player",
            ] + order.map { "decode \($0)" } + ["didDecode"] + order.map { "finished \($0)" }
                + ["didFinishLaunching"])
        #expect(test.unrestored == [])
        #expect(test.report.recorded == 12)
        #expect(test.report.restored == 12)
        #expect(all.tab.reference?.label == "sheet")
    }

    @Test func `R1: the stages of a launch are reached in their order`() throws {
        let archive = try archive()
        let journal = Journal()
        let all = Everything()
        all.makeBase()
        let test = TestScene(TestDelegate(all.tab), archive: archive, classes: .withMadeObject)
        all.tab.decoding = { _ in journal.note("decode") }
        all.tab.loading = { journal.note("load") }
        test.delegate.launching = { _ in journal.note("willFinishLaunching") }
        test.delegate.launched = { _ in journal.note("didFinishLaunching") }
        test.delegate.decoding = { _ in journal.note("didDecode") }
        test.scene.onStage = { journal.note($0.rawValue) }
        try test.launch()
        #expect(
            journal.take() == [
                "launch-begin", "willFinishLaunching", "launch-made", "load", "launch-found",
                "decode", "launch-decoded", "didDecode", "didFinishLaunching", "launch-finished",
            ])
    }

    @Test func `R1: without an archive no other callback runs`() throws {
        let journal = Journal()
        let test = TestScene(TestDelegate(TestObject("nav").note(in: journal)))
        test.delegate.journal = journal
        try test.launch()
        #expect(journal.take() == ["willFinishLaunching", "didFinishLaunching"])
    }

    @Test func `R1 and P1: when the delegate refuses no other callback runs`() throws {
        let saved = try TestScene.launched(TestObject("nav", value: 1, [TestObject("page")]))
        saved.save()
        let journal = Journal()
        let root = TestObject("nav", value: 5).note(in: journal)
        let test = TestScene(TestDelegate(root), archive: saved.archive)
        test.delegate.journal = journal
        test.delegate.restores = false
        try test.launch()
        #expect(journal.take() == ["willFinishLaunching", "shouldRestore", "didFinishLaunching"])
        #expect(root.value == 5)
        #expect(test.report.isRefused)
    }
}
