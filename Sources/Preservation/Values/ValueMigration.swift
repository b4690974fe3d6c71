import StateRestoration

/// Conversion of a value that was saved with a different type.
public struct ValueMigration<Value: Sendable>: Sendable {
    let migrate: @Sendable (StateDecoder) throws -> Value?

    /// Creates a migration from the type that an earlier version of the program saved.
    ///
    /// - Parameters:
    ///   - old: The saved type. If the saved value cannot be decoded as this type, the next migration is tried.
    ///   - body: A closure that converts the saved value. If it throws an error, the value is not restored, the launch
    ///     report contains the error, and the saved value is not removed.
    public static func from<Old: Decodable & SendableMetatype>(
        _ old: Old.Type, _ body: @escaping @Sendable (Old) throws -> Value
    ) -> ValueMigration {
        ValueMigration { coder in
            let savedValue: Old?
            do throws(StateDecodingError) {
                savedValue = try coder.decode(Old.self, forKey: ValueObject.key)
            } catch {
                return nil
            }
            return try savedValue.map(body)
        }
    }
}

extension Array {
    /// Returns the saved value, or `nil` if no value was saved. If necessary, the first matching migration converts the
    /// value.
    ///
    /// - Throws: `StateDecodingError` if the saved value matches neither the current type nor a migration, or an error
    ///   that a migration throws.
    func value<Value: Codable>(
        from coder: StateDecoder
    ) throws -> Value? where Element == ValueMigration<Value> {
        let decodingError: StateDecodingError
        do throws(StateDecodingError) {
            return try coder.decode(Value.self, forKey: ValueObject.key)
        } catch {
            decodingError = error
        }
        for migration in self {
            if let value = try migration.migrate(coder) { return value }
        }
        throw decodingError
    }
}
