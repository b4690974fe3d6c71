import Logging
import Preservation
import ServiceLifecycle

struct Job: Codable {
    var step = 0
}

/// Runs the steps of a job one after another.
actor JobRunner: Service {
    private let job: RestorableValue<Job>

    init(job: RestorableValue<Job>) {
        self.job = job
    }

    func run() async throws {
        while try await job.current.step < 1000, !Task.isShuttingDownGracefully {
            try await Task.sleep(for: .milliseconds(50))
            try await job.update { $0.step += 1 }
            print("step \(try await job.current.step) is done")
        }
    }
}

@main struct Program {
    static func main() async throws {
        let logger = Logger(label: "jobs")
        let application = try Application(
            bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
            stateDirectory: ApplicationStateDirectory(path: "state"), logger: logger)
        let job = try await application.value("job", default: Job())
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: application),
                    .init(
                        service: JobRunner(job: job),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await services.run()
    }
}
