import Logging
import Preservation
import ReprisePersist
import WebQueue

/// A store that keeps the jobs in two collections.
struct RepriseStore: JobStore {
    let application: Application
    let waiting: RestorableCollection<Job>
    let finished: RestorableCollection<Job>

    var changes: CollectionChanges<Job> { waiting.changes }
    var next: Job? { get async throws { try await waiting.read(\.first) } }

    func jobs() async throws -> JobList {
        try await application.read(waiting, finished) { waiting, finished in
            JobList(waiting: Array(waiting), finished: Array(finished))
        }
    }

    func job(id: Job.ID) async throws -> Job? {
        if let job = try await waiting[id: id] { job } else { try await finished[id: id] }
    }

    func add(_ job: Job, isUrgent: Bool) async throws -> Bool {
        try await application.update(waiting, finished) { waiting, finished in
            guard waiting[id: job.id] == nil, finished[id: job.id] == nil else { return false }
            waiting.insert(job, at: isUrgent ? 0 : waiting.endIndex)
            return true
        }.result
    }

    func setCompletedSteps(_ count: Int, of id: Job.ID) async throws {
        try await waiting.update { $0[id: id]?.completedSteps = count }
    }

    func finish(_ id: Job.ID) async throws {
        try await application.update(waiting, finished) { waiting, finished in
            if let job = waiting.remove(id: id) { finished.append(job) }
        }
    }

    func remove(_ id: Job.ID) async throws -> Bool {
        try await application.update(waiting, finished) { waiting, finished in
            let job = waiting.remove(id: id) ?? finished.remove(id: id)
            return job != nil
        }.result
    }
}

/// The parts of the program that use the state.
struct Stores {
    var jobs: RepriseStore
    var sessions: ReprisePersistDriver
}

/// Creates the application and declares its state, for the program and for its tests.
func makeApplication(
    in stateDirectory: ApplicationStateDirectory,
    settings: PreservationSettings = PreservationSettings(), logger: Logger
) async throws -> (Application, Stores) {
    let application = try Application(
        bundleIdentifier: "org.example.WebQueue", bundleVersion: "3",
        stateDirectory: stateDirectory, settings: settings, logger: logger)
    let jobs = RepriseStore(
        application: application,
        waiting: try await application.collection(
            "waiting", of: Job.self, migrations: Job.migrations),
        finished: try await application.collection(
            "finished", of: Job.self, migrations: Job.migrations))
    let sessions = try await ReprisePersistDriver("sessions", in: application)
    return (application, Stores(jobs: jobs, sessions: sessions))
}
