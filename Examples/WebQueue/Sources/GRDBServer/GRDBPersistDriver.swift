import Foundation
import GRDB
import Hummingbird
import ServiceLifecycle

/// A driver for Hummingbird's persist framework that stores values in the table `session`.
struct GRDBPersistDriver: PersistDriver {
    let database: DatabasePool

    func create(key: String, value: some Codable & Sendable, expires: Duration?) async throws {
        let row = try SessionRow(key: key, value: value, expires: expires)
        try await database.write { database in
            if try SessionRow.fetchOne(database, key: key)?.isExpired == false {
                throw PersistError.duplicate
            }
            try row.save(database)
        }
    }

    func set(key: String, value: some Codable & Sendable, expires: Duration?) async throws {
        let new = try SessionRow(key: key, value: value, expires: expires)
        try await database.write { database in
            var row = new
            if expires == nil, let old = try SessionRow.fetchOne(database, key: key), !old.isExpired
            {
                row.expires = old.expires
            }
            try row.save(database)
        }
    }

    func get<Object: Codable & Sendable>(key: String, as type: Object.Type) async throws -> Object?
    {
        let row = try await database.read { try SessionRow.fetchOne($0, key: key) }
        guard let row, !row.isExpired else { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(row.value.utf8))
        } catch is DecodingError {
            throw PersistError.invalidConversion
        }
    }

    func remove(key: String) async throws {
        _ = try await database.write { try SessionRow.deleteOne($0, key: key) }
    }

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    try await Task.sleep(for: .seconds(600))
                    _ = try await database.write {
                        try SessionRow.filter(Column("expires") <= Date()).deleteAll($0)
                    }
                }
            }
        } catch is CancellationError {}
    }
}

/// A row of the table `session`.
private struct SessionRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "session"

    var key: String
    var value: String
    var expires: Date?

    init(key: String, value: some Codable, expires: Duration?) throws {
        self.key = key
        self.value = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        self.expires = expires.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
    }

    var isExpired: Bool { expires.map { $0 <= Date() } ?? false }
}
