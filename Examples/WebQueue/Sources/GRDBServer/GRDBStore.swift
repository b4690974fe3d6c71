import GRDB
import WebQueue

/// A row of the table `job`.
private struct JobRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "job"

    var id: String
    var title: String
    var user: String
    var completedSteps: Int
    var isFinished = false
    /// The position among the waiting jobs or the finished jobs.
    var position: Int

    var job: Job { Job(id: id, title: title, user: user, completedSteps: completedSteps) }
}

/// A store that keeps the jobs in a table.
struct GRDBStore: JobStore {
    let database: DatabasePool

    var changes: AsyncValueObservation<Job?> {
        ValueObservation.tracking { try JobRow.firstWaiting($0)?.job }.values(in: database)
    }

    var next: Job? {
        get async throws { try await database.read { try JobRow.firstWaiting($0)?.job } }
    }

    func jobs() async throws -> JobList {
        let rows = try await database.read { try JobRow.order(Column("position")).fetchAll($0) }
        return JobList(
            waiting: rows.filter { !$0.isFinished }.map(\.job),
            finished: rows.filter(\.isFinished).map(\.job))
    }

    func job(id: Job.ID) async throws -> Job? {
        try await database.read { try JobRow.fetchOne($0, key: id)?.job }
    }

    func add(_ job: Job, isUrgent: Bool) async throws -> Bool {
        try await database.write { database in
            guard try !JobRow.exists(database, key: job.id) else { return false }
            try JobRow(
                id: job.id, title: job.title, user: job.user, completedSteps: job.completedSteps,
                position: try isUrgent ? JobRow.front(database) : JobRow.end(database)
            ).insert(database)
            return true
        }
    }

    func setCompletedSteps(_ count: Int, of id: Job.ID) async throws {
        try await database.write { database in
            _ = try JobRow.filter(key: id)
                .updateAll(database, Column("completedSteps").set(to: count))
        }
    }

    func finish(_ id: Job.ID) async throws {
        try await database.write { database in
            _ = try JobRow.filter(key: id).updateAll(
                database, Column("isFinished").set(to: true),
                Column("position").set(to: try JobRow.end(database)))
        }
    }

    func remove(_ id: Job.ID) async throws -> Bool {
        try await database.write { try JobRow.deleteOne($0, key: id) }
    }
}

extension JobRow {
    static func firstWaiting(_ database: Database) throws -> JobRow? {
        try filter(Column("isFinished") == false).order(Column("position")).fetchOne(database)
    }

    static func front(_ database: Database) throws -> Int {
        try select(min(Column("position")), as: Int.self).fetchOne(database).map { $0 - 1 } ?? 0
    }

    static func end(_ database: Database) throws -> Int {
        try select(max(Column("position")), as: Int.self).fetchOne(database).map { $0 + 1 } ?? 0
    }
}

/// Opens the database and migrates it.
func openDatabase(at path: String, isDurable: Bool) throws -> DatabasePool {
    let database = try DatabasePool(path: path)
    // A pool sets `synchronous` to `NORMAL` when it opens the database.
    if isDurable {
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }
    try migrator.migrate(database)
    return database
}

private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
        try database.create(table: "job") { table in
            table.primaryKey("id", .text)
            table.column("title", .text).notNull()
            table.column("isFinished", .boolean).notNull()
            table.column("position", .integer).notNull()
        }
        try database.create(
            index: "jobOrder", on: "job", columns: ["isFinished", "position"])
        try database.create(index: "jobPosition", on: "job", columns: ["position"])
        try database.create(table: "session") { table in
            table.primaryKey("key", .text)
            table.column("value", .text).notNull()
            table.column("expires", .datetime)
        }
    }
    migrator.registerMigration("2") { database in
        try database.alter(table: "job") {
            $0.add(column: "progress", .double).notNull().defaults(to: 0)
        }
    }
    migrator.registerMigration("3") { database in
        try database.alter(table: "job") { table in
            table.add(column: "user", .text).notNull().defaults(to: "unknown")
            table.add(column: "completedSteps", .integer).notNull().defaults(to: 0)
        }
        try database.execute(
            literal: "UPDATE job SET completedSteps = CAST(progress * \(Job.stepCount) AS INTEGER)")
        try database.alter(table: "job") { $0.drop(column: "progress") }
    }
    return migrator
}
