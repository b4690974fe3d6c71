import Foundation
import GRDB
import Logging
import Preservation

/// Jobs in collections of an application.
@LoopActor final class RepriseJobs: JobStore {
    private let application: Application
    private let jobs: RestorableCollection<Job>
    private let finished: RestorableCollection<Job>
    private let service: Task<Void, any Error>

    init(in directory: String) async throws {
        application = try Application(
            bundleIdentifier: "org.reprise.Jobs", bundleVersion: "1",
            stateDirectory: ApplicationStateDirectory(path: directory),
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        jobs = try await application.collection("jobs", of: Job.self)
        finished = try await application.collection("finished", of: Job.self)
        let application = application
        service = Task.detached { try await application.run() }
        try await application.waitUntilReady()
    }

    var memory: Int? { nil }

    func fill(_ ids: Range<Int>) async throws {
        for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 10_000) {
            let ids = start..<min(start + 10_000, ids.upperBound)
            try await jobs.update { $0.append(contentsOf: ids.map(Job.init)) }
        }
    }

    func load() async throws { _ = try await jobs.count }

    func update(_ id: Int) async throws { try await jobs.update { $0[id: id]?.progress += 1 } }

    func read(_ id: Int) async throws {
        guard try await jobs[id: id]?.id == id else { throw Failure("job \(id) is missing") }
    }

    func finish(_ id: Int) async throws {
        try await application.update(jobs, finished) { jobs, finished in
            jobs[id: id]?.progress += 1
            finished[id: id] = jobs[id: id]
        }
    }

    func insertAtFront(_ job: Job) async throws { try await jobs.update { $0.insert(job, at: 0) } }

    func remove(_ id: Int) async throws { try await jobs.update { $0.remove(id: id) } }

    func setDurable() async throws {
        var settings = PreservationSettings()
        settings.durability = .commit
        await application.apply(settings)
        _ = try await application.preserve()
    }

    func close() async throws {
        service.cancel()
        try await service.value
    }
}

/// Jobs in tables of a database.
@LoopActor final class SQLiteJobs: JobStore {
    private let database: DatabaseQueue
    private var loadedJobs: [Job] = []

    init(at path: String) throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            for table in ["job", "finished"] {
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS \(table) (
                            id INTEGER PRIMARY KEY, title TEXT NOT NULL, progress INTEGER NOT NULL,
                            place INTEGER NOT NULL)
                        """)
                try database.execute(
                    sql: "CREATE INDEX IF NOT EXISTS \(table)_place ON \(table) (place)")
            }
        }
    }

    var memory: Int? { nil }

    func fill(_ ids: Range<Int>) async throws {
        try await database.write { database in
            for id in ids {
                let job = Job(id: id)
                try database.cachedStatement(sql: "INSERT INTO job VALUES (?, ?, ?, ?)")
                    .execute(arguments: [job.id, job.title, job.progress, job.id])
            }
        }
    }

    func load() async throws {
        loadedJobs = try await database.read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, title, progress FROM job ORDER BY place")
            var jobs: [Job] = []
            while let row = try rows.next() {
                var job = Job(id: row[0])
                job.title = row[1]
                job.progress = row[2]
                jobs.append(job)
            }
            return jobs
        }
    }

    func update(_ id: Int) async throws {
        try await database.write {
            try Self.execute("UPDATE job SET progress = progress + 1 WHERE id = ?", [id], $0)
        }
    }

    func read(_ id: Int) async throws {
        let title = try await database.read { database in
            try String.fetchOne(
                try database.cachedStatement(sql: "SELECT title FROM job WHERE id = ?"),
                arguments: [id])
        }
        if title == nil { throw Failure("job \(id) is missing") }
    }

    func finish(_ id: Int) async throws {
        try await database.write { database in
            try Self.execute("UPDATE job SET progress = progress + 1 WHERE id = ?", [id], database)
            try Self.execute(
                "INSERT OR REPLACE INTO finished SELECT * FROM job WHERE id = ?", [id], database)
        }
    }

    func insertAtFront(_ job: Job) async throws {
        try await database.write { database in
            try Self.execute(
                "INSERT INTO job VALUES (?, ?, ?, (SELECT MIN(place) FROM job) - 1)",
                [job.id, job.title, job.progress], database)
        }
    }

    func remove(_ id: Int) async throws {
        try await database.write { try Self.execute("DELETE FROM job WHERE id = ?", [id], $0) }
    }

    func setDurable() async throws {
        // The setting cannot be changed inside a transaction.
        try database.inDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }

    func close() async throws { try database.close() }

    private nonisolated static func execute(
        _ statement: String, _ arguments: StatementArguments, _ database: Database
    ) throws {
        try database.cachedStatement(sql: statement).execute(arguments: arguments)
    }
}

/// Jobs in a file that is rewritten for each change.
@LoopActor final class FileJobs: JobStore {
    private struct Contents: Codable {
        var jobs: [Job] = []
        var finished: [Job] = []
    }

    private let url: URL
    private var contents = Contents()
    private var isDurable = false

    init(at path: String) throws {
        url = URL(filePath: path)
        guard FileManager.default.fileExists(atPath: path) else { return }
        contents = try JSONDecoder().decode(Contents.self, from: Data(contentsOf: url))
    }

    var memory: Int? { nil }

    func fill(_ ids: Range<Int>) async throws {
        contents.jobs += ids.map(Job.init)
        try save()
    }

    func load() async throws {}

    func update(_ id: Int) async throws {
        contents.jobs[id].progress += 1
        try save()
    }

    func read(_ id: Int) async throws {
        guard contents.jobs[id].id == id else { throw Failure("job \(id) is missing") }
    }

    func finish(_ id: Int) async throws {
        contents.jobs[id].progress += 1
        contents.finished.append(contents.jobs[id])
        try save()
    }

    func insertAtFront(_ job: Job) async throws {
        contents.jobs.insert(job, at: 0)
        try save()
    }

    func remove(_ id: Int) async throws {
        contents.jobs.removeAll { $0.id == id }
        try save()
    }

    func setDurable() async throws { isDurable = true }

    func close() async throws {}

    private func save() throws {
        try JSONEncoder().encode(contents).write(to: url, options: .atomic)
        guard isDurable else { return }
        let file = try FileHandle(forReadingFrom: url)
        try check("fsync", fsync(file.fileDescriptor))
        try file.close()
    }
}

/// Jobs in hashes of a Redis server, with a sorted set for their order.
@LoopActor final class RedisJobs: JobStore {
    private let server: RedisServer
    private var connection: Connection
    private var lowestPlace = 0

    init(in directory: String) throws {
        server = try RedisServer(in: directory, sync: "everysec")
        connection = try Connection(path: server.socket, end: UInt8(ascii: "\n"))
    }

    var memory: Int? {
        get throws { try ChildProcess.residentBytes(server.process.id) }
    }

    func fill(_ ids: Range<Int>) async throws {
        for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 500) {
            let batch = start..<min(start + 500, ids.upperBound)
            _ = try connection.time(
                batch.flatMap { Self.adding(Job(id: $0), at: $0) }, count: 2 * batch.count)
        }
    }

    /// Waits until the server has loaded its file.
    func load() async throws {
        for _ in 0..<6000 {
            try connection.sendRequest(Self.command(["PING"]))
            if try connection.reply().hasPrefix("+PONG") { return }
            usleep(10_000)
        }
        throw Failure("redis-server is still loading its file after one minute")
    }

    func update(_ id: Int) async throws {
        try call([["HINCRBY", "job:\(id)", "progress", "1"]])
    }

    func read(_ id: Int) async throws { try call([["HGET", "job:\(id)", "progress"]], lines: 2) }

    func finish(_ id: Int) async throws {
        try call(
            [
                ["MULTI"], ["HINCRBY", "job:\(id)", "progress", "1"],
                ["SADD", "finished", "\(id)"],
                ["EXEC"],
            ], lines: 6)
    }

    func insertAtFront(_ job: Job) async throws {
        lowestPlace -= 1
        _ = try connection.time(
            Self.command(["MULTI"]) + Self.adding(job, at: lowestPlace) + Self.command(["EXEC"]),
            count: 6)
    }

    func remove(_ id: Int) async throws {
        try call(
            [["MULTI"], ["DEL", "job:\(id)"], ["ZREM", "jobs", "\(id)"], ["EXEC"]], lines: 6)
    }

    func setDurable() async throws { try call([["CONFIG", "SET", "appendfsync", "always"]]) }

    func close() async throws {
        connection.close()
        server.end()
    }

    private func call(_ commands: [[String]], lines: Int = 1) throws {
        _ = try connection.time(commands.flatMap(Self.command), count: lines)
    }

    private static func adding(_ job: Job, at place: Int) -> [UInt8] {
        command(["HSET", "job:\(job.id)", "title", job.title, "progress", "\(job.progress)"])
            + command(["ZADD", "jobs", "\(place)", "\(job.id)"])
    }

    private static func command(_ words: [String]) -> [UInt8] {
        Array(
            ("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
    }
}
