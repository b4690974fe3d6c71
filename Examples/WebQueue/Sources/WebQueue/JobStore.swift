/// A store for jobs.
///
/// Methods that change jobs return after the change has been saved.
package protocol JobStore: Sendable {
    associatedtype Changes: AsyncSequence & Sendable where Changes.Element: Sendable

    /// A sequence that yields an element immediately and another element whenever the waiting jobs have changed.
    var changes: Changes { get }
    /// The first waiting job, or `nil` if no job is waiting.
    var next: Job? { get async throws }

    func jobs() async throws -> JobList
    func job(id: Job.ID) async throws -> Job?
    /// Adds a waiting job at the end, or at the front if it is urgent.
    ///
    /// - Returns: Whether the job was added. If the store already has a job with the same `id`, nothing changes.
    func add(_ job: Job, isUrgent: Bool) async throws -> Bool
    func setCompletedSteps(_ count: Int, of id: Job.ID) async throws
    /// Moves a job from the waiting jobs to the finished jobs.
    func finish(_ id: Job.ID) async throws
    /// Removes a job.
    ///
    /// - Returns: Whether the job existed.
    func remove(_ id: Job.ID) async throws -> Bool
}
