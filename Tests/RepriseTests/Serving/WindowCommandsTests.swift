import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

/// User operations on the scene as a whole.
@Suite struct WindowCommandsTests {
    private final class Delegate: ApplicationDelegate {
        let window: Window?
        let navigation = NavigationController()
        let top = ViewController()

        init(hasWindow: Bool = true, identifier: RestorationIdentifier? = "nav") {
            window = hasWindow ? Window() : nil
            navigation.restorationIdentifier = identifier
            let bottom = ViewController()
            bottom.restorationIdentifier = "bottom"
            top.restorationIdentifier = "top"
            navigation.setViewControllers([bottom, top])
            window?.rootViewController = navigation
        }

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
            window?.makeKeyAndVisible()
        }

        func application(
            _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
        ) -> Bool { true }
    }

    private func launched(_ delegate: Delegate) throws -> SceneCommandRunner {
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: .controllerKit,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        _ = scene.preserve(PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "T"))
        return SceneCommandRunner(scene)
    }

    private func expectRefused(
        _ method: String, path: String? = nil, _ body: () throws -> PersistenceCheck
    ) {
        do {
            _ = try body()
            Issue.record("\(method) was not refused")
        } catch ControlError.notPossible(let refusedPath, let name, let reason) {
            #expect(refusedPath == path)
            #expect(name == method)
            #expect(!reason.isEmpty)
        } catch {
            Issue.record(error)
        }
    }

    @Test func `back pops the visible stack until only its root remains`() throws {
        let delegate = Delegate()
        let commands = try launched(delegate)
        #expect(try commands.notSavedReason(commands.back()) == nil)
        #expect(delegate.navigation.viewControllers.map(\.restorationIdentifier) == ["bottom"])
        expectRefused("back") { try commands.back() }
        expectRefused("back", path: "nav") { try commands.back(at: "nav") }
        #expect(delegate.navigation.viewControllers.count == 1)
    }

    @Test func `back with a path pops the stack at that path`() throws {
        let delegate = Delegate()
        let commands = try launched(delegate)
        #expect(try commands.notSavedReason(commands.back(at: "nav")) == nil)
        #expect(delegate.navigation.viewControllers.count == 1)
    }

    @Test func `dismiss closes the controller that was presented last`() throws {
        let delegate = Delegate()
        let commands = try launched(delegate)
        let first = ViewController()
        first.restorationIdentifier = "first"
        let second = ViewController()
        delegate.top.present(first)
        first.present(second)
        #expect(try commands.notSavedReason(commands.dismiss()) == nil)
        #expect(delegate.window?.topViewController === first)
        #expect(try commands.notSavedReason(commands.dismiss()) == nil)
        #expect(delegate.window?.topViewController === delegate.navigation)
        expectRefused("dismiss") { try commands.dismiss() }
    }

    private func expectUnsaved(
        at path: String, _ method: String, _ body: () throws -> PersistenceCheck
    ) {
        #expect(throws: ControlError.unsavedChanges(path: path, method: method)) { _ = try body() }
    }

    @Test func `dismiss can keep unsaved changes, even changes inside a container`()
        throws
    {
        let delegate = Delegate()
        let commands = try launched(delegate)
        let (sheet, page) = (NavigationController(), ViewController())
        (sheet.restorationIdentifier, page.restorationIdentifier) = ("sheet", "page")
        sheet.setViewControllers([page])
        delegate.top.present(sheet)
        for changed in [page, sheet] {
            changed.isModalInPresentation = true
            let path = changed === page ? "nav/sheet/page" : "nav/sheet"
            expectUnsaved(at: path, "dismiss") { try commands.dismiss(keepsChanges: true) }
            #expect(delegate.window?.topViewController === sheet)
            changed.isModalInPresentation = false
        }
        // Unsaved changes of a controller that remains do not prevent the dismissal.
        delegate.top.isModalInPresentation = true
        _ = try commands.dismiss(keepsChanges: true)
        #expect(delegate.window?.topViewController === delegate.navigation)
        expectRefused("dismiss") { try commands.dismiss(keepsChanges: true) }
    }

    @Test func `back can keep unsaved changes, with or without a path`() throws {
        let delegate = Delegate()
        let commands = try launched(delegate)
        delegate.top.isModalInPresentation = true
        expectUnsaved(at: "nav/top", "back") { try commands.back(keepsChanges: true) }
        expectUnsaved(at: "nav/top", "back") { try commands.back(at: "nav", keepsChanges: true) }
        #expect(delegate.navigation.viewControllers.count == 2)
        delegate.navigation.viewControllers.first?.isModalInPresentation = true
        _ = try commands.back()
        #expect(delegate.navigation.viewControllers.count == 1)
        // If going back is not possible, unsaved changes are not checked.
        expectRefused("back") { try commands.back(keepsChanges: true) }
        expectRefused("back", path: "nav") { try commands.back(at: "nav", keepsChanges: true) }
    }

    @Test func `dismiss discards unsaved changes by default`() throws {
        let delegate = Delegate()
        let commands = try launched(delegate)
        let sheet = ViewController()
        sheet.isModalInPresentation = true
        delegate.top.present(sheet)
        _ = try commands.dismiss()
        #expect(delegate.window?.topViewController === delegate.navigation)
    }

    @Test func `P6: commands for a window whose root has no identifier are not preserved`() throws {
        let delegate = Delegate(identifier: nil)
        let commands = try launched(delegate)
        let loss = "@NavigationController is not preserved: it has no restoration identifier"
        delegate.top.present(ViewController())
        #expect(try commands.notSavedReason(commands.dismiss()) == loss)
        #expect(try commands.notSavedReason(commands.back()) == loss)
    }

    @Test func `back and dismiss are refused for a scene without a window`() throws {
        let commands = try launched(Delegate(hasWindow: false))
        expectRefused("back") { try commands.back() }
        expectRefused("dismiss") { try commands.dismiss() }
    }

    @Test func `back with a path discards unsaved changes by default`() throws {
        let delegate = Delegate()
        let commands = try launched(delegate)
        delegate.top.isModalInPresentation = true
        _ = try commands.back(at: "nav")
        #expect(delegate.navigation.viewControllers.count == 1)
    }

    /// List that performs an action when a row is deleted.
    private final class ActingList: View, ListInteracting {
        var onDelete: () throws -> Void = {}

        func select(_ indexes: [Int]) throws(OperationError) {}
        func select(modelIdentifiers: [String]) throws(OperationError) {}
        func tapElement(at index: Int) throws(OperationError) {}
        func moveElement(from index: Int, to destination: Int) throws(OperationError) {}
        func deleteElement(at index: Int) throws(OperationError) {
            do { try onDelete() } catch { throw .notPossible("\(error)") }
        }
    }

    /// Whether the bottom and the top controller have unsaved changes, whether the deletion removes
    /// the top controller, and whether the next pass saves its state to the history.
    @Test(arguments: [
        (false, true, true, true), (true, true, true, true), (true, false, true, false),
        (true, true, false, false), (false, false, true, false),
    ])
    func `a deletion that removes a controller with unsaved changes is recorded for the history`(
        bottomHasChanges: Bool, topHasChanges: Bool, removesTop: Bool, isRecorded: Bool
    ) throws {
        let delegate = Delegate()
        let bottom = try #require(delegate.navigation.viewControllers.first)
        let list = ActingList()
        list.restorationIdentifier = "list"
        bottom.view.addSubview(list)
        let commands = try launched(delegate)
        bottom.isModalInPresentation = bottomHasChanges
        delegate.top.isModalInPresentation = topHasChanges
        if removesTop { list.onDelete = { try delegate.navigation.goBack() } }
        _ = try commands.delete(row: 0, at: "nav/bottom/list")
        #expect(delegate.navigation.viewControllers.count == (removesTop ? 1 : 2))
        #expect(commands.scene.hasRemovedUnsavedController == isRecorded)
    }
}
