import Foundation
import GRDB

/// A way to save the objects as rows of an SQLite database with a write-ahead log.
///
/// Each row contains the number of the object's parent.
final class SQLitePersister: Persister {
    let count: Int
    private let root: RowItem
    private let path: String
    private var database: DatabaseQueue?
    private var change: Statement?
    private var restored: RowItem?

    init(_ shape: Shape, directory: String) {
        count = shape.count
        root = shape.tree { number, _ in RowItem(ItemValues(number: number)) }
        path = directory + "/items.sqlite"
    }

    func begin() throws {
        try end()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let database = try openDatabase()
        try database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE item (
                        number INTEGER PRIMARY KEY, parent INTEGER, identifier TEXT NOT NULL,
                        count INTEGER NOT NULL, position REAL NOT NULL, title TEXT NOT NULL,
                        isOpen INTEGER NOT NULL, id BLOB NOT NULL)
                    """)
        }
        change = try database.inDatabase {
            try $0.makeStatement(sql: "UPDATE item SET count = ? WHERE number = 0")
        }
        self.database = database
    }

    func prepareSaves(durably: Bool) throws {
        try database?.inDatabase {
            try $0.execute(sql: "PRAGMA synchronous = \(durably ? "FULL" : "NORMAL")")
        }
    }

    func saveAll() throws {
        try database?.write { database in
            let statement = try database.makeStatement(
                sql: "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            var number = 0
            try insert(root, below: nil, place: 0, &number, with: statement)
        }
    }

    private func insert(
        _ item: RowItem, below parent: Int?, place: Int, _ next: inout Int,
        with statement: Statement
    ) throws {
        let number = next
        next += 1
        let values = item.values
        try statement.execute(arguments: [
            number, parent, "item\(place)", values.count, values.position, values.title,
            values.isOpen, values.id,
        ])
        for (place, child) in item.children.enumerated() {
            try insert(child, below: number, place: place, &next, with: statement)
        }
    }

    func saveChange() throws {
        root.values.count += 1
        try database?.write { _ in try change?.execute(arguments: [root.values.count]) }
    }

    func end() throws {
        change = nil
        try database?.close()
        database = nil
    }

    func restore() throws -> ContinuousClock.Instant {
        let database = try openDatabase()
        var items: [RowItem] = []
        try database.read {
            let rows = try Row.fetchCursor($0, sql: "SELECT * FROM item ORDER BY number")
            while let row = try rows.next() {
                let item = RowItem(
                    ItemValues(
                        count: row[3], position: row[4], title: row[5], isOpen: row[6], id: row[7]))
                items.append(item)
                if let parent: Int = row[1] { items[parent].children.append(item) }
            }
        }
        try database.close()
        restored = items.first
        return .now
    }

    func endAndCountRestored() throws -> Int {
        defer { restored = nil }
        var number = 0
        return restored?.countCorrect(from: &number) ?? 0
    }

    private func openDatabase() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
