/// Task executor that runs each job immediately, on the thread that enqueues the job.
///
/// A waiting task continues inside the call that resumes it, so a test can check what the task
/// finds at that point.
final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}
