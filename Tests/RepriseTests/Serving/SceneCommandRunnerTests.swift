import ControllerKit
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

@Suite struct SceneCommandRunnerTests {
    /// Delegate with a navigation controller that contains a parent, one of whose children has no identifier.
    private final class Delegate: ApplicationDelegate {
        let window: Window? = Window()
        let field = TextField()
        let control = SegmentedControl()

        init() {
            let navigation = NavigationController()
            navigation.restorationIdentifier = "nav"
            let parent = ViewController()
            parent.title = "Parent"
            parent.restorationIdentifier = "parent"
            control.restorationIdentifier = "control"
            control.segments = ["One", "Two"]
            control.selectedSegmentIndex = 0
            field.restorationIdentifier = "field"
            parent.view.addSubview(control)
            parent.view.addSubview(field)
            parent.addChild(ViewController())
            navigation.setViewControllers([parent])
            window?.rootViewController = navigation
        }

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) throws {
            window?.makeKeyAndVisible()
        }

        func application(
            _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
        ) -> Bool { true }
    }

    private static let passMetadata = PassMetadata(
        bundleVersion: "1", timestamp: 0, systemVersion: "T")

    private func launched(_ delegate: Delegate = Delegate()) throws -> Scene {
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: .controllerKit,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        _ = scene.preserve(Self.passMetadata)
        return scene
    }

    @Test func `show draws what a user would see`() throws {
        let delegate = Delegate()
        delegate.field.text = "hello"
        let renderedText = SceneCommandRunner(try launched(delegate)).renderedText()
        #expect(renderedText.contains("Parent"))
        #expect(renderedText.contains("[ One ]"))
        #expect(renderedText.contains("hello▏"))
    }

    @Test func `tree lists every object, parents first, and why an object is not preserved`() throws
    {
        let objects = SceneCommandRunner(try launched()).tree().objects
        #expect(
            Set(objects.map(\.path)) == [
                "nav", "nav/parent", "nav/parent/control", "nav/parent/field",
                "nav/parent/@ViewController",
            ])
        #expect(objects.map(\.path).prefix(2) == ["nav", "nav/parent"])
        let unpreserved = objects.filter { !$0.preserved }
        #expect(unpreserved.map(\.path) == ["nav/parent/@ViewController"])
        #expect(unpreserved.map(\.reason) == ["it has no restoration identifier"])
        #expect(objects.filter(\.preserved).allSatisfy { $0.reason == nil })
        #expect(objects.first { $0.path == "nav/parent/field" }?.class == "TextField")
    }

    @Test func `get returns the values that an object saves and further properties`() throws {
        let delegate = Delegate()
        delegate.field.text = "hello"
        let commands = SceneCommandRunner(try launched(delegate))
        let field = try commands.values(at: "nav/parent/field", passMetadata: Self.passMetadata)
        #expect(field["text"] == .string("hello"))
        #expect(
            field["selectedRange"]
                == .object(["lowerBound": .integer(5), "upperBound": .integer(5)]))
        let navigation = try commands.values(at: "nav", passMetadata: Self.passMetadata)
        #expect(
            navigation["viewControllers"]
                == .array([.object(["reference": .string("nav/parent")])]))
        let parent = try commands.values(at: "nav/parent", passMetadata: Self.passMetadata)
        #expect(parent["title"] == .string("Parent"))
    }

    @Test(arguments: ["", "wörld 🌍", "two\nlines", "\u{0}"])
    func `type replaces the whole text and puts the caret at its end`(text: String) throws {
        let delegate = Delegate()
        delegate.field.text = "before"
        delegate.field.preservesText = true
        let commands = SceneCommandRunner(try launched(delegate))
        #expect(try commands.notSavedReason(commands.type(text, at: "nav/parent/field")) == nil)
        #expect(delegate.field.text == text)
        #expect(delegate.field.selectedRange == text.count..<text.count)
    }

    @Test func `the reply to typed text that is not preserved contains the reason`() throws {
        let delegate = Delegate()
        delegate.window?.rootViewController?.restorationIdentifier = nil
        let commands = SceneCommandRunner(try launched(delegate))
        let omission = try commands.notSavedReason(
            commands.type("lost", at: "@NavigationController/parent/field"))
        #expect(
            omission == "@NavigationController/parent is not preserved: "
                + "@NavigationController, above it, has no restoration identifier")
        #expect(delegate.field.text == "lost")
    }

    @Test func `P6: explain reports the nearest ancestor that has no identifier`() throws {
        let delegate = Delegate()
        delegate.window?.rootViewController?.restorationIdentifier = nil
        let commands = SceneCommandRunner(try launched(delegate))
        let path = "@NavigationController/parent/field"
        let reply = ExplainCall.Reply(
            commands.explanation(of: path, passMetadata: Self.passMetadata).explanation)
        #expect(reply.live)
        #expect(reply.class == "TextField")
        #expect(!reply.preserved)
        #expect(reply.gap == "@NavigationController")
        #expect(reply.recordedPath == nil)
        #expect(reply.values == nil)
        #expect(!reply.restored)
        #expect(
            reply.story == [
                "\(path) is a TextField, and is not preserved: @NavigationController, above it, has "
                    + "no restoration identifier; give that object one.",
                "The last launch found nothing saved (pristine).",
            ])
    }

    @Test func `explain reports how much a preserved object saves`() throws {
        let reply = ExplainCall.Reply(
            SceneCommandRunner(try launched()).explanation(
                of: "nav/parent/field", passMetadata: Self.passMetadata
            )
            .explanation)
        #expect(reply.preserved)
        #expect(reply.recordedPath == "nav/parent/field")
        #expect(reply.values == 1)
        #expect((reply.bytes ?? 0) > 0)
        #expect(reply.problems == [])
        #expect(reply.encodeFailure == nil)
        #expect(reply.launchReason == "pristine")
    }

    @Test func `select selects a segment`() throws {
        let delegate = Delegate()
        let commands = SceneCommandRunner(try launched(delegate))
        #expect(try commands.notSavedReason(commands.select([1], at: "nav/parent/control")) == nil)
        #expect(delegate.control.selectedSegmentIndex == 1)
    }

    @Test(arguments: [
        ("nav/none", "nav"), ("", nil), ("/", nil), ("nav/", "nav"), ("/nav", nil), ("NAV", nil),
        ("nav/parent/field/field", "nav/parent/field"), ("nav/none/field", "nav"),
    ])
    func `a path without an object is refused with the nearest existing ancestor`(
        path: String, nearest: String?
    ) throws {
        let commands = SceneCommandRunner(try launched())
        let error = ControlError.noSuchObject(path: path, nearest: nearest)
        let explanation = commands.explanation(of: path, passMetadata: Self.passMetadata)
        #expect(!explanation.explanation.isObjectKnown && explanation.nearestAddress == nearest)
        #expect(throws: error) { try commands.values(at: path, passMetadata: Self.passMetadata) }
        #expect(throws: error) { try commands.type("x", at: path) }
        #expect(throws: error) { try commands.select([0], at: path) }
    }

    @Test func `a command on an object of the wrong class is refused with the class`() throws {
        let commands = SceneCommandRunner(try launched())
        #expect(
            throws: ControlError.notApplicable(
                path: "nav", class: "NavigationController", method: "type")
        ) { try commands.type("x", at: "nav") }
        #expect(
            throws: ControlError.notApplicable(
                path: "nav/parent/field", class: "TextField", method: "select")
        ) { try commands.select([0], at: "nav/parent/field") }
    }

    @Test(arguments: [2, -1, Int.max, Int.min])
    func `an index that is out of range is refused, and nothing changes`(index: Int) throws {
        let delegate = Delegate()
        let commands = SceneCommandRunner(try launched(delegate))
        #expect(
            throws: ControlError.indexOutOfRange(
                path: "nav/parent/control", index: index, count: 2)
        ) { try commands.select([index], at: "nav/parent/control") }
        #expect(delegate.control.selectedSegmentIndex == 0)
    }

    @Test func `a segmented control accepts exactly one index`() throws {
        let commands = SceneCommandRunner(try launched())
        #expect(
            throws: ControlError.tooManyIndexes(path: "nav/parent/control", given: 2, most: 1)
        ) { try commands.select([0, 1], at: "nav/parent/control") }
    }
}
