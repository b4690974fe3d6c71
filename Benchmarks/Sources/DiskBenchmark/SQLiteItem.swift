import Foundation
import GRDB

/// The same object as a row of a table.
final class SQLiteItem {
    let number: Int64
    var values: ItemValues
    private let identifier: String
    private var children: [SQLiteItem]

    init(_ number: Int64, _ values: ItemValues, place: Int, children: [SQLiteItem]) {
        self.number = number
        self.values = values
        identifier = "item\(place)"
        self.children = children
    }

    static func createTable(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE item (
                    number INTEGER PRIMARY KEY, parent INTEGER, identifier TEXT NOT NULL,
                    count INTEGER NOT NULL, position REAL NOT NULL, title TEXT NOT NULL,
                    isOpen INTEGER NOT NULL, id BLOB NOT NULL)
                """)
    }

    static let insertion = "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    static let update = "UPDATE item SET count = ? WHERE number = ?"

    /// Saves this object and all below it.
    func insert(below parent: Int64?, with statement: Statement) throws {
        try statement.execute(arguments: [
            number, parent, identifier, values.count, values.position, values.title,
            values.isOpen, values.id,
        ])
        for child in children { try child.insert(below: number, with: statement) }
    }

    /// Makes the objects of all rows, and gives the one below no other.
    static func restore(from database: Database) throws -> SQLiteItem? {
        var items: [Int64: SQLiteItem] = [:]
        var links: [(parent: Int64, item: SQLiteItem)] = []
        var root: SQLiteItem?
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM item ORDER BY number")
        while let row = try rows.next() {
            var values = ItemValues.none
            values.count = row[3]
            values.position = row[4]
            values.title = row[5]
            values.isOpen = row[6]
            values.id = row[7]
            let item = SQLiteItem(row[0], values, identifier: row[2])
            items[item.number] = item
            if let parent: Int64 = row[1] { links.append((parent, item)) } else { root = item }
        }
        // Numbers are given to what lies in an object before the object.
        for (parent, item) in links { items[parent]?.children.append(item) }
        return root
    }

    private init(_ number: Int64, _ values: ItemValues, identifier: String) {
        self.number = number
        self.values = values
        self.identifier = identifier
        children = []
    }

    /// Counts this object and what lies in it, as far as they have the values that they should.
    func countEqual(to other: SQLiteItem) -> Int {
        zip(children, other.children).reduce(values == other.values ? 1 : 0) {
            $0 + $1.0.countEqual(to: $1.1)
        }
    }
}
