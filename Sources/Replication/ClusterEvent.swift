import ExactText

/// Cluster event that operators should know about.
package enum ClusterEvent: Sendable, Equatable {
    /// The host joined the cluster with a lease.
    case joined
    /// The store cannot be used; the reason is a sentence. If the lease has not expired, applications continue to run.
    case away(reason: String, hasLease: Bool)
    /// The store can be reached again.
    case back
    /// The lease was not renewed in time, so all applications on this host stop.
    case expired
    /// Another daemon uses this host's name or its lease.
    case nameTaken
    /// Another host joined the cluster.
    case hostJoined(String)
    /// Another host is no longer in the cluster, because it stopped or because its lease expired.
    case hostLeft(String)
    /// The store was restored from a backup, so that it lacks the latest changes.
    case storeRestored
    /// An operator paused automatic takeovers on all hosts.
    case paused(TakeoverPause)
    /// An operator ended the pause of automatic takeovers.
    case resumed
    /// This host cannot take over an application that has no owner; the value is a sentence with the reason.
    case notAcquired(application: String, reason: String)
}
