package import ExactText
import FoundationEssentials

/// Reason why an application has no owner.
package enum TakeoverObstacle: Sendable, Equatable {
    /// Automatic takeovers are paused.
    ///
    /// The value is the name of the last owner's host, or `nil` if the last owner is not known.
    case paused(lastOwner: String?)
    /// An operator forced a takeover, and the new owner is waiting for the end of the previous owner's lease.
    case forced(by: String)
    /// This host cannot take over the application.
    ///
    /// The reason is a sentence.
    case failure(String)
}

/// Hosts of a cluster and owners of its applications, as described by the keys in the store.
package struct ClusterState: Sendable {
    /// Owner of an application.
    package struct Owner: Sendable, Equatable {
        /// Name of the owner's host.
        package let host: String
        /// Epoch of the ownership, which is the revision at which the owner key was created.
        package let epoch: UInt64
        /// Whether the application is running on the host.
        ///
        /// Otherwise, the application is being launched, or its launch has failed.
        package let isRunning: Bool
        /// Number of the owner's lease.
        let lease: Int64
    }

    /// Host that is present in the cluster.
    package struct Host: Sendable, Equatable {
        /// Whether the host is draining. A draining host takes over no further applications.
        package let isDraining: Bool
        /// Number of the host's lease.
        package let lease: Int64
        /// Identifier that distinguishes the host's process from other processes with the same lease, or `nil` if the
        /// key contains no identifier.
        let processIdentifier: String?
        /// Revision at which the host's key was last changed.
        let revision: Int64
    }

    /// Move of an application to another host.
    ///
    /// The other host responds before the owner stops the application.
    struct Move: Equatable {
        enum Response: Equatable {
            case accepted
            /// The host refuses to take over the application.
            ///
            /// The reason is a phrase.
            case refused(String)
        }

        /// Name of the host to which the application moves.
        let host: String
        /// Response of the host, or `nil` if it has not responded yet.
        let response: Response?
        /// Reason to record in the owner history for a takeover by the host.
        var takeoverReason = OwnerHistory.Reason.moved
        /// Whether the application is taken over from an owner that has not released it.
        var isForced: Bool { takeoverReason == .forced }
        /// Name of the host from which the application is taken by force, or `nil` if that host is not known.
        var previousHost: String?
        /// Operator who forced the takeover, for example `user 1000`, or `nil` if the operator is not known.
        var user: String?

        /// Name of the host that takes over the application next, or `nil` if the host has not accepted the move.
        var successor: String? { response == .accepted ? host : nil }
    }

    /// Value of a host, owner or move key.
    struct Value: Codable {
        var host: String
        var running: Bool?
        var draining: Bool?
        var process: String?
        var accepted: Bool?
        var refusal: String?
        /// Whether an operator forced the takeover, or `nil` if no operator requested it.
        var forced: Bool?
        var previous: String?
        var user: String?

        var bytes: [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            do { return Array(try encoder.encode(self)) } catch { return [] }
        }
    }

    /// Hosts that are present in the cluster, keyed by name.
    package private(set) var hosts: [ExactString: Host] = [:]
    /// Owners, keyed by the application's bundle identifier.
    package private(set) var owners: [ExactString: Owner] = [:]
    /// Moves in progress, keyed by the application's bundle identifier.
    private(set) var moves: [ExactString: Move] = [:]

    /// Pause in automatic takeovers, or `nil` if takeovers are not paused.
    package private(set) var pause: TakeoverPause?
    /// Last owner of each application that has lost its owner since the last complete read of the keys, with the
    /// revision at which the owner was lost.
    private var formerOwners: [ExactString: (host: String, revision: Int64)] = [:]
    /// Revision at which each last owner's host key was deleted, if it was deleted together with the owner key.
    private var hostDeletionRevisions: [ExactString: Int64] = [:]

    /// Time at which the store last confirmed that this state is current, or `nil` if the store has not confirmed it
    /// yet.
    private(set) var lastConfirmation: ContinuousClock.Instant?
    /// Revision up to which this state includes all changes.
    private var completeRevision: Int64 = 0
    /// Revision at which each existing key last changed.
    private var keyRevisions: [ExactString: Int64] = [:]
    /// Revision at which each missing key was deleted, if the deletion is newer than ``completeRevision``.
    private var deletionRevisions: [ExactString: Int64] = [:]

    /// Number of changes that are remembered although their keys no longer exist.
    var deletionCount: Int { deletionRevisions.count + hostDeletionRevisions.count }

    /// Returns whether a summary matches the keys that this state is based on.
    func matches(_ summary: KeySummary) -> Bool {
        summary.count == keyRevisions.count
            && summary.newestRevision == keyRevisions.values.max() ?? 0
    }

    /// Records that all changes up to a revision have been applied.
    ///
    /// Older changes to keys that do not exist are outdated from then on, so their deletions need not be remembered.
    mutating func recordCompleteness(through revision: Int64) {
        completeRevision = max(completeRevision, revision)
        deletionRevisions = deletionRevisions.filter { $0.value > completeRevision }
        guard !hostDeletionRevisions.isEmpty else { return }
        var ownerDeletions: [ExactString: Set<Int64>] = [:]
        for owner in formerOwners.values {
            ownerDeletions[owner.host, default: []].insert(owner.revision)
        }
        hostDeletionRevisions = hostDeletionRevisions.filter {
            ownerDeletions[$0.key]?.contains($0.value) == true
        }
    }

    /// Records that a reply from the store has confirmed this state.
    ///
    /// - Parameter requestTime: The time at which the request was sent.
    mutating func confirm(at requestTime: ContinuousClock.Instant) {
        lastConfirmation = requestTime
    }

    /// Returns whether the store has confirmed this state within a time limit.
    package func isConfirmed(within maximumAge: Duration, at now: ContinuousClock.Instant) -> Bool {
        lastConfirmation.map { now < $0.advanced(by: maximumAge) } ?? false
    }

    /// Applies a change to a key.
    ///
    /// - Returns: The bundle identifier of the application that the key belongs to, or `nil` if the key belongs to no
    ///   application or the change is outdated.
    @discardableResult
    mutating func apply(_ change: KeyChange, in keyspace: Keyspace) -> String? {
        let keyComponents = change.key.dropFirst(keyspace.clusterStatePrefix.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // This host applies its own changes before the store reports them, so the reported change may be older than the
        // key's state.
        let key = ExactString(change.key)
        let isCurrent =
            (keyRevisions[key] ?? deletionRevisions[key]).map { change.revision >= $0 }
            ?? (change.revision > completeRevision)
        guard keyComponents.count == 2, isCurrent else { return nil }
        keyRevisions[key] = change.entry == nil ? nil : change.revision
        deletionRevisions[key] = change.entry == nil ? change.revision : nil
        let name = String(keyComponents[1])
        let value = change.entry.flatMap { Value($0.value) }
        switch keyComponents[0] {
        case "cluster":
            if change.key == keyspace.pauseKey {
                pause = change.entry.map { TakeoverPause($0.value) }
            }
            return nil
        case "hosts":
            if change.entry == nil { hostDeletionRevisions[ExactString(name)] = change.revision }
            hosts[name] = change.entry.map { entry in
                Host(
                    isDraining: value?.draining == true, lease: entry.lease,
                    processIdentifier: value?.process, revision: change.revision)
            }
            return nil
        case "owners":
            if change.entry == nil, let owner = owners[name] {
                formerOwners[ExactString(name)] = (owner.host, change.revision)
            }
            owners[name] = change.entry.flatMap { entry in
                value.map {
                    Owner(
                        host: $0.host, epoch: UInt64(entry.createRevision),
                        isRunning: $0.running == true, lease: entry.lease)
                }
            }
            return name
        case "moves":
            moves[name] = value.map { value in
                Move(
                    host: value.host,
                    response: value.accepted == true
                        ? .accepted : value.refusal.map { .refused($0) },
                    takeoverReason: value.forced.map { $0 ? .forced : .taken } ?? .moved,
                    previousHost: value.previous, user: value.user)
            }
            return name
        default: return nil
        }
    }

    /// Returns the reason why an application without an owner cannot currently be taken over automatically, or `nil` if
    /// it can.
    func takeoverObstacle(to application: String) -> TakeoverObstacle? {
        if let move = moves[application], move.isForced { return .forced(by: move.host) }
        return pause == nil ? nil : .paused(lastOwner: formerOwners[ExactString(application)]?.host)
    }

    /// Returns the forced takeover that is in progress for an application, or `nil` if there is none.
    func forcedTakeover(of application: String) -> ForcedTakeover? {
        guard let move = moves[application], move.isForced else { return nil }
        return ForcedTakeover(
            bundleIdentifier: application, previousHost: move.previousHost, host: move.host,
            user: move.user)
    }

    /// Returns the current move that is stored under a key, or `nil` if there is none.
    func move(withKey key: String, in keyspace: Keyspace) -> Move? {
        let prefix = keyspace.moveKey("")
        return key.hasPrefix(prefix) ? moves[String(key.dropFirst(prefix.count))] : nil
    }

    /// Removes an application's owner from this state, because the owner is no longer known.
    mutating func forgetOwner(of application: String) { owners[application] = nil }

    /// Returns whether an application lost its last owner because the owner's lease ended.
    ///
    /// When a lease ends, the store deletes all keys attached to it at the same revision. An owner that stops
    /// gracefully deletes the owner key at an earlier revision.
    ///
    /// - Parameter host: The name of the last owner's host.
    func didLeaseEnd(of host: String, ownerOf application: String) -> Bool {
        guard let formerOwner = formerOwners[application], formerOwner.host == host else {
            return hosts[host] == nil
        }
        return hostDeletionRevisions[host] == formerOwner.revision
    }

    /// Returns the number of other hosts that take precedence over a host in taking over an application.
    ///
    /// The order of precedence differs between applications, so that a lost host's applications are distributed among
    /// the other hosts.
    func rank(of host: String, for application: String) -> Int {
        let ownWeight = Self.weight(application, host)
        return hosts.count { otherHost, hostState in
            !hostState.isDraining && otherHost.text != host
                && (Self.weight(application, otherHost.text), otherHost) < (
                    ownWeight, ExactString(host)
                )
        }
    }

    /// Returns the bundle identifiers of the applications that a host owns.
    package func applications(of host: String) -> [String] {
        owners.filter { $0.value.host == host }.sortedKeys
    }

    /// Chooses a new host for each of a host's applications, preferring the hosts with the fewest applications.
    ///
    /// - Returns: A target for each application, or `nil` if no other host is available.
    package func drainTargets(of host: String) -> [(application: String, host: String)]? {
        var applicationCounts: [ExactString: Int] = [:]
        for (target, hostState) in hosts where target.text != host && !hostState.isDraining {
            applicationCounts[target] = applications(of: target.text).count
        }
        var targets: [(application: String, host: String)] = []
        for application in applications(of: host) {
            guard
                let leastLoadedHost = applicationCounts.min(by: {
                    ($0.value, $0.key) < ($1.value, $1.key)
                })
            else { return nil }
            applicationCounts[leastLoadedHost.key, default: 0] += 1
            targets.append((application, leastLoadedHost.key.text))
        }
        return targets
    }

    /// Returns the hash value (FNV-1a) that determines a host's precedence for an application.
    ///
    /// The value is the same on every host.
    private static func weight(_ application: String, _ host: String) -> UInt64 {
        "\(application) \(host)".utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}

extension ClusterState.Value {
    /// Parses a key's value, or returns `nil` if the value is not valid.
    init?(_ bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch {
            return nil
        }
    }
}
