package import NIOCore

/// Task executor that keeps the tasks of a connection on its event loop, unless they have an executor of their own.
///
/// This matters when a task resumes after a wait. Swift resumes a continuation on the task's preferred executor.
/// Without one, it uses the global pool, from which an actor of the event loop is two thread switches away.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop
    private let serialExecutor: any SerialExecutor

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
