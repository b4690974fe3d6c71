/// Executors and queues that run an application's work.
struct ApplicationExecutors: Sendable {
    /// Executor of the application's actor.
    let serialExecutor: any SerialExecutor
    /// Executor of the application's actor if it is a serial queue, or `nil` if the program provided another executor.
    ///
    /// A serial queue can run a turn on the caller's thread.
    let serialQueue: SerialQueueExecutor?
    /// Task executor that runs jobs on the actor's executor.
    let taskExecutor: ApplicationTaskExecutor
    /// Queue for syncing the archive.
    let syncQueue: DiskQueue
    /// Queue for compacting the archive.
    let compactionQueue: DiskQueue

    /// Creates the executors and queues for an application.
    ///
    /// - Parameters:
    ///   - serialExecutor: The executor of the application's actor, or `nil` to create an executor.
    ///   - label: The prefix of the queues' labels, which debuggers display.
    init(_ serialExecutor: (any SerialExecutor)?, label: String) {
        self.serialExecutor = serialExecutor ?? SerialQueueExecutor(label: label)
        serialQueue = self.serialExecutor as? SerialQueueExecutor
        taskExecutor = ApplicationTaskExecutor(self.serialExecutor)
        syncQueue = DiskQueue(label: "\(label).sync")
        compactionQueue = DiskQueue(label: "\(label).compact")
    }
}
