import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

/// Replies to commands whose changes are not preserved.
@Suite struct OmissionTests {
    private static let listLoss =
        "main/@OperatedList is not preserved: it has no restoration identifier"
    private static let mainLoss =
        "@OperatedController is not preserved: it has no restoration identifier"

    @Test func `V2: a view without an identifier loses its own state`() throws {
        let scene = try OperatedScene(unnamed: ["list", "pages", "text"])
        let list = "main/@OperatedList"
        #expect(
            try scene.commands.notSavedReason(scene.commands.select([1], at: list)) == Self.listLoss
        )
        #expect(
            try scene.commands.notSavedReason(scene.commands.select(identifiers: ["a"], at: list))
                == Self.listLoss)
        #expect(
            try scene.commands.notSavedReason(scene.commands.tap(row: 0, at: list)) == Self.listLoss
        )
        #expect(
            try scene.commands.notSavedReason(scene.commands.edit(true, at: list)) == Self.listLoss)
        let pages = "main/@OperatedPages"
        let loss = "\(pages) is not preserved: it has no restoration identifier"
        #expect(
            try scene.commands.notSavedReason(scene.commands.scroll(to: .zero, at: pages)) == loss)
        #expect(try scene.commands.notSavedReason(scene.commands.zoom(to: 2, at: pages)) == loss)
        #expect(try scene.commands.notSavedReason(scene.commands.load("a:b", at: pages)) == loss)
        #expect(try scene.commands.notSavedReason(scene.commands.back(at: pages)) == loss)
        #expect(try scene.commands.notSavedReason(scene.commands.forward(at: pages)) == loss)
        let text = "main/@OperatedText"
        #expect(
            try scene.commands.notSavedReason(scene.commands.type(nil, selecting: 0..<0, at: text))
                == "\(text) is not preserved: it has no restoration identifier")
    }

    @Test
    func `V4: values that the controller saves are preserved even if the view has no identifier`()
        throws
    {
        let scene = try OperatedScene(unnamed: ["text", "button"])
        #expect(
            try scene.commands.notSavedReason(scene.commands.type("x", at: "main/@OperatedText"))
                == nil)
        #expect(
            try scene.commands.notSavedReason(scene.commands.tap(at: "main/@OperatedButton")) == nil
        )
    }

    @Test func `V7: a number typed into a slider is preserved, even if it is typed again`()
        throws
    {
        let scene = try OperatedScene()
        let slider = Slider()
        slider.restorationIdentifier = "number"
        scene.controller.view.addSubview(slider)
        for number in ["0.5", "0.5", "0.25"] {
            #expect(
                try scene.commands.notSavedReason(scene.commands.type(number, at: "main/number"))
                    == nil)
        }
    }

    @Test func `P6: if the controller has no identifier, nothing in its views is preserved`() throws
    {
        let scene = try OperatedScene(identifier: nil)
        let above = "@OperatedController"
        #expect(
            try scene.commands.notSavedReason(scene.commands.select([0], at: above))
                == Self.mainLoss)
        #expect(
            try scene.commands.notSavedReason(scene.commands.type("x", at: "\(above)/text"))
                == Self.mainLoss)
        #expect(
            try scene.commands.notSavedReason(scene.commands.tap(at: "\(above)/button"))
                == Self.mainLoss)
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.scroll(to: .zero, at: "\(above)/pages"))
                == "\(above)/pages is not preserved: \(above), above it, has no restoration "
                + "identifier")
    }

    @Test func `P19: moved and deleted rows are saved with the model, even without an identifier`()
        throws
    {
        let scene = try OperatedScene(identifier: nil)
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.move(from: 0, to: 1, at: "@OperatedController/list")) == nil)
        #expect(
            try scene.commands.notSavedReason(
                scene.commands.delete(row: 0, at: "@OperatedController/list"))
                == nil)
    }

    // MARK: Contents of records

    /// Controller that encodes some of its text fields.
    private final class Form: ViewController {
        let plain = TextField()
        let own = TextView()
        let secret = SecureTextField()
        @RestorableText("kept") var kept = TextField()
        let choice = SegmentedControl()
        let button = Button()

        override func restorables(_ visitor: inout some RestorableVisitor) {
            super.restorables(&visitor)
            visitor.visit($kept)
        }

        override func viewDidLoad() {
            super.viewDidLoad()
            own.preservesText = true
            choice.segments = ["one", "two"]
            choice.selectedSegmentIndex = 0
            let views: [(RestorationIdentifier?, View)] = [
                ("plain", plain), ("own", own), ("secret", secret), ("kept", kept), (nil, choice),
                ("button", button),
            ]
            for (identifier, part) in views {
                part.restorationIdentifier = identifier
                view.addSubview(part)
            }
            secret.addAction(for: .editingChanged) { [weak self] in self?.kept.text = "noted" }
            button.addAction(for: .primaryActionTriggered) { [weak self] in
                if let navigation = self?.navigationController {
                    navigation.pushViewController(ViewController())
                } else {
                    self?.showDetail(ViewController())
                }
            }
        }
    }

    private final class FormDelegate: ApplicationDelegate {
        let window: Window? = Window()

        init(inSplit: Bool, navigation: NavigationController) {
            let form = Form()
            form.restorationIdentifier = "form"
            if inSplit {
                let split = SplitViewController()
                split.restorationIdentifier = "split"
                split.setViewController(form, for: .primary)
                window?.rootViewController = split
            } else {
                navigation.restorationIdentifier = "nav"
                navigation.setViewControllers([form])
                window?.rootViewController = navigation
            }
        }

        func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
            window?.makeKeyAndVisible()
        }

        func application(
            _ scene: Scene, shouldSaveApplicationState coder: StateEncoder
        ) -> Bool { true }
    }

    private func form(
        limits: ValueLimits = ValueLimits(), inSplit: Bool = false,
        navigation: NavigationController = NavigationController()
    ) throws -> SceneCommandRunner {
        let scene = Scene(
            name: "main", launchReason: .pristine,
            delegate: FormDelegate(inSplit: inSplit, navigation: navigation),
            classes: .controllerKit,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()),
            limits: limits)
        try scene.launch(restoring: nil)
        scene.makePass()
        return SceneCommandRunner(scene)
    }

    @Test func `P21: a text that no code encodes is never reported as saved`() throws {
        let commands = try form()
        for _ in 0..<2 {
            #expect(
                try commands.notSavedReason(commands.type("x", at: "nav/form/plain"))
                    == "no record contains the text of nav/form/plain: set preservesText: true for "
                    + "it in the storyboard and run `reprisectl reload`, or let its controller encode it"
            )
        }
    }

    /// Navigation controller that encodes the text of a view that does not invalidate it.
    private final class Onlooker: NavigationController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode((viewControllers.first as? Form)?.plain.text ?? "", forKey: "seen")
        }
    }

    @Test func `P21: a text that code would encode is saved only if a record contains it`() throws {
        let navigation = Onlooker()
        let commands = try form(navigation: navigation)
        #expect(
            try commands.notSavedReason(commands.type("x", at: "nav/form/plain"))?
                .hasPrefix("no record contains the text of nav/form/plain") == true)
        navigation.invalidateRestorableState()
        commands.scene.makePass()
        #expect(try commands.notSavedReason(commands.type("x", at: "nav/form/plain")) == nil)
    }

    @Test func `P21: an unsaved text in an editor names the controller that saves the model data`()
        throws
    {
        let commands = try form()
        let form = try #require(commands.window?.controllers.first { $0 is Form })
        form.isModalInPresentation = true
        #expect(
            try commands.notSavedReason(commands.type("x", at: "nav/form/plain"))
                == "the text of nav/form/plain is an unsaved change of model data: save it in "
                + "nav/form, which writes the model")
    }

    @Test(arguments: ["kept", "own"])
    func `P21: a text is saved if its controller or the view itself encodes it`(
        view: String
    ) throws {
        let commands = try form()
        for text in ["x", "x", "y", ""] {
            #expect(try commands.notSavedReason(commands.type(text, at: "nav/form/\(view)")) == nil)
        }
    }

    @Test func `P21: texts typed one after another in one turn are all saved`()
        throws
    {
        let commands = try form()
        #expect(try commands.notSavedReason(commands.type("x", at: "nav/form/kept")) == nil)
        let checks = try ["y", "x"].map { try commands.type($0, at: "nav/form/kept") }
        #expect(checks.map { commands.notSavedReason($0) } == [nil, nil])
    }

    @Test func `P21: a text is not saved just because it is part of a saved text`() throws {
        let commands = try form()
        #expect(try commands.notSavedReason(commands.type("Paris", at: "nav/form/kept")) == nil)
        #expect(
            try commands.notSavedReason(commands.type("a", at: "nav/form/plain"))?
                .hasPrefix("no record contains the text of nav/form/plain") == true)
    }

    @Test func `P21: a text is not saved just because another command in the turn saves a text`()
        throws
    {
        let commands = try form()
        let kept = try commands.type("kept", at: "nav/form/kept")
        let plain = try commands.type("plain", at: "nav/form/plain")
        let own = try commands.type("own", at: "nav/form/own")
        let reasons = commands.notSavedReason([kept, plain, own])
        #expect(reasons[0] == nil)
        #expect(reasons[1]?.hasPrefix("no record contains the text of nav/form/plain") == true)
        #expect(reasons[2] == nil)
    }

    @Test func `P15, P21: a secret is never saved, and the reply says so`()
        throws
    {
        let commands = try form()
        #expect(
            try commands.notSavedReason(commands.type("x", at: "nav/form/secret"))
                == "the text of nav/form/secret is secret and never saved")
    }

    @Test func `P21: a selection in a control without an identifier is not saved`() throws {
        let commands = try form()
        let path = "nav/form/@SegmentedControl"
        #expect(
            try commands.notSavedReason(commands.select([1], at: path))
                == "\(path) is not preserved: it has no restoration identifier")
        // Choosing the same segment again changes nothing.
        #expect(try commands.notSavedReason(commands.select([1], at: path)) == nil)
    }

    @Test func `P21: a controller without an identifier that a tap pushes is reported`() throws {
        let commands = try form()
        #expect(
            try commands.notSavedReason(commands.tap(at: "nav/form/button"))
                == "nav/@ViewController is not preserved: it has no restoration identifier")
    }

    @Test func `P21: a controller without an identifier that a tap shows in a column is reported`()
        throws
    {
        let commands = try form(inSplit: true)
        #expect(
            try commands.notSavedReason(commands.tap(at: "split/form/button"))
                == "split/@ViewController is not preserved: it has no restoration identifier")
    }

    @Test
    func `P9, P21: a value above the limit affects only the reply to the command that set it`()
        throws
    {
        let commands = try form(limits: ValueLimits(warningBytes: 50, maximumBytes: 100))
        let long = String(repeating: "x", count: 200)
        let omission = try commands.notSavedReason(commands.type(long, at: "nav/form/kept"))
        #expect(omission?.hasPrefix("nav/form: \"kept\" is not saved") == true)
        for _ in 0..<2 {
            #expect(
                try commands.notSavedReason(commands.type("y", at: "nav/form/own"), isNew: false)
                    == nil)
        }
    }

    @Test(arguments: [("kept", false), ("own", false), ("secret", false), ("plain", true)])
    func `P21: the explanation of a text field says whether its text is lost on a restart`(
        view: String, isLost: Bool
    ) throws {
        let commands = try form()
        let path = "nav/form/\(view)"
        let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "T")
        func problems() -> [String] {
            ExplainCall.Reply(
                commands.explanation(of: path, passMetadata: passMetadata).explanation
            ).problems
        }
        // An empty text is not lost.
        #expect(problems() == [])
        _ = try commands.notSavedReason(commands.type("x", at: path))
        #expect(problems().count == (isLost ? 1 : 0))
        #expect(problems().allSatisfy { $0.hasPrefix("no record contains the text of \(path)") })
    }

    @Test func `P21: only the command that showed a controller reports that it is not preserved`()
        throws
    {
        let commands = try form()
        let loss = "nav/@ViewController is not preserved: it has no restoration identifier"
        #expect(try commands.notSavedReason(commands.tap(at: "nav/form/button")) == loss)
        #expect(try commands.notSavedReason(commands.type("x", at: "nav/form/kept")) == nil)
    }

    @Test func `P21: a caret in a view without an identifier is lost even if its text is saved`()
        throws
    {
        let commands = try form()
        let form = try #require(commands.window?.controllers.compactMap { $0 as? Form }.first)
        form.kept.restorationIdentifier = nil
        let path = "nav/form/@TextField"
        #expect(try commands.notSavedReason(commands.type("xy", at: path)) == nil)
        #expect(
            try commands.notSavedReason(commands.edit(.move(.left), at: path))
                == "\(path) is not preserved: it has no restoration identifier")
    }

    @Test(arguments: ["kept", "own"])
    func `P21: a text is lost if the controller above it is not preserved`(view: String) throws {
        let commands = try form()
        let form = try #require(commands.window?.controllers.first { $0 is Form })
        form.restorationIdentifier = nil
        // The first pass removes the controller's record.
        #expect(commands.notSavedReason({ _ in nil }) == nil)
        for _ in 1...2 {
            let omission = try commands.notSavedReason(
                commands.type("x", at: "nav/@Form/\(view)"))
            #expect(omission?.contains("has no restoration identifier") == true)
        }
    }

    /// Controller that encodes the text of its field as one of many values.
    private final class Collector: ViewController {
        let field = TextField()
        var usesDictionary = false

        override func viewDidLoad() {
            super.viewDidLoad()
            field.restorationIdentifier = "field"
            view.addSubview(field)
        }

        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            let texts = (1...20).map { "text \($0)" } + [field.text]
            if usesDictionary {
                var values: [String: String] = [:]
                for text in texts { values[text] = text }
                coder.encode(values, forKey: "texts")
            } else {
                coder.encode(texts, forKey: "texts")
            }
        }
    }

    @Test(arguments: [false, true])
    func `P21: a text is saved if its controller encodes it within another value`(
        usesDictionary: Bool
    ) throws {
        let scene = try OperatedScene()
        let collector = Collector()
        collector.restorationIdentifier = "collector"
        collector.usesDictionary = usesDictionary
        scene.controller.addChild(collector)
        let path = "main/collector/field"
        for text in ["x", "x", "y"] {
            #expect(try scene.commands.notSavedReason(scene.commands.type(text, at: path)) == nil)
        }
    }

    /// List whose rows no code saves.
    private final class VolatileList: View, ListInteracting {
        func select(_ indexes: [Int]) throws(OperationError) {}
        func select(modelIdentifiers: [String]) throws(OperationError) {}
        func tapElement(at index: Int) throws(OperationError) {}
        func moveElement(from index: Int, to destination: Int) throws(OperationError) {}
        func deleteElement(at index: Int) throws(OperationError) { restorableStateDidChange() }
    }

    @Test
    func `P19, P21: a deleted row is lost unless a record or the model data contains the change`()
        throws
    {
        let scene = try OperatedScene()
        let list = VolatileList()
        list.restorationIdentifier = "rows"
        scene.controller.view.addSubview(list)
        // The first pass saves the list.
        #expect(scene.commands.notSavedReason({ _ in nil }) == nil)
        let check = try scene.commands.delete(row: 0, at: "main/rows")
        #expect(
            scene.commands.notSavedReason(check)
                == "no record and no model data contain the change in main/rows: store its rows in the "
                + "model, or let a controller encode them")
        #expect(check(PassOutcome(isModelChanged: true)) == nil)
        let unchanged = try scene.commands.move(from: 0, to: 1, at: "main/rows")
        #expect(scene.commands.notSavedReason(unchanged) == nil)
    }

    @Test func `P9, P21: a value that remains above the limit is reported again`() throws {
        let commands = try form(limits: ValueLimits(warningBytes: 50, maximumBytes: 100))
        for (character, isNew) in [("x", true), ("y", false)] {
            let long = String(repeating: character, count: 200)
            let omission = try commands.notSavedReason(
                commands.type(long, at: "nav/form/kept"), isNew: isNew)
            #expect(omission?.hasPrefix("nav/form: \"kept\" is not saved") == true)
        }
    }

    @Test func `P9, P21: a value above the limit affects no other command of the turn`() throws {
        let commands = try form(limits: ValueLimits(warningBytes: 50, maximumBytes: 100))
        let long = String(repeating: "x", count: 200)
        let kept = try commands.type(long, at: "nav/form/kept")
        let own = try commands.type("y", at: "nav/form/own")
        let reasons = commands.notSavedReason([kept, own])
        #expect(reasons[0]?.hasPrefix("nav/form: \"kept\" is not saved") == true)
        #expect(reasons[1] == nil)
    }
}
