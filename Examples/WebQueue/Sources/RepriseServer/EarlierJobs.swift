import Preservation
import WebQueue

/// A job in the format in which version 1 of the program saved it.
struct JobV1: Codable, Identifiable {
    var id: String
    var title: String
}

/// A job in the format in which version 2 of the program saved it.
struct JobV2: Codable, Identifiable {
    var id: String
    var title: String
    /// The completed fraction of the job, from 0 to 1.
    var progress: Double
}

extension Job {
    /// Conversions from earlier types, most recent first.
    static var migrations: [ValueMigration<Job>] {
        [
            .from(JobV2.self) {
                Job(
                    id: $0.id, title: $0.title, user: "unknown",
                    completedSteps: Int($0.progress * Double(stepCount)))
            },
            .from(JobV1.self) { Job(id: $0.id, title: $0.title, user: "unknown") },
        ]
    }
}
