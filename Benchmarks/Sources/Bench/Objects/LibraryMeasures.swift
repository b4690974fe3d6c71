import Foundation

typealias Job = CollectionMeasures.Job

/// Benchmarks for the operations of a service that stores its jobs in a collection, with several collection sizes.
///
/// The peers store the same jobs in a database, in a file, or in a server.
@LoopActor struct LibraryMeasures {
    let run: Run
    let results: Results

    func measure() async throws {
        for count in run.isQuick ? [1, 1000, 100_000] : [1, 1000, 100_000, 1_000_000] {
            run.log("measuring \(count.grouped) jobs ...")
            let directory = "\(run.directory)/library-\(count)"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            for kind in JobStoreKind.allCases {
                // The store is released before the restart.
                try await measure(kind, count, in: directory)
                try await measureRestart(kind, count, in: directory)
            }
            try FileManager.default.removeItem(atPath: directory)
        }
    }

    private func measure(_ kind: JobStoreKind, _ count: Int, in directory: String) async throws {
        let store = try await kind.open(in: directory)
        try await store.fill(0..<count)
        // A whole file is rewritten for each change.
        let repetitions =
            kind == .file ? max(3, min(200, 100_000 / count)) : run.isQuick ? 200 : 1000
        func time(
            _ operation: String, _ times: Int, _ body: (Int) async throws -> Void
        ) async throws {
            let measure = Measure("\(operation), \(count.grouped) jobs", .microseconds)
            for number in 0..<times {
                try await results.time(measure, of: kind.subject) { try await body(number) }
            }
        }
        try await time("update", repetitions) { try await store.update($0 * 7 % count) }
        try await time("read", repetitions) { try await store.read($0 * 7 % count) }
        try await time("transaction over two collections", repetitions) {
            try await store.finish($0 * 7 % count)
        }
        try await time("insert at the front", repetitions) {
            try await store.insertAtFront(Job(id: count + $0))
        }
        try await time("remove", repetitions) { try await store.remove(count + $0) }
        try await store.setDurable()
        try await time("durable update", min(repetitions, run.isQuick ? 50 : 300)) {
            try await store.update($0 * 7 % count)
        }
        try await store.close()
    }

    /// Measures the time and the memory that a new process needs until it can access all jobs.
    private func measureRestart(
        _ kind: JobStoreKind, _ count: Int, in directory: String
    ) async throws {
        let start = Measure("start, \(count.grouped) jobs", .milliseconds)
        let memory = Measure("memory per job after the start, \(count.grouped) jobs", .bytes)
        for _ in 0..<min(run.rounds, 3) {
            let output = directory + "/restart"
            try ChildProcess(
                [CommandLine.arguments[0], directory, "--restart", kind.rawValue], output: output
            ).wait()
            let figures = try String(contentsOfFile: output, encoding: .utf8).split(separator: " ")
            guard figures.count == 2, let milliseconds = Double(figures[0]),
                let bytes = Double(figures[1])
            else { throw Failure("the restarted program printed \(figures)") }
            results.add(milliseconds, to: start, of: kind.subject)
            if count >= 1000 { results.add(bytes / Double(count), to: memory, of: kind.subject) }
        }
    }

    /// Opens a store, and prints the milliseconds until all jobs can be accessed and the growth of the resident memory in
    /// bytes. ``measureRestart(_:_:in:)`` starts a process that calls this method.
    static func restart(_ name: String, in directory: String) async throws {
        guard let kind = JobStoreKind(rawValue: name) else {
            throw Failure("unknown store \(name)")
        }
        let before = try ChildProcess.residentBytes()
        let start = ContinuousClock.now
        let store = try await kind.open(in: directory)
        try await store.load()
        let time = ContinuousClock.now - start
        let bytes = try store.memory ?? (ChildProcess.residentBytes() - before)
        print("\(time.milliseconds) \(bytes)", terminator: "")
        try await store.close()
    }
}

/// The programs that store jobs.
enum JobStoreKind: String, CaseIterable {
    case reprise, sqlite, file, redis

    var subject: Subject {
        switch self {
        case .reprise: .ours
        case .sqlite: .peer("SQLite, WAL (GRDB)")
        case .file: .peer("JSON file, replaced as a whole")
        case .redis: .peer("Redis, append-only file")
        }
    }

    /// Opens the store in a directory, or creates it.
    @LoopActor func open(in directory: String) async throws -> any JobStore {
        switch self {
        case .reprise: try await RepriseJobs(in: directory + "/reprise")
        case .sqlite: try SQLiteJobs(at: directory + "/jobs.sqlite")
        case .file: try FileJobs(at: directory + "/jobs.json")
        case .redis: try RedisJobs(in: directory + "/redis")
        }
    }
}

/// A store of waiting jobs and finished jobs.
///
/// A program accesses the jobs in memory, or by queries if the store is a database or a server.
@LoopActor protocol JobStore: AnyObject {
    /// Memory of the store in bytes, or `nil` if the store is in this process.
    var memory: Int? { get throws }

    /// Appends new jobs with the given identifiers.
    func fill(_ ids: Range<Int>) async throws
    /// Makes all jobs accessible after the store has been opened.
    func load() async throws
    /// Increments the progress of a job.
    func update(_ id: Int) async throws
    /// Reads a job.
    func read(_ id: Int) async throws
    /// Increments the progress of a waiting job and adds an entry to the finished jobs, all or nothing.
    func finish(_ id: Int) async throws
    func insertAtFront(_ job: Job) async throws
    func remove(_ id: Int) async throws
    /// Makes later changes durable before the calls return.
    func setDurable() async throws
    func close() async throws
}
