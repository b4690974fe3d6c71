import FoundationEssentials
import Logging
import Preservation
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing
import UnixSignals

// Code from docs/embedding.md, docs/evolving-types.md and docs/model-data.md.

struct JobState: Codable {
    var name = ""
    var progress = 0
}

func runJobs(in stateDirectory: String, logger: Logger) async throws {
    let application = try Application(
        bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
        stateDirectory: ApplicationStateDirectory(path: stateDirectory), logger: logger)
    let jobs = try await application.value("jobs", default: JobState())
    let services = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: [
                .init(service: application),
                .init(
                    service: Worker(jobs: jobs),
                    successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            gracefulShutdownSignals: [.sigterm], logger: logger))
    try await services.run()
}

struct Worker: Service {
    let jobs: RestorableValue<JobState>

    func run() async throws {
        while try await jobs.current.progress < 10, !Task.isShuttingDownGracefully {
            try await jobs.update { $0.progress += 1 }
        }
    }
}

struct User: Codable, Identifiable {
    var id: Int
    var email = ""
}

func users(in application: Application) async throws -> RestorableCollection<User> {
    try await application.collection("users", of: User.self, indexes: [.by(\.email)])
}

func user(_ email: String, of users: RestorableCollection<User>) async throws -> User? {
    try await users.first(where: \.email, equals: email)
}

struct LoginSession: Codable, Identifiable {
    var id: String
    var user = 0
    var deadline: Date?
}

func sessions(in application: Application) async throws -> RestorableCollection<LoginSession> {
    try await application.collection("sessions", of: LoginSession.self, expires: \.deadline)
}

func backUp(_ application: Application, to directory: String) async throws {
    let backup = try await application.backup(to: directory)
    print("\(backup.fileCount) files, \(backup.byteCount) bytes")
}

func restore(_ backup: String, in stateDirectory: String) throws {
    for application in try ApplicationStateDirectory.restore(from: backup, to: stateDirectory) {
        print(application.bundleIdentifier, application.generation ?? "no earlier state")
    }
}

func declareRenamed(in application: Application) async throws -> RestorableValue<JobState> {
    let jobs = try await application.value(
        "jobs", default: JobState(), aliases: ["tasks"],
        migrations: [.from([String].self) { JobState(name: $0.first ?? "") }])
    return jobs
}

struct Job: Codable {
    var step = 0
    var remark: String?

    enum CodingKeys: String, CodingKey {
        case step
        case remark = "note"
    }
}

struct QueuedJob: Codable, Identifiable {
    var id: Int
    var title = ""
    var progress = 0
}

func queue(in application: Application) async throws -> RestorableCollection<QueuedJob> {
    try await application.collection("queue", of: QueuedJob.self)
}

func work(on jobs: RestorableCollection<QueuedJob>) async throws {
    try await jobs.update { jobs in
        jobs.append(QueuedJob(id: 7, title: "copy"))
        jobs.insert(QueuedJob(id: 8, title: "verify"), at: 0)
        jobs.move(id: 7, to: 0)
        jobs[id: 7]?.progress += 1
        jobs.remove(id: 8)
    }
    let titles = try await jobs.read { $0.map(\.title) }
    let copy = try await jobs[id: 7]
    print(titles, copy?.progress ?? 0)
}

func takeJob(from jobs: RestorableCollection<QueuedJob>) async throws -> QueuedJob? {
    let reply = try await jobs.updateEvenIfUnsaved { jobs -> QueuedJob? in
        guard let job = jobs.first(where: \.progress, equals: 0) else { return nil }
        jobs[id: job.id]?.progress = 1
        return job
    }
    if !reply.isSaved { print("after a crash, the job is performed again: \(reply.saved)") }
    return reply.result
}

struct JobV1: Codable {
    var name: String
}

struct JobV2: Codable {
    var title: String

    init(_ job: JobV1) { title = job.name }
}

struct JobV3: Codable {
    var title = ""
    var user = ""

    init() {}
    init(_ job: JobV2) { title = job.title }
}

func declareMigrated(in application: Application) async throws -> RestorableValue<JobV3> {
    let jobs = try await application.value(
        "jobs", default: JobV3(),
        migrations: [
            .from(JobV2.self) { JobV3($0) },
            .from(JobV1.self) { JobV3(JobV2($0)) },
        ])
    return jobs
}

func declareRemoved(in application: Application) async throws {
    try await application.removedValue("sessions")
}

struct Stats: Codable {
    var finished = 0
}

func finish(
    _ id: Int, of jobs: RestorableCollection<QueuedJob>, _ stats: RestorableValue<Stats>,
    in application: Application
) async throws {
    try await application.update(jobs, stats) { jobs, stats in
        jobs.remove(id: id)
        stats.finished += 1
    }
}

func count(
    _ jobs: RestorableCollection<QueuedJob>, _ stats: RestorableValue<Stats>,
    in application: Application
) async throws -> Int {
    try await application.read(jobs, stats) { jobs, stats in jobs.count + stats.finished }
}

final class Agent: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("task") var task = "idle"
    @Restorable("progress") var progress = 0

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$task)
        visitor.visit(&$progress)
    }
}

extension ObjectKey<Agent> {
    static var agent: Self { "agent" }
    static var helpers: Self { "helpers" }
}

final class Counter: StateRestoring {
    let restoration = RestorationNode()
    weak var agent: Agent?
    var count = 0 {
        didSet { invalidateRestorableState() }
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
        coder.encode(count, forKey: "count")
        coder.encode(agent, forKey: "agent")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        count = try coder.decode(forKey: "count") ?? 0
        agent = try coder.decodeObject(forKey: "agent")
    }
}

final class Download: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("title", migratingFrom: "name") var title = ""
    @Restorable(
        "fraction", migratingFrom: "percent", by: { (percent: Int) in Double(percent) / 100 })
    var fraction = 0.0

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$title)
        visitor.visit(&$fraction)
    }
}

func makeApplication(in stateDirectory: String, logger: Logger) throws -> Application {
    try Application(
        bundleIdentifier: "org.example.Agent", bundleVersion: "1",
        stateDirectory: ApplicationStateDirectory(path: stateDirectory), logger: logger
    ) { objects in
        try objects.add(Agent(), as: .agent)
        try objects.list(.helpers) { id in Agent() }
    }
}

func work(_ application: Application) async throws -> DurabilityLevel {
    let saved = try await application.perform(with: .agent) { agent in
        agent.task = "copying"
        agent.progress += 1
    }.saved
    let progress = try await application.read(with: .agent) { $0.progress }
    precondition(progress > 0)
    return saved
}

func callHelpers(_ application: Application) async throws {
    try await application.perform { scene in
        try scene.list(.helpers)?.add("helper-7").task = "sorting"
        scene.list(.helpers)?.remove("helper-3")
    }
}

final class Tasks: ApplicationModel {
    private let documents: DocumentsDirectory
    private(set) var hasChanges = false
    var names: [String] {
        didSet { hasChanges = true }
    }

    init(_ documents: DocumentsDirectory) throws {
        self.documents = documents
        names = try documents.readJSON([String].self, from: "tasks.json") ?? []
    }

    func saveChanges() throws {
        guard hasChanges else { return }
        try documents.replaceJSON("tasks.json", with: names)
        hasChanges = false
    }
}

@Suite struct EmbeddingTests {
    /// Runs the application in its program's service group, as in the article.
    private func withProgram(
        in scratch: ScratchDirectory, _ body: (Application) async throws -> Void
    ) async throws {
        let application = try makeApplication(in: scratch.stateDirectory, logger: .quiet)
        let services = ServiceGroup(
            services: [application],
            logger: .quiet)
        async let running: Void = services.run()
        try await application.waitUntilLaunched()
        try await body(application)
        await services.triggerGracefulShutdown()
        try await running
    }

    private func progress(_ application: Application) async throws -> Int? {
        try await application.perform { $0.registeredObject("agent", as: Agent.self)?.progress }
            .result
    }

    @Test func `P12: plain objects are restored after the program restarts`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withProgram(in: scratch) { application async throws in
                #expect(try await application.report().reason == .pristine)
                #expect(try await work(application) == .written)
                #expect(try await work(application) == .written)
            }
            try await withProgram(in: scratch) { application async throws in
                #expect(try await application.report().reason == .restore)
                #expect(try await progress(application) == 2)
                #expect(try await work(application) == .written)
                #expect(try await progress(application) == 3)
                try await callHelpers(application)
            }
        }
    }

    @Test func `a program ends with its worker, and the worker's final value is restored`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await runJobs(in: scratch.stateDirectory, logger: .quiet)
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                logger: .quiet)
            let jobs = try await declareRenamed(in: application)
            let queue = try await queue(in: application)
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            #expect(try await jobs.current.progress == 10)
            try await work(on: queue)
            #expect(try await queue.elements.map(\.progress) == [1])
            await services.triggerGracefulShutdown()
            try await running
        }
    }

    @Test func `an application without a custom executor runs its commands one at a time`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withProgram(in: scratch) { application async throws in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 { group.addTask { _ = try await work(application) } }
                    try await group.waitForAll()
                }
                #expect(try await progress(application) == 100)
                await application.assertOwnExecutor()
            }
        }
    }

    @Test func `a registered object is found by its identifier and its class`() async throws {
        try await withScratchDirectory { scratch in
            try await withProgram(in: scratch) { application async throws in
                let found = try await application.perform { scene in
                    [
                        scene.registeredObject("agent", as: Agent.self) != nil,
                        scene.registeredObject("other", as: Agent.self) != nil,
                        scene.registeredObject("agent", as: Note.self) != nil,
                    ]
                }.result
                #expect(found == [true, false, false])
            }
        }
    }
}

extension Application {
    fileprivate func assertOwnExecutor() {
        assertIsolated()
    }
}
