/// Executors and queues on which an application's work runs.
struct ApplicationExecutors: Sendable {
    /// Executor of the application's actor.
    let serial: any SerialExecutor
    /// Executor of the actor if the application created it, or `nil` otherwise.
    ///
    /// This executor can run a turn on the caller's thread.
    let serialQueue: SerialQueueExecutor?
    /// Task executor that runs jobs on the actor's executor.
    let task: ApplicationTaskExecutor
    /// Queue for syncing the archive.
    let sync: DiskQueue
    /// Queue for compacting the archive.
    let compaction: DiskQueue

    /// Creates the executors and queues for an application.
    ///
    /// - Parameters:
    ///   - serial: The executor of the application's actor, or `nil` to create an executor.
    ///   - label: The prefix of the queues' labels, which debuggers display.
    init(_ serial: (any SerialExecutor)?, label: String) {
        self.serial = serial ?? SerialQueueExecutor(label: label)
        serialQueue = self.serial as? SerialQueueExecutor
        task = ApplicationTaskExecutor(self.serial)
        sync = DiskQueue(label: "\(label).sync")
        compaction = DiskQueue(label: "\(label).compact")
    }
}
