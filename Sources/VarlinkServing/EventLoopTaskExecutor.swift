package import NIOCore

/// Task executor that runs the tasks of a connection on its event loop, unless they have another executor.
///
/// This matters when a task resumes after a wait. Swift resumes a continuation on the task's preferred executor.
/// Without a preferred executor, it uses the global pool. Calling an actor of the event loop from there takes two
/// thread switches.
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

    /// Runs the job as a job of the event loop's serial executor. Calling an actor of that executor from the job then
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
