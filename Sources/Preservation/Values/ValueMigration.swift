import ExactText
import StateRestoration

/// Conversion of a value that was saved with a different type.
public struct ValueMigration<Value: Sendable>: Sendable {
    /// Name of the type that the migration converts.
    let savedTypeName: TypeName
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
        ValueMigration(savedTypeName: TypeName(old)) { coder in
            let savedValue: Old?
            do throws(StateDecodingError) {
                savedValue = try coder.decode(Old.self, forKey: ValueObject.valueKey)
            } catch {
                return nil
            }
            return try savedValue.map(body)
        }
    }
}

/// Number of values that one migration converted during a launch.
struct MigrationCount {
    /// Name of the type from which the values were converted.
    let savedTypeName: TypeName
    /// Version of the program that last saved the values.
    let savedVersion: String
    /// Number of values.
    var count = 1
}

/// Migrations for a value or for a collection's elements, and the number of values that each migration converted.
struct ValueMigrations<Value: Codable & Sendable> {
    private let migrations: [ValueMigration<Value>]
    /// Number of values that each migration has converted. Unused migrations are not listed.
    private(set) var counts: [MigrationCount] = []

    init(_ migrations: [ValueMigration<Value>]) {
        self.migrations = migrations
    }

    /// Returns the saved value, or `nil` if no value was saved. If necessary, the first matching migration converts the
    /// value.
    ///
    /// - Throws: ``ValueDecodingError`` if the saved value matches neither the current type nor a migration, or if a
    ///   migration throws an error.
    mutating func value(from coder: StateDecoder) throws(ValueDecodingError) -> Value? {
        let decodingError: StateDecodingError
        do throws(StateDecodingError) {
            return try coder.decodeIncludingNil(Value.self, forKey: ValueObject.valueKey)
        } catch {
            decodingError = error
        }
        for migration in migrations {
            do {
                guard let value = try migration.migrate(coder) else { continue }
                count(migration, of: coder.passMetadata.bundleVersion)
                return value
            } catch {
                throw .migrationFailed(from: text(migration.savedTypeName), error)
            }
        }
        throw .mismatch(
            decodingError.cause, migrations: migrations.map { text($0.savedTypeName) })
    }

    private func text(_ savedTypeName: TypeName) -> String {
        savedTypeName.text(besides: TypeName(Value.self))
    }

    private mutating func count(_ migration: ValueMigration<Value>, of savedVersion: String) {
        if let index = counts.firstIndex(where: { $0.savedTypeName == migration.savedTypeName }) {
            counts[index].count += 1
        } else {
            counts.append(
                MigrationCount(
                    savedTypeName: migration.savedTypeName, savedVersion: savedVersion))
        }
    }
}
