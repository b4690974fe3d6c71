import FoundationEssentials
import Hummingbird
import Preservation

/// A value stored by a ``ReprisePersistDriver``.
private struct PersistedValue: Codable, Identifiable {
    /// The key of the value.
    let id: String
    var json: String
    var expires: Date?
}

/// A driver for Hummingbird's persist framework that stores values in a collection.
///
/// A key must be 1 to 255 bytes long. The collection removes values when they expire.
public struct ReprisePersistDriver: PersistDriver {
    private let values: RestorableCollection<PersistedValue>
    private let now: @Sendable () -> Date

    /// Declares the collection of a driver.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the collection.
    ///   - application: The application that saves the collection. It must not have been started.
    ///   - now: A closure that returns the current time of the application.
    public init(
        _ identifier: String, in application: Preservation.Application,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        values = try await application.collection(
            identifier, of: PersistedValue.self, expires: \.expires)
        self.now = now
    }

    /// Stores a value under a new key.
    ///
    /// - Throws: `PersistError.duplicate` if the key has a value that has not expired.
    public func create(
        key: String, value: some Codable & Sendable, expires: Duration?
    ) async throws {
        let new = try persisted(value, key: key, expires: expires)
        try await values.update { values in
            if values[id: key] != nil { throw PersistError.duplicate }
            values[id: key] = new
        }
    }

    /// Stores or replaces a value.
    ///
    /// If `expires` is `nil`, the expiration time of an existing value does not change.
    public func set(key: String, value: some Codable & Sendable, expires: Duration?) async throws {
        let new = try persisted(value, key: key, expires: expires)
        try await values.update { values in
            var new = new
            if expires == nil { new.expires = values[id: key]?.expires }
            values[id: key] = new
        }
    }

    /// Returns a value, or `nil` if the key has no value or the value has expired.
    public func get<Object: Codable & Sendable>(
        key: String, as type: Object.Type
    ) async throws -> Object? {
        try await getWithTTL(key: key, as: type)?.object
    }

    /// Returns a value and the time until it expires, or `nil` if the key has no value or the value has expired.
    public func getWithTTL<Object: Codable & Sendable>(
        key: String, as type: Object.Type
    ) async throws -> (object: Object, ttl: Duration?)? {
        guard let value = try await values[id: key] else { return nil }
        do {
            let object = try JSONDecoder().decode(type, from: Data(value.json.utf8))
            return (object, value.expires.map { .seconds(max(0, $0.timeIntervalSince(now()))) })
        } catch is DecodingError {
            throw PersistError.invalidConversion
        }
    }

    /// Removes a value.
    public func remove(key: String) async throws {
        try await values.update { _ = $0.remove(id: key) }
    }

    private func persisted(
        _ value: some Codable, key: String, expires: Duration?
    ) throws -> PersistedValue {
        PersistedValue(
            id: key, json: String(decoding: try JSONEncoder().encode(value), as: UTF8.self),
            expires: expires.map { now().addingTimeInterval($0 / .seconds(1)) })
    }
}
