import ControllerKit
import StateRecords
import StateRestoration
import Testing

@Suite struct SecureTextFieldTests {
    private static let secret = "hunter2-5f2c"

    private func made() throws -> SecureTextField {
        let field = SecureTextField()
        field.placeholder = "Password"
        try field.type("hunter2", appending: false)
        try field.type("-5f2c", appending: true)
        return field
    }

    @Test func `typing replaces or appends text and runs the actions`() throws {
        let field = SecureTextField()
        var edits = 0
        field.addAction(for: .editingChanged) { edits += 1 }
        field.secret.value = "set"
        #expect(edits == 0)
        try field.type("hunter2", appending: false)
        try field.type("-5f2c", appending: true)
        #expect(field.secret.value == Self.secret)
        #expect(edits == 2)
        try field.type("", appending: false)
        #expect(field.secret.value == nil)
        field.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) {
            try field.type("x", appending: false)
        }
        #expect(field.secret.value == nil)
    }

    @Test func `P15: a pass never contains the text of a secure field`() throws {
        /// A controller that encodes the secret in every way that does not unwrap it.
        final class LoginController: ViewController {
            let field = SecureTextField()

            override func viewDidLoad() {
                super.viewDidLoad()
                field.restorationIdentifier = "field"
                view.addSubview(field)
            }

            override func encodeRestorableState(with coder: StateEncoder) throws {
                try super.encodeRestorableState(with: coder)
                coder.encode(field.secret, forKey: "secret")
                coder.encode([field.secret], forKey: "secrets")
                coder.encode("marker-of-the-test", forKey: "marker")
            }
        }
        let controller = LoginController.named("page")
        let first = TestApplication(controller)
        try first.launch()
        try controller.field.type(Self.secret, appending: false)
        let output = try #require(first.save())
        func isSaved(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return output.values.indices.contains { output.values[$0...].starts(with: bytes) }
        }
        #expect(isSaved("marker-of-the-test"))
        #expect(!isSaved(Self.secret))
        #expect(!isSaved("hunter2"))
        let field = try #require(output.objects.first { $0.header.identifier == "field" })
        #expect(field.values.isEmpty)
        let next = LoginController.named("page")
        try TestApplication(next).launch(restoring: first)
        #expect(next.field.secret.value == nil)
    }

    @Test
    func `P15: neither the text of a secure field nor its length is printed, reported or drawn`()
        throws
    {
        let field = try made()
        var dumped = ""
        dump(field, to: &dumped)
        #expect(dumped.contains("Password"))
        let told = [
            dumped, "\(field)", String(reflecting: field), "\(field.inspectedProperties)",
            "\(field.secret)", lines(of: field, width: 30).joined(),
        ]
        for text in told { #expect(!text.contains("hunter2")) }
        #expect(Set(field.inspectedProperties.keys) == ["placeholder", "isEnabled", "isHidden"])
        let other = SecureTextField()
        other.placeholder = "Password"
        try other.type("x", appending: false)
        #expect(lines(of: other) == lines(of: field))
        #expect(other.inspectedProperties == field.inspectedProperties)
        for range in [0..<0, 0..<1, 0..<100] {
            let error = OperationError.notPossible("its text is secret: it can only be replaced")
            #expect(throws: error) { try field.selectText(range) }
            #expect(throws: error) { try other.selectText(range) }
        }
    }

    @Test func `a secure field draws dots, or its placeholder if it is empty`() throws {
        #expect(lines(of: try made(), width: 14)[1] == "│ ••••••••▏  │")
        let empty = SecureTextField()
        try empty.setProperty("placeholder", to: .string("PIN"))
        #expect(lines(of: empty, width: 14)[1] == "│ ▏PIN       │")
        let error = PropertyError.unknownProperty(known: ["placeholder", "isEnabled", "isHidden"])
        #expect(throws: error) { try empty.setProperty("secret", to: .string("x")) }
        #expect(throws: error) { try empty.setProperty("text", to: .string("x")) }
    }
}
