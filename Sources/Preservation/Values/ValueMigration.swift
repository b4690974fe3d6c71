import StateRestoration

/// How a value comes back that was saved as another type.
public struct ValueMigration<Value: Sendable>: Sendable {
    let migrate: @Sendable (StateDecoder) throws -> Value?

    /// From what an earlier version of the program saved.
    ///
    /// - Parameters:
    ///   - old: the type that was saved; what cannot be decoded as that is left to the next migration.
    ///   - body: makes the value of it. If it throws, the value is not restored, which the report of the
    ///     launch tells, and what was saved stays.
    public static func from<Old: Codable & SendableMetatype>(
        _ old: Old.Type, _ body: @escaping @Sendable (Old) throws -> Value
    ) -> ValueMigration {
        ValueMigration { coder in
            let saved: Old?
            do throws(StateDecodingError) {
                saved = try coder.decode(Old.self, forKey: ValueObject.key)
            } catch {
                return nil
            }
            return try saved.map(body)
        }
    }
}

extension Array {
    /// The value that was saved, if need be by one of these migrations; nil if none was saved.
    ///
    /// - Throws: `StateDecodingError` if it is neither of its type nor of one of theirs; what a migration
    ///   throws.
    func value<Value: Codable>(
        from coder: StateDecoder
    ) throws -> Value? where Element == ValueMigration<Value> {
        let refused: StateDecodingError
        do throws(StateDecodingError) {
            return try coder.decode(Value.self, forKey: ValueObject.key)
        } catch {
            refused = error
        }
        for migration in self {
            if let value = try migration.migrate(coder) { return value }
        }
        throw refused
    }
}
