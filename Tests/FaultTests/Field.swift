/// A place where a person types, and which text is the k-th one there.
///
/// Text and selection both tell the number, and lie in records of their own, which one pass writes:
/// what is half of one change and half of another shows.
struct Field: Sendable, Equatable {
    /// The application's bundle identifier.
    var application = "org.reprise.ChildViews"
    /// The scene's name.
    var scene = "main"
    /// The path of a text field or text view.
    var path: String
    /// About how many bytes its texts have.
    var byteCount = 40

    /// The field of the first child of ChildViews.
    static let child1 = Field(path: "nav/parent/child1/textField")
    /// The field of the second child of ChildViews.
    static let child2 = Field(path: "nav/parent/child2/textField")

    /// The k-th text; the empty one, from which all begins, is number 0.
    func text(_ number: Int) -> String {
        guard number > 0 else { return "" }
        let length = byteCount + number % 13
        let text = "\(number):" + String(repeating: "\(number) ", count: length)
        return String(text.prefix(max(length, 16)))
    }

    /// Where the caret is placed behind the k-th text; it tells ``caretKinds`` of them apart.
    func caret(_ number: Int) -> Int { number % Self.caretKinds }

    /// So many places in a row are different.
    static let caretKinds = 11

    /// The number that a text claims to have; nil if it is none of this field's texts.
    func number(of text: String) -> Int? {
        if text.isEmpty { return 0 }
        guard let number = text.split(separator: ":").first.flatMap({ Int($0) }),
            self.text(number) == text
        else { return nil }
        return number
    }
}
