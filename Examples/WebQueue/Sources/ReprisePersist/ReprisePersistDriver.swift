import FoundationEssentials
import Hummingbird
import Preservation
import ServiceLifecycle

/// A value stored by a ``ReprisePersistDriver``.
public struct PersistedValue: Codable, Identifiable, Sendable {
    /// The key of the value.
    public let id: String
    var json: String
    var expires: Date?
}

/// A driver for Hummingbird's persist framework that stores values in a collection.
///
/// A key must be 1 to 255 bytes long.
public struct ReprisePersistDriver: PersistDriver {
    private let values: RestorableCollection<PersistedValue>
    private let tidyFrequency: Duration
    private let now: @Sendable () -> Date

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - values: A collection that no other driver uses.
    ///   - tidyFrequency: The time between two removals of expired values.
    ///   - now: A closure that returns the current time.
    public init(
        _ values: RestorableCollection<PersistedValue>, tidyFrequency: Duration = .seconds(600),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.values = values
        self.tidyFrequency = tidyFrequency
        self.now = now
    }

    /// Stores a value under a new key.
    ///
    /// - Throws: `PersistError.duplicate` if the key has a value that has not expired.
    public func create(
        key: String, value: some Codable & Sendable, expires: Duration?
    ) async throws {
        let new = try persisted(value, key: key, expires: expires)
        try await values.update { [now] values in
            if let old = values[id: key], !old.isExpired(at: now()) { throw PersistError.duplicate }
            values[id: key] = new
        }
    }

    /// Stores or replaces a value.
    ///
    /// If `expires` is `nil`, the expiration time of an existing value does not change.
    public func set(key: String, value: some Codable & Sendable, expires: Duration?) async throws {
        let new = try persisted(value, key: key, expires: expires)
        try await values.update { [now] values in
            let old = values[id: key].flatMap { $0.isExpired(at: now()) ? nil : $0 }
            values[id: key] = new
            if expires == nil { values[id: key]?.expires = old?.expires }
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
        let time = now()
        guard let value = try await values[id: key], !value.isExpired(at: time) else { return nil }
        do {
            let object = try JSONDecoder().decode(type, from: Data(value.json.utf8))
            return (object, value.expires.map { .seconds($0.timeIntervalSince(time)) })
        } catch is DecodingError {
            throw PersistError.invalidConversion
        }
    }

    /// Removes a value.
    public func remove(key: String) async throws {
        try await values.update { _ = $0.remove(id: key) }
    }

    /// Removes expired values once per `tidyFrequency`, until the service group shuts down.
    public func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    try await Task.sleep(for: tidyFrequency)
                    try await tidy()
                }
            }
        } catch is CancellationError {}
    }

    func tidy() async throws {
        let time = now()
        _ = try await values.updateEvenIfUnsaved { $0.removeAll { $0.isExpired(at: time) } }
    }

    /// The keys of all values, including expired values.
    var keys: [String] { get async throws { try await values.read { $0.map(\.id) } } }

    private func persisted(
        _ value: some Codable, key: String, expires: Duration?
    ) throws -> PersistedValue {
        PersistedValue(
            id: key, json: String(decoding: try JSONEncoder().encode(value), as: UTF8.self),
            expires: expires.map { now().addingTimeInterval($0 / .seconds(1)) })
    }
}

extension PersistedValue {
    fileprivate func isExpired(at time: Date) -> Bool { expires.map { $0 <= time } ?? false }
}
