import Foundation
import GRDB

/// Keeps the objects as rows of an SQLite database with a write-ahead log, each below another.
final class SQLiteKeeper: Keeper {
    let name = "SQLite (GRDB)"
    let count: Int
    private let root: SQLiteItem
    private let path: String
    private var database: DatabaseQueue?
    private var change: (item: SQLiteItem, statement: Statement)?

    init(_ shape: Shape, folder: String) {
        count = shape.count
        var number: Int64 = 0
        root = shape.tree { values, place, children in
            number += 1
            return SQLiteItem(number, values, place: place, children: children)
        }
        path = folder + "/items.sqlite"
    }

    func begin() throws {
        try end()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let database = try openDatabase()
        try database.write { try SQLiteItem.createTable(in: $0) }
        self.database = database
    }

    func saveAll() throws {
        try database?.write { database in
            let statement = try database.makeStatement(sql: SQLiteItem.insertion)
            try root.insert(below: nil, with: statement)
        }
    }

    func expectChanges(durably: Bool) throws {
        try database?.inDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = \(durably ? "FULL" : "NORMAL")")
            change = (root, try database.makeStatement(sql: SQLiteItem.update))
        }
    }

    func saveChange() throws {
        try database?.write { _ in
            guard let change else { return }
            change.item.values.count += 1
            try change.statement.execute(
                arguments: [change.item.values.count, change.item.number])
        }
    }

    func end() throws {
        change = nil
        try database?.close()
        database = nil
    }

    func restore() throws -> SQLiteItem? {
        let database = try openDatabase()
        defer { try? database.close() }
        return try database.read { try SQLiteItem.restore(from: $0) }
    }

    func countEqual(_ restored: SQLiteItem?) -> Int { restored?.countEqual(to: root) ?? 0 }

    private func openDatabase() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
