import Logging
import ServiceLifecycle

/// A service that performs the waiting jobs one after another.
///
/// While no job is waiting, the worker waits for changes to the store.
package struct Worker<Store: JobStore>: Service {
    private let store: Store
    private let logger: Logger
    private let perform: @Sendable (Job) async throws -> Void

    /// Creates a worker.
    ///
    /// - Parameter perform: A closure that performs the next step of a job. If the program is killed during or after a
    ///   step, the worker may perform the step again.
    package init(
        store: Store, logger: Logger,
        perform: @escaping @Sendable (Job) async throws -> Void = { _ in
            try await Task.sleep(for: .milliseconds(20))
        }
    ) {
        self.store = store
        self.logger = logger
        self.perform = perform
    }

    package func run() async throws {
        for try await _ in store.changes.cancelOnGracefulShutdown() {
            while !Task.isShuttingDownGracefully, let job = try await store.next {
                do {
                    try await performStep(of: job)
                } catch let error where !(error is CancellationError) {
                    logger.error(
                        "A step of a job failed",
                        metadata: ["job": "\(job.id)", "error": "\(error)"])
                    try await Task.sleep(for: .seconds(1))
                }
            }
        }
    }

    private func performStep(of job: Job) async throws {
        guard job.completedSteps < Job.stepCount else { return try await store.finish(job.id) }
        try await perform(job)
        try await store.setCompletedSteps(job.completedSteps + 1, of: job.id)
    }
}
