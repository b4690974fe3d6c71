import ExactText

/// Cluster event that an operator should know about.
package enum ClusterEvent: Sendable, Equatable {
    /// The host joined the cluster with a lease.
    case joined
    /// The host has a valid lease again, after it failed to renew its lease in time.
    case rejoined
    /// The store cannot be used.
    ///
    /// The reason is a sentence. Applications continue to run while the host has a valid lease.
    case storeUnavailable(reason: String, hasLease: Bool)
    /// The store can be reached again.
    case storeAvailable
    /// A server could not be used, but the store was reached through another server in time.
    case serverFailedOver
    /// The lease was not renewed in time, so all applications on this host stop.
    case leaseExpired
    /// Another daemon is using this host's name or lease.
    case hostNameTaken
    /// Another host joined the cluster, or returned with a new lease.
    case hostJoined(String)
    /// Another host left the cluster, because it stopped or its lease expired.
    case hostLeft(String)
    /// The store was restored from a backup, so it lacks the latest changes.
    case storeRestored
    /// The store was restored from a backup before this process started, so it lacks changes that an earlier process on
    /// this host knew about.
    case storeRestoredBeforeStart(OlderStore)
    /// An operator paused automatic takeovers on all hosts.
    ///
    /// `replacing` is the pause that was replaced, or `nil` if takeovers were not paused.
    case takeoversPaused(TakeoverPause, replacing: TakeoverPause?)
    /// An operator resumed automatic takeovers.
    case takeoversResumed
    /// This host cannot take over an application that has no owner.
    ///
    /// The reason is a sentence.
    case takeoverFailed(application: String, reason: String)
    /// An operator forced a host to take over an application from its owner.
    case takeoverForced(ForcedTakeover)
}

/// Takeover that an operator forced while another host owned the application.
package struct ForcedTakeover: Sendable, Equatable {
    /// Bundle identifier of the application.
    package var bundleIdentifier: String
    /// Name of the previous owner's host, or `nil` if the new owner has not reported it.
    package var previousHost: String?
    /// Name of the new owner's host, on which the operator ran the command.
    package var host: String
    /// Operator who forced the takeover, for example `user 1000`, or `nil` if the new owner has not reported the
    /// operator.
    package var user: String?

    package init(bundleIdentifier: String, previousHost: String?, host: String, user: String?) {
        (self.bundleIdentifier, self.previousHost, self.host, self.user) = (
            bundleIdentifier, previousHost, host, user
        )
    }
}

/// Evidence that the store contains older data than this host has read before.
package struct OlderStore: Sendable, Equatable {
    /// Current revision of the store.
    package var revision: Int64
    /// Revision that an earlier process on this host saved.
    package var expectedRevision: Int64

    package init(revision: Int64, expectedRevision: Int64) {
        (self.revision, self.expectedRevision) = (revision, expectedRevision)
    }
}
