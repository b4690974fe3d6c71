import ExactText

/// Cluster event that an operator should know about.
package enum ClusterEvent: Sendable, Equatable {
    /// The host joined the cluster with a lease.
    case joined
    /// The host has a valid lease again after it failed to renew its lease in time.
    case rejoined
    /// The store cannot be used. The reason is a sentence. Applications continue to run while the host has a valid
    /// lease.
    case away(reason: String, hasLease: Bool)
    /// The store can be reached again.
    case back
    /// A server could not be used, and the store was reached through another server in time.
    case serverChanged
    /// The lease was not renewed in time, so all applications on this host stop.
    case expired
    /// Another daemon uses this host's name or its lease.
    case nameTaken
    /// Another host joined the cluster, or returned with a new lease.
    case hostJoined(String)
    /// Another host is no longer in the cluster, because it stopped or because its lease expired.
    case hostLeft(String)
    /// The store was restored from a backup, so it lacks the latest changes.
    case storeRestored
    /// The store was restored from a backup before this process started, so it lacks changes that an earlier process of
    /// this host knew.
    case storeOlder(OlderStore)
    /// An operator paused automatic takeovers on all hosts, or replaced an earlier pause.
    case paused(TakeoverPause, replacing: TakeoverPause?)
    /// An operator ended the pause of automatic takeovers.
    case resumed
    /// This host cannot take over an application that has no owner. The reason is a sentence.
    case notAcquired(application: String, reason: String)
    /// An operator forced the takeover of an application from another host.
    case forced(ForcedTakeover)
}

/// Forced takeover of an application, requested by an operator.
package struct ForcedTakeover: Sendable, Equatable {
    /// Bundle identifier of the application.
    package var application: String
    /// Name of the earlier owner's host, or `nil` if the new owner does not report it.
    package var previous: String?
    /// Name of the new owner's host, on which the operator ran the command.
    package var host: String
    /// Operator, in words such as `user 1000`, or `nil` if the new owner does not report the operator.
    package var user: String?

    package init(application: String, previous: String?, host: String, user: String?) {
        (self.application, self.previous, self.host, self.user) = (
            application, previous, host, user
        )
    }
}

/// Store whose revision is lower than the revision that a host remembers.
package struct OlderStore: Sendable, Equatable {
    /// Revision of the store.
    package var revision: Int64
    /// Revision that an earlier process of this host stored.
    package var remembered: Int64

    package init(revision: Int64, remembered: Int64) {
        (self.revision, self.remembered) = (revision, remembered)
    }
}
