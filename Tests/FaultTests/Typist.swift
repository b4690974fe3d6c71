/// A client that types into one field, and what it knows of it.
struct Typist: Sendable {
    /// What it types into.
    let field: Field
    /// The text that was acknowledged last; 0 for none.
    private(set) var acknowledged = 0
    /// The text that was sent last.
    private(set) var sent = 0

    init(_ field: Field) {
        self.field = field
    }

    /// The next call, counted as sent.
    mutating func next() throws -> [UInt8] {
        sent += 1
        let caret = field.caret(sent)
        return try ControlMessage.call(
            "Type",
            ControlParameters(
                application: field.application, scene: field.scene, path: field.path,
                text: field.text(sent), select: .init(lowerBound: caret, upperBound: caret)))
    }

    /// Takes the reply to the call that was sent last.
    ///
    /// - Throws: ``Violation`` unless it tells that the change is saved.
    mutating func take(_ reply: String) throws {
        let saved = try ControlMessage.parameters(SavedReply.self, of: reply)
        try Violation.unless(saved.isSaved, "\(field.scene) \(field.path): \(reply)")
        acknowledged = sent
    }

    /// What became of the field in a restart.
    enum Finding {
        case whole
        /// Something acknowledged is missing.
        case lost
        /// What is there is no text that was ever typed, or a mixture of two.
        case half
    }

    /// Compares what a new daemon has with what is known, and goes on from there.
    mutating func find(_ content: TextReply.Values) -> Finding {
        guard let number = field.number(of: content.text),
            number == 0 || content.selectedRange?.lowerBound == field.caret(number)
        else { return .half }
        guard number == acknowledged || number == sent else { return .lost }
        acknowledged = number
        sent = number
        return .whole
    }
}
