import Testing
import Varlink

@testable import RepriseControl

@Suite struct ControlInterfaceTests {
    @Test func `the definition can be parsed and has the interface's name`() throws {
        let definition = try ControlInterface.definition()
        #expect(definition.name == ControlInterface.name)
        #expect(definition.text == ControlInterface.text)
    }

    @Test func `a call has the qualified name of its method`() {
        #expect(TypeCall.qualifiedMethod == "org.reprise.Control.Type")
    }

    @Test func `every declaration has a comment`() throws {
        let definition = try ControlInterface.definition()
        #expect(!definition.documentation.isEmpty)
        #expect(definition.methods.filter(\.documentation.isEmpty).map(\.name) == [])
        #expect(definition.errors.filter(\.documentation.isEmpty).map(\.name) == [])
        #expect(definition.types.filter(\.documentation.isEmpty).map(\.name) == [])
    }

    @Test(arguments: [
        "Type", "EditText", "ReplaceText", "Select", "Tap", "Edit", "Move", "Delete", "UndoDelete",
        "Scroll",
        "Zoom", "Load", "Back", "Forward", "Dismiss", "Open", "Close", "Preserve", "Quit",
        "QuarantinePutBack", "Rollback",
        "Reset", "Call",
    ])
    func `every method that changes state replies with the save level`(name: String) throws {
        let method = try #require(try ControlInterface.definition().method(named: name))
        #expect(method.reply.suffix(2).map(\.name) == ["saved", "notSavedReason"])
        #expect(method.reply.suffix(2).map(\.type) == [.named("SaveLevel"), .nullable(.string)])
    }
}
