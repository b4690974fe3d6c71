import Foundation
import GRDB
import Logging
import Preservation

/// Benchmarks for a change to one element of a collection, with several collection sizes.
///
/// The peers rewrite a file or change a row of a table.
struct CollectionMeasures {
    let run: Run
    let results: Results

    /// A typical element of a collection.
    struct Job: Codable, Identifiable, Sendable {
        var id: Int
        var title: String
        var progress = 0

        init(id: Int) {
            self.id = id
            title = "the job with the number \(id)"
        }
    }

    @LoopActor func measure() async throws {
        for count in [20, 1000, 10_000, 100_000] {
            try await measure(count)
        }
    }

    @LoopActor private func measure(_ count: Int) async throws {
        let directory = "\(run.directory)/collection-\(count)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let jobs = (0..<count).map(Job.init)
        let before = try ChildProcess.residentBytes()
        let collection = try await CollectionOwner(jobs, in: directory + "/reprise")
        if count >= 10_000 {
            results.add(
                Double(try ChildProcess.residentBytes() - before) / Double(count),
                to: Measure("memory per element, \(count.grouped) elements", .bytes))
        }
        let peers: [(String, any JobFile)] = [
            (
                "JSON file, replaced as a whole",
                WholeFile(jobs, at: directory + "/jobs.json") {
                    try JSONEncoder().encode($0)
                }
            ),
            (
                "property list, replaced as a whole",
                WholeFile(jobs, at: directory + "/jobs.plist") {
                    let encoder = PropertyListEncoder()
                    encoder.outputFormat = .binary
                    return try encoder.encode($0)
                }
            ),
            (
                "SQLite, WAL",
                try JobTable(jobs, at: directory + "/normal.sqlite", isFullySynchronous: false)
            ),
            (
                "SQLite, WAL, synchronous=FULL",
                try JobTable(
                    jobs, at: directory + "/full.sqlite", isFullySynchronous: true)
            ),
        ]
        let change = Measure("one change among \(count.grouped) elements", .microseconds)
        let add = Measure(
            "adding an element to \(count.grouped) elements and removing it", .microseconds)
        // The first round is a warm-up.
        for round in 0...run.rounds {
            let target = round == 0 ? Results() : results
            for time in try await collection.change(1000) {
                target.add(time, to: change)
            }
            for time in try await collection.addAndRemove(100, at: count) {
                target.add(time, to: add)
            }
            for (name, peer) in peers {
                let changes = peer is JobTable ? 200 : max(2, 20_000 / count)
                for number in 0..<min(changes, 200) {
                    try await target.time(change, of: .peer(name)) {
                        try peer.change(number * 7 % count)
                    }
                }
            }
        }
        let bytes = try await collection.bytesOfChange()
        results.add(
            Double(bytes),
            to: Measure("data written for one change among \(count.grouped) elements", .bytes))
        for _ in 0..<run.rounds {
            results.add(
                try await collection.restart() / 1000,
                to: Measure("start with \(count.grouped) elements", .milliseconds))
        }
        try await collection.end()
    }
}

/// A collection in a program that makes changes from its own tasks, as in the documentation.
@LoopActor final class CollectionOwner {
    private let directory: String
    private let count: Int
    private var current: Running?

    private struct Running {
        var application: Application
        var jobs: RestorableCollection<CollectionMeasures.Job>
        var service: Task<Void, any Error>

        @LoopActor init(in directory: String) async throws {
            application = try Application(
                bundleIdentifier: "org.reprise.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: directory),
                settings: PreservationSettings(interval: .seconds(3600)),
                logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
            jobs = try await application.collection("jobs", of: CollectionMeasures.Job.self)
            let application = application
            service = Task.detached { try await application.run() }
            try await application.waitUntilReady()
        }

        @LoopActor func end() async throws {
            service.cancel()
            try await service.value
        }
    }

    init(_ jobs: [CollectionMeasures.Job], in directory: String) async throws {
        self.directory = directory
        count = jobs.count
        let running = try await Running(in: directory)
        current = running
        try await running.jobs.update { for job in jobs { $0.append(job) } }
    }

    /// Changes elements one after another, each with a separate command.
    ///
    /// - Returns: The duration of each change in microseconds.
    func change(_ times: Int) async throws -> [Double] {
        let (jobs, count) = (try running.jobs, count)
        return try await Task.detached {
            var result: [Double] = []
            for number in 0..<times {
                let id = number * 7 % count
                let start = ContinuousClock.now
                try await jobs.update { $0[id: id]?.progress += 1 }
                result.append((ContinuousClock.now - start).microseconds)
            }
            return result
        }.value
    }

    func addAndRemove(_ times: Int, at id: Int) async throws -> [Double] {
        let jobs = try running.jobs
        return try await Task.detached {
            var result: [Double] = []
            for _ in 0..<times {
                let start = ContinuousClock.now
                try await jobs.update { $0.append(CollectionMeasures.Job(id: id)) }
                try await jobs.update { $0.remove(id: id) }
                result.append((ContinuousClock.now - start).microseconds)
            }
            return result
        }.value
    }

    /// Makes a change, and returns the number of bytes that it adds to the archive.
    func bytesOfChange() async throws -> Int {
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: running.application.archivePath)[.size]
                as? Int ?? 0
        }
        let before = try size()
        _ = try await change(1)
        return try size() - before
    }

    /// Quits the application, and launches it again with the saved elements.
    ///
    /// - Returns: The time from the launch until the application accepts commands, in microseconds.
    func restart() async throws -> Double {
        try await end()
        let start = ContinuousClock.now
        current = try await Running(in: directory)
        return (ContinuousClock.now - start).microseconds
    }

    func end() async throws {
        try await running.end()
        // Releases the state directory.
        current = nil
    }

    private var running: Running {
        get throws {
            guard let current else { throw Failure("the application has ended") }
            return current
        }
    }
}

/// A file in which jobs are stored.
private protocol JobFile: AnyObject {
    func change(_ id: Int) throws
}

/// A file that is rewritten for each change, as in many programs.
private final class WholeFile: JobFile {
    private var jobs: [CollectionMeasures.Job]
    private let url: URL
    private let encode: ([CollectionMeasures.Job]) throws -> Data

    init(
        _ jobs: [CollectionMeasures.Job], at path: String,
        encode: @escaping ([CollectionMeasures.Job]) throws -> Data
    ) {
        self.jobs = jobs
        url = URL(filePath: path)
        self.encode = encode
    }

    func change(_ id: Int) throws {
        jobs[id].progress += 1
        try encode(jobs).write(to: url, options: .atomic)
    }
}

/// A table with one row per job.
private final class JobTable: JobFile {
    private let database: DatabaseQueue
    private let statement: Statement

    init(_ jobs: [CollectionMeasures.Job], at path: String, isFullySynchronous: Bool) throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE job (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL, progress INTEGER NOT NULL)
                    """)
            let statement = try database.makeStatement(sql: "INSERT INTO job VALUES (?, ?, ?)")
            for job in jobs { try statement.execute(arguments: [job.id, job.title, job.progress]) }
        }
        statement = try database.inDatabase { database in
            try database.execute(
                sql: "PRAGMA synchronous = \(isFullySynchronous ? "FULL" : "NORMAL")")
            return try database.makeStatement(
                sql: "UPDATE job SET progress = progress + 1 WHERE id = ?")
        }
    }

    func change(_ id: Int) throws {
        try database.write { _ in try statement.execute(arguments: [id]) }
    }
}
