/// Schedule that determines when syncs start. Only one sync is in progress at a time.
struct SyncSchedule {
    private enum Activity {
        case unavailable
        case idle
        case syncing
        /// A sync is in progress, and no further sync starts.
        case finishing
    }

    private var activity = Activity.unavailable
    private var isRequested = false

    /// Whether a sync is in progress.
    var isSyncing: Bool { activity == .syncing || activity == .finishing }

    /// Allows syncs to start.
    mutating func start() { activity = .idle }

    /// Requests that a sync start after the sync in progress, if any.
    mutating func request() { isRequested = true }

    /// Begins the requested sync if it can start now.
    ///
    /// - Returns: Whether the sync begins. If so, the caller must call ``didSync()`` after the sync.
    mutating func beginSync() -> Bool {
        guard activity == .idle, isRequested else { return false }
        isRequested = false
        activity = .syncing
        return true
    }

    /// Records that the sync in progress has ended.
    mutating func didSync() { activity = activity == .finishing ? .unavailable : .idle }

    /// Prevents further syncs from starting. A sync in progress continues.
    mutating func stop() { activity = activity == .syncing ? .finishing : .unavailable }
}
