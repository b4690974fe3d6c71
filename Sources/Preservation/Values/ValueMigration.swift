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
