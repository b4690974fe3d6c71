/// A job of the archive that another thread would run.
enum BackgroundJob<Job: Sendable, Outcome: Sendable> {
    /// There is none.
    case idle
    /// It waits for its thread.
    case begun(Job)
    /// It does one operation after the other.
    case running(Job, SteppedJob<Outcome>)
    /// Its thread is done; the archive was not told yet.
    case ran(Job, Outcome)

    /// Whether others have to wait for it.
    var holdsLock: Bool { if case .running(_, let job) = self { job.holdsLock } else { false } }

    /// None of its operations happens any more.
    mutating func abandon() {
        if case .running(_, let job) = self { job.abandon() }
        self = .idle
    }

    var isGoingOn: Bool { if case .idle = self { false } else { true } }
    var isRunning: Bool { if case .running = self { true } else { false } }
}
