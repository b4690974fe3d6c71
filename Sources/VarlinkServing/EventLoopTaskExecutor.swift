package import NIOCore

/// Keeps the tasks of a connection on its event loop wherever they have no executor of their own.
///
/// Above all where they go on after a wait: Swift resumes a continuation on the task's preferred
/// executor, and without one on the global pool, from where an actor of the event loop is two
/// changes of thread away.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop
    private let serialExecutor: any SerialExecutor

    /// - Parameter eventLoop: where the tasks run.
    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        serialExecutor = eventLoop.executor
    }

    /// The job runs as one of the event loop's serial executor, which it is, so that the way on to
    /// an actor of that executor is no hop.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute {
            job.runSynchronously(
                isolatedTo: self.serialExecutor.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
