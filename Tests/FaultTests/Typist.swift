/// A client that types into one field, with the strings that it sent.
struct Typist: Sendable {
    /// The field into which the client types.
    let field: Field
    /// Number of the last acknowledged string, or 0.
    private(set) var acknowledged = 0
    /// Number of the last sent string.
    private(set) var sent = 0

    init(_ field: Field) {
        self.field = field
    }

    /// Returns the next call, and counts it as sent.
    mutating func nextCall() throws -> [UInt8] {
        sent += 1
        let caret = field.caret(sent)
        return try ControlMessage.call(
            "Type",
            ControlParameters(
                application: field.application, scene: field.scene, path: field.path,
                text: field.text(sent), select: .init(lowerBound: caret, upperBound: caret)))
    }

    /// Accepts the reply to the last sent call.
    ///
    /// - Throws: ``Violation`` unless the reply reports that the change is saved.
    mutating func acceptReply(_ reply: String) throws {
        let saved = try ControlMessage.parameters(SavedReply.self, of: reply)
        try Violation.unless(saved.isSaved, "\(field.scene) \(field.path): \(reply)")
        acknowledged = sent
    }

    /// State of the field after a restart.
    enum Outcome {
        case whole
        /// An acknowledged string is missing.
        case lost
        /// The content is not a string that was typed, or is a mixture of two strings.
        case half
    }

    /// Compares the content in a new daemon with the known strings, and continues from it.
    mutating func verify(_ content: TextReply.Values) -> Outcome {
        guard let number = field.number(of: content.text),
            number == 0 || content.selectedRange?.lowerBound == field.caret(number)
        else { return .half }
        guard number == acknowledged || number == sent else { return .lost }
        acknowledged = number
        sent = number
        return .whole
    }
}
