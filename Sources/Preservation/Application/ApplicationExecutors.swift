/// Executors and queues on which the work of an application runs.
struct ApplicationExecutors: Sendable {
    /// Executor of the application's actor.
    let serial: any SerialExecutor
    /// The actor's executor if the application created it, or `nil` otherwise. It can run a turn on the thread of the
    /// caller.
    let own: SerialQueueExecutor?
    /// Task executor that runs jobs on the actor's executor.
    let task: ApplicationTaskExecutor
    /// Queue for syncs of the archive.
    let sync: DiskQueue
    /// Queue for compactions of the archive.
    let compaction: DiskQueue

    /// - Parameters:
    ///   - serial: Executor of the application's actor, or `nil` to create one.
    ///   - label: Prefix of the queues' labels, which debuggers display.
    init(_ serial: (any SerialExecutor)?, label: String) {
        self.serial = serial ?? SerialQueueExecutor(label: label)
        own = self.serial as? SerialQueueExecutor
        task = ApplicationTaskExecutor(self.serial)
        sync = DiskQueue(label: "\(label).sync")
        compaction = DiskQueue(label: "\(label).compact")
    }
}
