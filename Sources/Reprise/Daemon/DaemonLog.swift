import Logging
import PositionedYAML
import RepriseControl

/// The events of the daemon itself that an operator may look for, each with its MESSAGE_ID
/// (systemd.journal-fields(7)). An identifier is never given to another event.
enum DaemonEvent: String {
    /// Configuration and storyboards are read again.
    case reloadBegun = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c130"
    /// What changed in them was taken over.
    case reloaded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c131"
    /// Something of them takes effect at the next restart.
    case waiting = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c132"
    /// They have an error, and those from before stay in force.
    case refused = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c133"
    /// An application did not take its storyboards over.
    case notReloaded = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c134"
    /// Changes of a file are not all noticed.
    case notWatched = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c135"
    /// A file is watched again.
    case watched = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c156"
    /// Somebody asks for what takes state away, brings other state back, or ends something.
    case asked = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c136"
    /// The file of metrics could not be written.
    case metricsFailed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c137"
    /// The daemon starts with these files, state directory and sockets.
    case starting = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c138"
    /// The daemon does not start, or ended and something is not saved.
    case failed = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c139"
    /// Something that is configured is without effect, or open to others.
    case doubtful = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13a"
    /// A control socket that another program removed was created again.
    case controlSocketCreated = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13d"
    /// A control socket was removed and cannot be created again.
    case controlSocketMissing = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c13e"
    /// The daemon is a host of its cluster now.
    case clusterJoined = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c142"
    /// The cluster's servers cannot be asked.
    case clusterAway = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c143"
    /// They answer again.
    case clusterBack = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c144"
    /// Applications ended because other hosts may run them.
    case ownershipLost = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c145"
    /// An application cannot be taken over by this host.
    case notTakenOver = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c146"
    /// An application went to another host, as somebody asked for.
    case movedAway = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c147"
}

extension DaemonEvent {
    /// What those are told who follow the daemon; nil: nothing.
    fileprivate var kind: EventKind? {
        switch self {
        case .reloadBegun, .starting, .failed, .controlSocketCreated, .controlSocketMissing: nil
        case .reloaded, .waiting: .reloaded
        case .refused, .notReloaded, .notWatched, .metricsFailed, .doubtful, .clusterAway,
            .ownershipLost, .notTakenOver:
            .problem
        case .clusterJoined, .clusterBack, .movedAway, .watched: nil
        case .asked: .asked
        }
    }
}

/// Tells what happens to the daemon itself.
struct DaemonLog: Sendable {
    let logger: Logger
    /// Tells it to those who follow, too; nil: to nobody.
    var feed: EventFeed?

    /// - Parameter fields: beside MESSAGE_ID.
    func tell(
        _ level: Logger.Level, _ event: DaemonEvent, _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> [String: String] = [:]
    ) {
        if let kind = event.kind, let feed, feed.isFollowing {
            let fields = fields()
            feed.note(
                kind, of: fields["REPRISE_APPLICATION"], scene: fields["REPRISE_SCENE"], message())
        }
        guard logger.logLevel <= level else { return }
        var metadata = fields().mapValues { Logger.MetadataValue.string($0) }
        metadata["MESSAGE_ID"] = .string(event.rawValue)
        logger.log(level: level, "\(message())", metadata: metadata)
    }

    /// Tells each thing that is doubtful.
    func tell(_ doubts: [Doubt]) {
        for doubt in doubts {
            tell(.warning, .doubtful, doubt.description, ["REPRISE_FILE": doubt.file])
        }
    }

    /// Tells each thing that is wrong with what was read, in the order of the places.
    func tell(_ error: ConfigurationError) {
        guard case .refused(let problems) = error else {
            return tell(
                .error, .refused,
                "the configuration was not applied, and a start with it would fail with status 78: "
                    + "\(error)")
        }
        for problem in problems.errors {
            tell(
                .error, .refused,
                "the configuration was not applied, and a start with it would fail with status 78: "
                    + "\(problem)",
                problem.fields)
        }
        if problems.omitted > 0 {
            tell(.error, .refused, "\(problems.omitted) more problems are not listed")
        }
    }
}
