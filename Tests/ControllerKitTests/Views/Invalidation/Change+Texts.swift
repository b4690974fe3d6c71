import ControllerKit
import StateRestoration

extension Change {
    /// Changes to text, its selection and its visible part.
    static let texts = textFields + textViews

    private static func textField(
        _ name: String, _ change: @escaping @Sendable (TextField) throws -> Void
    ) -> Change {
        view(
            name, shown: { "\($0.text) \($0.selectedRange)" }, { $0.text = "text" },
            change: change)
    }

    private static let textFields: [Change] = [
        textField("text") { $0.text = "long text" },
        textField("text of the same length") { $0.text = "next" },
        textField("select(_:)") { $0.select(1..<2) },
        textField("type(_:appending: false)") { try $0.type("x", appending: false) },
        textField("type(_:appending: true)") { try $0.type("x", appending: true) },
        textField("chooseText(_:)") { try $0.selectText(0..<4) },
        view("type(_:appending:) that removes the field", shown: { (view: TextField) in view.text })
        { field in
            field.addAction(for: .editingChanged) { [weak field] in field?.removeFromSuperview() }
        } change: {
            try $0.type("x", appending: true)
        },
    ]

    private static func textView(
        _ name: String, _ change: @escaping @Sendable (TextView) throws -> Void
    ) -> Change {
        view(
            name,
            shown: { "\($0.text) \($0.selectedRange) \($0.isEditable) \($0.contentOffset)" },
            {
                $0.visibleSize = Size(width: 10, height: 3)
                $0.text = "1\n2\n3\n4\n5\n6"
            }, change: change)
    }

    private static let textViews: [Change] = [
        textView("text") { $0.text = "other" },
        textView("text of the same length") { $0.text = "6\n5\n4\n3\n2\n1" },
        textView("isEditable") { $0.isEditable = false },
        textView("select(_:)") { $0.select(1..<2) },
        textView("type(_:appending: false)") { try $0.type("x", appending: false) },
        textView("type(_:appending: true)") { try $0.type("x", appending: true) },
        textView("chooseText(_:)") { try $0.selectText(0..<4) },
        textView("scrollToSelection()") { $0.scrollToSelection() },
        textView("contentOffset") { $0.contentOffset.y = 2 },
    ]
}
