import Testing

@testable import StateRestoration

@Suite struct StateEncodingErrorTests {
    /// Returns the errors that a pass reports.
    static func all(_ output: PassOutput) -> [StateEncodingError] {
        output.diagnostics.compactMap { diagnostic in
            guard case .value(let error) = diagnostic else { return nil }
            return error
        }
    }

    @Test(arguments: [
        (StateEncodingError.Cause.keyWrittenTwice, "was encoded twice: the first value is saved"),
        (
            .reservedKey,
            "is not saved: keys that begin with @ are reserved for the library; choose another key"
        ),
        (
            .referenceWithoutIdentifier,
            "refers to an object that is not preserved: give that object a restoration identifier"
        ),
        (.nestedTooDeep, "is not saved: it is nested more than 64 levels deep"),
        (
            .tooLarge(bytes: 17, limit: 16),
            "is not saved: it takes 17 bytes, and the limit is 16" + StateEncodingError.sizeRemedy
        ),
        (.codable(reason: "a.0: not now"), "is not saved: a.0: not now"),
        (
            .restorableNotListed(property: "text"),
            "is not saved: list $text in restorables(_:)"
        ),
    ])
    func `P9: an encoding error names the object, the key and the problem`(
        cause: StateEncodingError.Cause, sentence: String
    ) {
        let error = StateEncodingError(objectPath: "nav/page", key: "k", cause: cause)
        #expect(error.description == "nav/page: \"k\" \(sentence)")
    }
}
