import StateRecords
import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct PresentationTests {
    /// A controller that its restoration class creates, unless its identifier is `refused`.
    private final class RestorationClassController: ViewController, ObjectRestoration {
        static func object(
            withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
        ) -> (any StateRestoring)? {
            path.components.last?.text == "refused" ? nil : RestorationClassController()
        }
    }

    private func saved(_ root: ViewController) throws -> TestApplication {
        let application = TestApplication(root)
        application.classes.register(controller: RestorationClassController.self)
        try application.launch()
        application.save()
        return application
    }

    private func launched(
        _ root: ViewController, from other: TestApplication
    ) throws -> (TestApplication, RestorationReport) {
        let application = TestApplication(root)
        application.classes = other.classes
        application.finder = { path in
            path.hasSuffix("made") ? ViewController.named(nil) : nil
        }
        return (application, try application.launch(restoring: other))
    }

    @Test func `I4: the presenter is the outermost container of the controller that presents`()
        throws
    {
        let tabs = TabBarController.named("tabs")
        let navigation = NavigationController.named("nav")
        let page = ViewController.named("page")
        navigation.setViewControllers([page])
        tabs.setViewControllers([navigation])
        let sheet = FieldController.named("sheet")
        #expect(page.present(sheet))
        #expect(sheet.presentingViewController === tabs)
        #expect(sheet.restorationParent === tabs)
        #expect(sheet.parent == nil)
        for controller in [tabs, navigation, page] {
            #expect(controller.presentedViewController === sheet)
        }
        let application = try saved(tabs)
        #expect(
            application.recordedPaths == [
                "tabs", "tabs/nav", "tabs/nav/page", "tabs/sheet", "tabs/sheet/field",
            ])
    }

    @Test
    func
        `I4: a new child's presented controller joins the presentations of the outermost container`()
        throws
    {
        let log = CallLog()
        let page = LoggingController.named("page", log)
        let sheet = LoggingController.named("sheet", log)
        page.present(sheet)
        let navigation = NavigationController.named("nav")
        let other = ViewController()
        navigation.present(other)
        let application = try saved(navigation)
        navigation.pushViewController(page)
        #expect(page.presentedController == nil)
        #expect(other.presentedController === sheet)
        #expect(application.window?.topViewController === sheet)
        #expect(
            log.take().filter { $0.hasSuffix("appear") } == [
                "sheet will appear", "sheet did appear",
            ])
    }

    @Test func `a presenter presents only one controller at a time`() {
        let root = ViewController()
        let first = ViewController()
        #expect(root.present(first))
        #expect(root.present(first))
        #expect(!root.present(ViewController()))
        #expect(root.presentedViewController === first)
    }

    @Test func `presenting a controller removes it from its container or former presenter`() {
        let navigation = NavigationController()
        let page = ViewController()
        navigation.setViewControllers([ViewController(), page])
        let root = ViewController()
        root.present(page)
        #expect(navigation.viewControllers.count == 1)
        let other = ViewController()
        other.present(page)
        #expect(root.presentedViewController == nil)
        #expect(page.presentingViewController === other)
        navigation.loadViewIfNeeded()
        navigation.pushViewController(page)
        #expect(other.presentedViewController == nil)
        #expect(page.presentingViewController == nil)
        #expect(page.view.superview === navigation.view)
    }

    @Test func `a controller can be dismissed by its presenter, by itself or from inside it`() {
        let root = ViewController()
        let navigation = NavigationController()
        let page = ViewController()
        navigation.setViewControllers([page])
        root.present(navigation)
        page.dismiss()
        #expect(root.presentedViewController == nil)
        root.present(navigation)
        navigation.dismiss()
        #expect(root.presentedViewController == nil)
        root.present(navigation)
        root.dismiss()
        #expect(root.presentedViewController == nil)
        root.dismiss()
    }

    @Test func `dismissing also dismisses every controller presented above`() {
        let controllers = (0..<4).map { _ in ViewController() }
        for (below, above) in zip(controllers, controllers.dropFirst()) { below.present(above) }
        controllers[2].dismiss()
        #expect(controllers[3].presentingViewController == nil)
        #expect(controllers[2].presentingViewController === controllers[1])
        controllers[0].dismiss()
        #expect(controllers[1].presentedViewController == nil)
        #expect(controllers[2].presentingViewController == nil)
    }

    @Test func `a dismissed controller is deallocated`() {
        let root = ViewController()
        weak var gone: ViewController?
        do {
            let sheet = ViewController()
            gone = sheet
            root.present(sheet)
        }
        #expect(gone != nil)
        root.dismiss()
        #expect(gone == nil)
    }

    @Test func `presenting a presenter from its presented controller traps with an explanation`()
        async
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let root = ViewController()
            let sheet = ViewController()
            root.present(sheet)
            sheet.present(root)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("cannot present ViewController"))
    }

    @Test func `P10: a presenter saves a reference to its presented controller`() throws {
        let root = ViewController.named("root")
        root.present(ViewController.named("sheet"))
        let application = try saved(root)
        #expect(
            try application.values(of: root)["presentedViewController"]
                == .reference(RestorationPath(["root", "sheet"])))
        root.dismiss()
        #expect(application.scene?.needsPass == true)
        #expect(application.save()?.removals.count == 1)
        #expect(try application.values(of: root)["presentedViewController"] == nil)
    }

    @Test
    func `P6: a presented controller without an identifier is omitted with everything below it`()
        throws
    {
        let root = ViewController.named("root")
        let sheet = ViewController.named(nil)
        root.present(sheet)
        sheet.present(ViewController.named("hint"))
        let application = try saved(root)
        #expect(application.recordedPaths == ["root"])
        #expect(application.output?.diagnostics == [])
    }

    @Test func `P5: a controller whose presenter has no identifier is not preserved`() throws {
        let root = ViewController.named(nil)
        root.present(ViewController.named("sheet"))
        #expect(try saved(root).recordedPaths == [])
    }

    @Test func `P7: a referenced controller is preserved without its presenter`() throws {
        func tree() -> (ViewController, FieldController) {
            let root = ViewController()
            let page = FieldController.named("page")
            root.present(page)
            page.present(ViewController.named("hint"))
            return (root, page)
        }
        let (root, page) = tree()
        let holder = ControllerReference(page)
        let first = TestApplication(root)
        first.prepare = { scene in
            try? scene.registerObject(forStateRestoration: holder, restorationIdentifier: "holder")
        }
        try first.launch()
        page.field.text = "kept"
        let output = try #require(first.save())
        #expect(
            output.objects.map(\.header.identifier)
                == ["main", "holder", "page", "field", "hint"])

        let (next, found) = tree()
        try TestApplication(next).launch(restoring: first)
        #expect(found.field.text == "kept")
        #expect(next.presentedViewController === found)
    }

    /// An object that saves a reference to a controller.
    private final class ControllerReference: StateRestoring {
        let restoration = RestorationNode()
        let controller: ViewController
        init(_ controller: ViewController) { self.controller = controller }
        func encodeRestorableState(with coder: StateEncoder) throws {
            coder.encode(controller, forKey: "held")
        }
        func decodeRestorableState(with coder: StateDecoder) throws {}
    }

    @Test func `V8: presented controllers are presented again, including nested presentations`()
        throws
    {
        let root = ViewController.named("root")
        let sheet = RestorationClassController.named("sheet")
        sheet.restoration.restorationClass = RestorationClassController.self
        root.present(sheet)
        sheet.present(ViewController.named("made"))
        let first = try saved(root)

        let next = ViewController.named("root")
        let (application, report) = try launched(next, from: first)
        #expect(report.unrestored == [])
        let again = try #require(next.presentedViewController)
        #expect(again is RestorationClassController)
        #expect(again.presentedViewController?.restorationIdentifier == "made")
        #expect(application.window?.topViewController === again.presentedViewController)
        #expect(application.scene?.needsPass == true)
        application.save()
        #expect(application.recordedPaths == ["root", "root/sheet", "root/sheet/made"])
    }

    @Test func `R8: a dropped controller is not presented again`() throws {
        let root = ViewController.named("root")
        let sheet = RestorationClassController.named("refused")
        sheet.restoration.restorationClass = RestorationClassController.self
        root.present(sheet)
        sheet.present(ViewController.named("made"))
        let first = try saved(root)

        let next = ViewController.named("root")
        let (_, report) = try launched(next, from: first)
        #expect(report.unrestored.map(\.path) == ["root/refused", "root/refused/made"])
        #expect(report.unrestored.map(\.code) == [.restorationClassNil, .ancestorNotRestored])
        #expect(next.presentedViewController == nil)
    }

    @Test
    func `V8: the saved presented controller replaces the controller that the launch presents`()
        throws
    {
        let root = ViewController.named("root")
        root.present(ViewController.named("made"))
        let first = try saved(root)
        let next = ViewController.named("root")
        next.present(ViewController.named("welcome"))
        _ = try launched(next, from: first)
        #expect(next.presentedViewController?.restorationIdentifier == "made")
    }

    @Test func `V8: a controller that the launch already presents is not presented twice`() throws {
        let root = ViewController.named("root")
        root.present(ViewController.named("sheet"))
        let first = try saved(root)
        let next = ViewController.named("root")
        let sheet = ViewController.named("sheet")
        next.present(sheet)
        let (_, report) = try launched(next, from: first)
        #expect(report.unrestored == [])
        #expect(next.presentedViewController === sheet)
    }

    /// A controller that encodes another controller as its presented controller.
    private final class ForgedPresenter: ViewController {
        var claimed: ViewController?
        override func encodeRestorableState(with coder: StateEncoder) throws {
            coder.encode(claimed, forKey: "presentedViewController")
        }
    }

    @Test func `a saved reference that would make a controller present its presenter is ignored`()
        throws
    {
        func tree() -> (ViewController, ForgedPresenter) {
            let root = ViewController.named("root")
            let sheet = ForgedPresenter.named("sheet")
            root.present(sheet)
            return (root, sheet)
        }
        let (root, sheet) = tree()
        sheet.claimed = root
        let first = try saved(root)
        let (next, lying) = tree()
        let (_, report) = try launched(next, from: first)
        #expect(report.unrestored == [])
        #expect(lying.presentedViewController == nil)
        #expect(next.presentedViewController === lying)
    }

    @Test func `S4: tasks below a presented controller start when it is presented`() async throws {
        let root = ViewController.named("root")
        var started: [() async -> Void] = []
        let application = TestApplication(root)
        application.prepare = { scene in
            scene.records.startTask = { body in
                started.append(body)
                return {}
            }
        }
        try application.launch()
        application.scene?.attachRoot()
        let sheet = ViewController()
        let inner = ViewController()
        inner.task { controller in controller { $0.title = "ran" } }
        sheet.present(inner)
        #expect(started.isEmpty)
        root.present(sheet)
        #expect(started.count == 1)
        for body in started { await body() }
        #expect(inner.title == "ran")
    }
}
