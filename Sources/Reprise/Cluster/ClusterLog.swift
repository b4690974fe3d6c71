#if Etcd
    import ExactText
    import Logging
    import Replication
    import RepriseControl
    import TerminalText

    extension DaemonLog {
        /// Logs a cluster event that is relevant to an operator.
        func log(_ event: ClusterEvent, cluster: String, host: String) {
            switch event {
            case .hostJoined(let name):
                log(.notice, .hostJoined, "the host \(name.quoted) joined the cluster")
            case .hostLeft(let name):
                log(
                    .notice, .hostLeft,
                    "the host \(name.quoted) is no longer in the cluster: its daemon stopped, or its lease expired"
                )
            case .joined:
                log(.notice, .clusterJoined, "joined the cluster \(cluster) as the host \(host)")
            case .rejoined:
                log(
                    .notice, .clusterJoined,
                    "joined the cluster \(cluster) again as the host \(host), after it could not renew its "
                        + "lease in time")
            case .storeUnavailable, .storeAvailable, .serverFailedOver, .leaseExpired,
                .storeRestored,
                .storeRestoredBeforeStart:
                logStoreEvent(event)
            case .takeoversPaused(let pause, let replacedPause):
                log(
                    .notice, .takeoversPaused,
                    "automatic takeover was paused \(pause.origin)"
                        + (replacedPause.map {
                            "; this replaces the pause that began at \(rfc3339String($0.time)) \($0.origin)"
                        } ?? ""))
            case .takeoversResumed:
                log(.notice, .takeoversResumed, "automatic takeover is no longer paused")
            case .takeoverForced(let takeover): log(takeover, host: host)
            case .takeoverFailed(let application, let reason):
                log(
                    .error, .notTakenOver,
                    "\(application) is not taken over by this host: \(reason)")
            case .hostNameTaken:
                log(
                    .error, .hostNameTaken,
                    "another daemon is the host \(host) of the cluster \(cluster): give each "
                        + "daemon its own name with cluster.host; if that daemon has just stopped, "
                        + "this daemon waits until the lease expires")
            }
        }

        /// Logs an event about the connection to etcd or the data in etcd.
        private func logStoreEvent(_ event: ClusterEvent) {
            switch event {
            // The subsequent check of the servers logs any failing servers.
            case .serverFailedOver: break
            case .storeUnavailable(let reason, hasLease: true):
                log(
                    .warning, .etcdUnreachable,
                    "\(reason); the applications on this host continue to run until the lease expires, and "
                        + "nothing is replicated")
            case .storeUnavailable(let reason, hasLease: false):
                log(.warning, .etcdUnreachable, reason)
            case .storeAvailable: log(.notice, .etcdReachable, "etcd responds again")
            case .leaseExpired:
                log(
                    .error, .ownershipLost,
                    "the lease could not be renewed in time: the applications on this host stop, because other "
                        + "hosts may run them"
                )
            case .storeRestored:
                log(
                    .error, .etcdRestored,
                    "etcd was restored from a backup and lacks the latest changes: this host replicates the whole "
                        + "state of its applications again")
            case .storeRestoredBeforeStart(let olderStore):
                log(.error, .etcdRestoredBeforeStart, olderStore.warning)
            default: break
            }
        }

        private func log(_ takeover: ForcedTakeover, host: String) {
            let user = (takeover.user ?? "an operator").printable
            let command = "`reprisectl cluster take --force \(takeover.bundleIdentifier)`"
            let previousOwner = takeover.previousHost.map { "the host \($0.quoted)" } ?? "its owner"
            if takeover.host == host {
                log(
                    .warning, .takeoverForced,
                    "\(takeover.bundleIdentifier) is taken over from \(previousOwner) by force, because \(user) ran "
                        + "\(command) on this host; changes that \(previousOwner) has not replicated become a generation there",
                    ["REPRISE_APPLICATION": takeover.bundleIdentifier])
            } else {
                log(
                    .warning, .takeoverForced,
                    "\(takeover.bundleIdentifier) stops on this host, because \(user) ran \(command) on the host "
                        + "\(takeover.host.quoted); changes that this host has not replicated become a generation here",
                    ["REPRISE_APPLICATION": takeover.bundleIdentifier])
            }
        }

        /// Logs the problems of the servers, or their recovery, if the set of failing servers has changed.
        func log(_ health: EtcdServerHealth, after earlierHealth: EtcdServerHealth, count: Int) {
            guard health.failingEndpoints != earlierHealth.failingEndpoints else { return }
            if health.problems.isEmpty {
                return log(
                    .notice, .etcdServersAvailable,
                    count == 1
                        ? "the etcd server is available again"
                        : "all \(count) etcd servers are available again")
            }
            for problem in health.problems { log(.warning, .etcdServersFailing, problem) }
        }
    }

    extension ClusterEvent {
        /// Whether this event requires a check of the servers.
        var needsServerCheck: Bool {
            switch self {
            case .storeUnavailable, .storeAvailable, .joined, .rejoined, .serverFailedOver: true
            default: false
            }
        }
    }

    extension TakeoverPause {
        /// Phrase that says who began the pause, where, and why.
        fileprivate var origin: String {
            (user.map { "by \($0.printable) " } ?? "") + "on the host \(host.quoted)"
                + (reason.map { ": \($0.quoted)" } ?? "")
        }
    }

    extension OlderStore {
        /// Warning for the log and for `Status`.
        var warning: String {
            "etcd is older than the state of this host: its revision was \(revision) when the daemon started, and the "
                + "daemon had read revision \(expectedRevision) earlier, so etcd was restored from a backup. Applications that "
                + "last ran on this host can continue from an earlier state on other hosts. Move these applications to this "
                + "host (`reprisectl relocate --help`): their later state then becomes a generation on this host"
        }
    }

    /// Phrases that explain why an application is not running on this host.
    enum ClusterPhrases {
        /// Returns the phrase for a pause in automatic takeovers.
        static func pause(preventing application: String, lastOwner: String?) -> String {
            "automatic takeover is paused"
                + (lastOwner.map {
                    ", and the application last ran on the host \($0), which starts it when that host is available again"
                }
                    ?? "")
                + "; `reprisectl cluster resume` ends the pause, and `reprisectl cluster take \(application)` starts the "
                + "application on this host"
        }

        /// Returns the phrase for an application that cannot run because this host has no valid lease.
        ///
        /// - Parameters:
        ///   - isStopped: Whether the application ran on this host until the lease ended.
        ///   - reason: The reason why the host has no lease.
        static func outage(isStopped: Bool, reason: String) -> String {
            (isStopped
                ? "it stopped on this host, because the lease of the host expired"
                : "it does not run on this host, because the host has no lease")
                + ": \(reason). It runs again when a majority of the etcd servers responds: `reprisectl cluster` shows the "
                + "state of each server"
        }
    }
#endif
