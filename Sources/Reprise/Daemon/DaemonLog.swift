import Logging
import PositionedYAML
import RepriseControl

/// Event that operators may search for in the daemon's log.
///
/// The raw value is the event's MESSAGE_ID (see systemd.journal-fields(7)). An identifier is never reused for a
/// different event.
enum DaemonEvent: String {
    /// The daemon began to reload its configuration and storyboards.
    case reloadStarted = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c130"
    /// The daemon applied changes to its configuration or storyboards.
    case reloaded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c131"
    /// Some changes take effect at the next restart.
    case restartRequired = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c132"
    /// The configuration or a storyboard has an error, so the previous version remains active.
    case configurationRefused = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c133"
    /// An application did not apply its storyboards.
    case applicationNotReloaded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c134"
    /// Some changes to a file may not be detected.
    case watchUnreliable = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c135"
    /// A file is watched again.
    case watchRestored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c156"
    /// A client requested an operation that removes state, restores other state, or stops something.
    case operationRequested = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c136"
    /// The metrics file could not be written.
    case metricsFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c137"
    /// The daemon is starting with the listed files, state directory and sockets.
    case starting = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c138"
    /// The daemon failed to start.
    case failed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c139"
    /// The daemon stopped without saving all state.
    case stoppedUnsaved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c158"
    /// A configured value has no effect, other users can change a file, or the encryption of stored files does not
    /// match the configuration.
    case configurationWarning = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13a"
    /// A control socket that another program had removed was recreated.
    case controlSocketCreated = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13d"
    /// A control socket was removed and cannot be recreated.
    case controlSocketMissing = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13e"
    /// The daemon joined its cluster.
    case clusterJoined = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c142"
    /// The cluster's servers cannot be reached.
    case etcdUnreachable = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c143"
    /// The cluster's servers can be reached again.
    case etcdReachable = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c144"
    /// The cluster's servers were restored from a backup.
    case etcdRestored = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c159"
    /// Another host joined the cluster.
    case hostJoined = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c15c"
    /// Another host is no longer in the cluster.
    case hostLeft = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c15d"
    /// Another daemon uses this host's name in the cluster.
    case hostNameTaken = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c15e"
    /// Applications stopped because other hosts may run them.
    case ownershipLost = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c145"
    /// This host cannot take over an application.
    case notTakenOver = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c146"
    /// An application moved to another host at the request of an operator.
    case applicationMoved = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c147"
    /// An operator paused automatic takeovers in the cluster.
    case takeoversPaused = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c15a"
    /// Automatic takeovers are no longer paused.
    case takeoversResumed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c15b"
    /// An operator forced the takeover of an application from another host.
    case takeoverForced = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c160"
    /// Some of the cluster's servers cannot be used.
    case etcdServersFailing = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c161"
    /// All of the cluster's servers can be used again.
    case etcdServersAvailable = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c162"
    /// The cluster's servers were restored from a backup before the daemon started.
    case etcdRestoredBeforeStart = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c163"
}

extension DaemonEvent {
    /// Kind under which followers receive the event, or `nil` if they do not receive it.
    fileprivate var kind: EventKind? {
        switch self {
        case .reloadStarted, .starting, .failed, .stoppedUnsaved, .controlSocketCreated,
            .controlSocketMissing:
            nil
        case .reloaded, .restartRequired: .reloaded
        case .configurationRefused, .applicationNotReloaded, .watchUnreliable, .metricsFailed,
            .configurationWarning, .etcdUnreachable, .etcdRestored, .etcdRestoredBeforeStart,
            .etcdServersFailing, .takeoverForced, .hostNameTaken, .ownershipLost, .notTakenOver:
            .problem
        case .clusterJoined, .etcdReachable, .hostJoined, .hostLeft, .applicationMoved,
            .takeoversPaused, .takeoversResumed, .etcdServersAvailable, .watchRestored:
            nil
        case .operationRequested: .asked
        }
    }
}

/// Log for the daemon's own events.
struct DaemonLog: Sendable {
    let logger: Logger
    /// Feed that sends the events to followers, or `nil` if events are only logged.
    var feed: EventFeed?

    /// Logs an event and sends it to followers.
    ///
    /// - Parameter fields: The journal fields in addition to MESSAGE_ID.
    func log(
        _ level: Logger.Level, _ event: DaemonEvent, _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> [String: String] = [:]
    ) {
        if let kind = event.kind, let feed, feed.isFollowing {
            let fields = fields()
            feed.record(
                kind, of: fields["REPRISE_APPLICATION"], scene: fields["REPRISE_SCENE"], message())
        }
        guard logger.logLevel <= level else { return }
        var metadata = fields().mapValues { Logger.MetadataValue.string($0) }
        metadata["MESSAGE_ID"] = .string(event.rawValue)
        logger.log(level: level, "\(message())", metadata: metadata)
    }

    /// Logs each warning.
    func log(_ warnings: [ConfigurationWarning]) {
        for warning in warnings {
            log(
                .warning, .configurationWarning, warning.description,
                ["REPRISE_FILE": warning.filePath]
            )
        }
    }

    /// Logs the errors in a configuration, ordered by position.
    func log(_ error: ConfigurationError) {
        guard case .refused(let problems) = error else {
            return log(
                .error, .configurationRefused,
                "the configuration was not applied, and a start with it would fail with status 78: "
                    + "\(error)")
        }
        for problem in problems.errors {
            log(
                .error, .configurationRefused,
                "the configuration was not applied, and a start with it would fail with status 78: "
                    + "\(problem)",
                problem.journalFields)
        }
        if problems.omittedCount > 0 {
            log(
                .error, .configurationRefused,
                "\(problems.omittedCount) more problems are not listed")
        }
    }
}
