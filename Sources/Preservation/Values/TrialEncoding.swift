import StateRestoration

/// Trial encoding of values. A transaction uses it to check the changed values before they are applied.
struct TrialEncoding {
    private let encoder: StateEncoder

    /// Creates a trial encoding.
    ///
    /// - Parameter limits: The maximum sizes of values.
    init(limits: ValueLimits) {
        encoder = StateEncoder(
            names: NameTable(),
            passMetadata: PassMetadata(bundleVersion: "", timestamp: 0, systemVersion: ""),
            limits: limits)
    }

    /// Checks that a value can be encoded.
    ///
    /// - Parameter path: The path of the value's object. It is part of the error.
    /// - Throws: ``RestorableValueError`` if the value cannot be saved.
    func checkCanEncode(_ value: some Encodable, at path: String) throws(RestorableValueError) {
        encoder.begin()
        defer { encoder.discardRecord() }
        encoder.encode(value, forKey: ValueObject.valueKey)
        guard let problem = encoder.problems.first else { return }
        throw RestorableValueError(.notSavable, path, Self.reason(problem.cause))
    }

    private static func reason(_ cause: StateEncodingError.Cause) -> String {
        switch cause {
        case .codable(let reason): reason
        case .nestedTooDeep: "it is nested more than \(ValueReader.maximumDepth) levels deep"
        case .tooLarge(let bytes, let limit):
            "it takes \(bytes) bytes, and the limit is \(limit) (PreservationSettings.limits)"
        default: "it cannot be encoded"
        }
    }
}
