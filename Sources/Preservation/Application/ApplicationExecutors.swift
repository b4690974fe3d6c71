/// Executors and queues on which the work of an application runs.
struct ApplicationExecutors: Sendable {
    /// Executor of the application's actor.
    let serial: any SerialExecutor
    /// Executor of the actor if the application created it, or `nil` otherwise.
    ///
    /// This executor can run a turn on the caller's thread.
    let own: SerialQueueExecutor?
    /// Task executor that runs jobs on the actor's executor.
    let task: ApplicationTaskExecutor
    /// Queue for syncs of the archive.
    let sync: DiskQueue
    /// Queue for compactions of the archive.
    let compaction: DiskQueue

    /// Creates the executors and queues of an application.
    ///
    /// - Parameters:
    ///   - serial: The executor of the application's actor, or `nil` to create an executor.
    ///   - label: The prefix of the queues' labels, which debuggers display.
    init(_ serial: (any SerialExecutor)?, label: String) {
        self.serial = serial ?? SerialQueueExecutor(label: label)
        own = self.serial as? SerialQueueExecutor
        task = ApplicationTaskExecutor(self.serial)
        sync = DiskQueue(label: "\(label).sync")
        compaction = DiskQueue(label: "\(label).compact")
    }
}
