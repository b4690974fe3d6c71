import Preservation
import RepriseControl
import StateRestoration
import Synchronization
import VarlinkServing

/// Implementation of the methods of `org.reprise.Control`.
///
/// The methods are implemented in extensions, one for each area: the daemon, applications, their history, scenes,
/// interaction with scenes, terminal clients, events, backups and the cluster.
struct ControlImplementation: ControlMethods {
    let program: ProgramDescription
    /// Start time of the daemon in microseconds since 1970-01-01 UTC.
    let startTime: Int64
    let applications: ApplicationList
    let stateDirectory: ApplicationStateDirectory
    let daemonState: DaemonState
    /// Queue of reload requests, or `nil` if the program has nothing to reload.
    let reloadRequests: ReloadRequestQueue?
    let feed: EventFeed
    let connectionRegistry = ConnectionRegistry()
    let metrics: DaemonMetrics
    /// Clock for the delays between updates to a client.
    let clock: any Clock<Duration>
    /// Drawings that several clients share.
    let drawings: SharedDrawings
    /// Lock that is held while a backup is running.
    let backupLock = BackupLock()

    /// Returns the parameters whose values determine the queue for calls to a method, or `nil` if calls to the method
    /// are not queued.
    ///
    /// Operations on different scenes use different queues, because a scene may have to launch first. Methods that read
    /// have no queue, because a queue on a connection could hold up to 16 large results.
    static func queue(of method: ControlMethod) -> [String]? {
        switch method {
        case .type, .editText, .replaceText, .select, .tap, .edit, .move, .delete, .undoDelete,
            .scroll, .zoom,
            .load, .back, .forward, .dismiss:
            ["application", "scene"]
        default: nil
        }
    }
}

/// Lock that permits only one backup at a time, because a backup keeps files open.
final class BackupLock: Sendable {
    private let isLocked = Atomic(false)

    /// Acquires the lock, or returns `false` if another backup holds it.
    func acquire() -> Bool { !isLocked.exchange(true, ordering: .sequentiallyConsistent) }

    func release() { isLocked.store(false, ordering: .sequentiallyConsistent) }
}
