import StateRestoration

/// Error for a saved value that neither matches its declared type nor can be migrated.
///
/// The description does not identify the value, because the launch report contains the value's path.
enum ValueDecodingError: Error, CustomStringConvertible {
    /// The value matches neither the declared type nor the saved type of a migration.
    case mismatch(StateDecodingError.Cause, migrations: [String])
    /// A migration threw an error.
    case migrationFailed(from: String, any Error)

    /// Sentence, without a full stop, that states the reason.
    var description: String {
        switch self {
        case .mismatch(let cause, let migrations):
            let sentence =
                switch cause {
                case .typeMismatch(let saved, let requested):
                    "the saved value was saved as \(saved) and does not match the type \(requested)"
                case .refused(let type, let reason):
                    "the saved value does not match the type \(type): \(reason)"
                case .malformed(let reason): "the saved value cannot be read: \(reason)"
                }
            if migrations.isEmpty { return sentence }
            return "\(sentence); it does not match the saved type of any migration "
                + "(\(migrations.joined(separator: ", "))) either"
        case .migrationFailed(let typeName, let error):
            return "the migration from \(typeName) threw an error: "
                + "\(error)".escapingControlCharacters
        }
    }
}
