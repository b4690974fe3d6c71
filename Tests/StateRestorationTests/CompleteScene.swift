import StateRestoration

/// A scene with all kinds of objects that P2 and R1 mention. Its root is a tab controller with two tabs, one of which
/// is a stack of three controllers. It also has a presented controller, views, and a registered object.
final class CompleteScene {
    static let settingsOrigin = StoryboardOrigin(name: "Main", identifier: "settings")

    let journal = Journal()
    let tab = TestObject("tab")
    let player = TestObject("player", .object)

    init() {
        tab.journal = journal
        player.journal = journal
    }

    /// Creates the base objects.
    ///
    /// The view of the tab controller creates the first tab, whose view creates the bottom of its stack.
    func makeBase() {
        tab.loading = { [self] in tab.add(firstTab()) }
    }

    func firstTab() -> TestObject {
        let stack = withJournal(StackObject("stack"))
        stack.loading = { [self, unowned stack] in
            stack.add(withView("table", withJournal(TestObject("list"))))
        }
        return stack
    }

    func detail() -> TestObject { withView("field", withJournal(MadeObject("detail"))) }

    func settings() -> TestObject {
        let settings = withView("switch", withJournal(TestObject("settings")))
        settings.restoration.storyboard = Self.settingsOrigin
        return settings
    }

    func sheet() -> TestObject { withView("text", withJournal(TestObject("sheet"))) }

    /// Returns an object whose view contains one view, which is created when the object loads.
    private func withView(_ identifier: RestorationIdentifier, _ object: TestObject) -> TestObject {
        object.loading = { [self, unowned object] in
            object.add(withJournal(TestObject(identifier, .view)))
        }
        return object
    }

    func withJournal<Object: TestObject>(_ object: Object) -> Object {
        object.journal = journal
        return object
    }

    /// Returns a launched and saved scene in which all objects were created by hand.
    func saved() throws -> TestScene {
        makeBase()
        let test = TestScene(TestDelegate(tab), classes: .withMadeObject)
        test.delegate.launching = { [self] in
            try $0.registerObject(forStateRestoration: player, restorationIdentifier: "player")
            tab.loadRestorationChildren()
            tab.add(settings())
            tab.add(sheet())
            let stack = tab.children[0]
            stack.loadRestorationChildren()
            let detail = detail()
            detail.restoration.restorationClass = MadeObject.self
            stack.add(detail)
            stack.add(withJournal(TestObject("notes")))
            for object in tab.children + stack.children where object !== stack {
                object.loadRestorationChildren()
            }
            tab.reference = tab.children[2]
        }
        try test.launch()
        test.delegate.journal = journal
        _ = journal.take()
        test.save()
        return test
    }
}
