package import NIOCore

/// Task executor that runs a connection's tasks on the connection's event loop, unless they have a different executor.
///
/// The executor matters when a task resumes after a wait. Swift resumes a continuation on the task's preferred
/// executor. Without a preferred executor, it uses the global pool, and a call from there to an actor on the event loop
/// takes two thread switches.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop
    private let serialExecutor: any SerialExecutor

    /// Creates an executor.
    ///
    /// - Parameter eventLoop: Event loop on which the tasks run.
    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        serialExecutor = eventLoop.executor
    }

    /// Runs the job as a job of the event loop's serial executor. Calling an actor on that executor from the job then
    /// needs no executor hop.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute {
            job.runSynchronously(
                isolatedTo: self.serialExecutor.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
