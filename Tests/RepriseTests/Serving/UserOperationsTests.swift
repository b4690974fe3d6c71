import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

/// Commands that operate objects through the protocols for user operations.
@Suite struct UserOperationsTests {
    /// Command with its expected effect on the object at a path.
    struct Command: Sendable, CustomTestStringConvertible {
        let name: String
        let path: String
        let performed: String
        let run: @Sendable (SceneCommandRunner, String) throws -> PersistenceCheck
        var testDescription: String { performed }
    }

    static let all = [
        Command(name: "tap", path: "main/list", performed: "tap 3") { try $0.tap(row: 3, at: $1) },
        Command(name: "tap", path: "main/button", performed: "tap") { try $0.tap(at: $1) },
        Command(name: "edit", path: "main/list", performed: "edit true") {
            try $0.edit(true, at: $1)
        },
        Command(name: "edit", path: "main/list", performed: "edit false") {
            try $0.edit(false, at: $1)
        },
        Command(name: "move", path: "main/list", performed: "move 2 0") {
            try $0.move(from: 2, to: 0, at: $1)
        },
        Command(name: "delete", path: "main/list", performed: "delete 1") {
            try $0.delete(row: 1, at: $1)
        },
        Command(name: "select", path: "main/list", performed: "choose [2, 0]") {
            try $0.select([2, 0], at: $1)
        },
        Command(name: "select", path: "main/list", performed: "choose []") {
            try $0.select([], at: $1)
        },
        Command(name: "select", path: "main/list", performed: #"choose ["b", "a"]"#) {
            try $0.select(identifiers: ["b", "a"], at: $1)
        },
        Command(name: "scroll", path: "main/pages", performed: "scroll -1.5 2.0") {
            try $0.scroll(to: Point(x: -1.5, y: 2), at: $1)
        },
        Command(name: "zoom", path: "main/pages", performed: "zoom 2.5") {
            try $0.zoom(to: 2.5, at: $1)
        },
        Command(name: "load", path: "main/pages", performed: "load a:b") {
            try $0.load("a:b", at: $1)
        },
        Command(name: "back", path: "main/pages", performed: "back") { try $0.back(at: $1) },
        Command(name: "forward", path: "main/pages", performed: "forward") {
            try $0.forward(at: $1)
        },
        Command(name: "type", path: "main/text", performed: "type x false") {
            try $0.type("x", at: $1)
        },
        Command(name: "type", path: "main/text", performed: "select 0..<0") {
            try $0.type(nil, selecting: 0..<0, at: $1)
        },
    ]

    private func view(_ path: String, _ scene: OperatedScene) throws -> OperatedView {
        let views = ["list", "pages", "text", "button"]
        let index = try #require(views.firstIndex(of: String(path.dropFirst("main/".count))))
        let controller = scene.controller
        return [controller.list, controller.pages, controller.text, controller.button][index]
    }

    @Test(arguments: all)
    func `a command performs its operation on its object`(command: Command) throws {
        let scene = try OperatedScene()
        #expect(try scene.commands.notSavedReason(command.run(scene.commands, command.path)) == nil)
        #expect(try view(command.path, scene).performed == [command.performed])
    }

    @Test(arguments: all)
    func `an object's refusal is reported with its path, the method and the reason`(
        command: Command
    ) throws {
        let scene = try OperatedScene()
        let view = try view(command.path, scene)
        let path = command.path
        let refusals: [(OperationError, ControlError)] = [
            (
                .noSuchElement(index: 7, count: 2),
                .indexOutOfRange(path: path, index: 7, count: 2)
            ),
            (
                .tooManyElements(given: 3, maximum: 1),
                .tooManyIndexes(path: path, given: 3, most: 1)
            ),
            (.noSuchModelIdentifier("x"), .noSuchModelIdentifier(path: path, identifier: "x")),
            (.notPossible("why"), .notPossible(path: path, method: command.name, reason: "why")),
        ]
        for (refusal, expectedError) in refusals {
            view.refusal = refusal
            #expect(throws: expectedError) { try command.run(scene.commands, path) }
        }
        #expect(view.performed == [])
    }

    @Test(arguments: all)
    func `a command on an object of the wrong class is refused with the class`(command: Command)
        throws
    {
        let scene = try OperatedScene()
        let other = command.path == "main/text" ? "main/button" : "main/text"
        let name = other == "main/text" ? "OperatedText" : "OperatedButton"
        #expect(
            throws: ControlError.notApplicable(path: other, class: name, method: command.name)
        ) { try command.run(scene.commands, other) }
    }

    @Test(arguments: all)
    func `a command on a missing object is refused with the nearest existing ancestor`(
        command: Command
    ) throws {
        let scene = try OperatedScene()
        #expect(throws: ControlError.noSuchObject(path: "main/none", nearest: "main")) {
            try command.run(scene.commands, "main/none")
        }
    }

    @Test func `a controller is operated like a view`() throws {
        let scene = try OperatedScene()
        #expect(try scene.commands.notSavedReason(scene.commands.select([1], at: "main")) == nil)
        #expect(try scene.commands.notSavedReason(scene.commands.edit(true, at: "main")) == nil)
        #expect(try scene.commands.notSavedReason(scene.commands.back(at: "main")) == nil)
        #expect(scene.controller.performed == ["choose [1]", "edit true", "back"])
    }

    @Test func `an object with rows is tapped at a row, and an object without rows as a whole`()
        throws
    {
        let scene = try OperatedScene()
        #expect(
            throws: ControlError.notPossible(
                path: "main/list", method: "tap", reason: "it has rows; specify the row to tap")
        ) { try scene.commands.tap(at: "main/list") }
        #expect(
            throws: ControlError.notPossible(
                path: "main/button", method: "tap", reason: "it has no rows; do not specify a row")
        ) { try scene.commands.tap(row: 0, at: "main/button") }
    }

    @Test func `a program's own object is operated and can refuse with its own reason`() throws {
        let scene = try OperatedScene()
        let dial = Dial()
        scene.controller.view.addSubview(dial)
        #expect(try scene.commands.notSavedReason(scene.commands.tap(at: "main/@Dial")) == nil)
        #expect(dial.turns == 1)
        dial.isLocked = true
        let error = ControlError.notPossible(
            path: "main/@Dial", method: "tap", reason: "it is locked, unlock it first")
        #expect(throws: error) { try scene.commands.tap(at: "main/@Dial") }
        #expect(
            "\(error)"
                == "tap is not possible at main/@Dial: it is locked, unlock it first.")
    }
}
