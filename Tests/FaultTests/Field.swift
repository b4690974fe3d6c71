/// A field into which tests type numbered strings.
///
/// Both the string and the selection identify the number. They are in separate records, which one pass writes.
/// Therefore, a mixture of two changes can be detected.
struct Field: Sendable, Equatable {
    /// The application's bundle identifier.
    var application = "org.reprise.ChildViews"
    /// The scene's name.
    var scene = "main"
    /// The path of a text field or text view.
    var path: String
    /// Approximate size of the strings in bytes.
    var byteCount = 40

    /// The field of the first child of ChildViews.
    static let child1 = Field(path: "nav/parent/child1/textField")
    /// The field of the second child of ChildViews.
    static let child2 = Field(path: "nav/parent/child2/textField")

    /// Returns the string with a number. The initial, empty string has the number 0.
    func text(_ number: Int) -> String {
        guard number > 0 else { return "" }
        let length = byteCount + number % 13
        let text = "\(number):" + String(repeating: "\(number) ", count: length)
        return String(text.prefix(max(length, 16)))
    }

    /// Returns the position of the caret after a string was typed. ``caretKinds`` successive strings have different
    /// positions.
    func caret(_ number: Int) -> Int { number % Self.caretKinds }

    /// Number of different caret positions.
    static let caretKinds = 11

    /// Returns the number of a string, or `nil` if it is not a string of this field.
    func number(of text: String) -> Int? {
        if text.isEmpty { return 0 }
        guard let number = text.split(separator: ":").first.flatMap({ Int($0) }),
            self.text(number) == text
        else { return nil }
        return number
    }
}
