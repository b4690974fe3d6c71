import Logging
import ServiceLifecycle

struct Job {
    var step = 0
}

/// Runs the steps of a job one after another.
actor JobRunner: Service {
    private var job = Job()

    func run() async throws {
        while job.step < 1000, !Task.isShuttingDownGracefully {
            try await Task.sleep(for: .milliseconds(50))
            job.step += 1
            print("step \(job.step) is done")
        }
    }
}

@main struct Program {
    static func main() async throws {
        let logger = Logger(label: "jobs")
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: JobRunner(),
                        successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await services.run()
    }
}
