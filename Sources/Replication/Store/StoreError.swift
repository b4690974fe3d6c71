import ExactText

/// Reason why a request to a store failed, or why its outcome is unknown.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of failure, which indicates whether the request may have been executed.
    package enum Kind: Sendable, Equatable {
        /// No server could be reached, or no server replied in time.
        ///
        /// The request may have been executed, or may be executed later.
        case unavailable
        /// The store is full, and the request was not executed.
        case full
        /// The credentials do not permit the request, which was not executed.
        case denied
        /// The store refused the request for a different reason, and did not execute it.
        case refused
        /// The store does not have the requested revision, because the revision was compacted or the store was restored
        /// from a backup.
        ///
        /// The request was not executed.
        case compacted
        /// The server does not belong to this host's cluster, and did not execute the request.
        case otherCluster
        /// The request was executed, but its reply exceeds the maximum length.
        case replyTooLong
        /// The reply is not valid, but the request may have been executed.
        case malformed
    }

    /// Kind of failure.
    package let kind: Kind
    /// Sentence that describes the problem, identifies the server, and says what to do.
    package let description: String

    /// Creates an error with a sentence that describes the problem.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// This host's state does not belong to the configured cluster.
    static func stateOfOtherCluster(_ stateCluster: String, cluster: String) -> StoreError {
        StoreError(
            .otherCluster,
            "the state of this host belongs to the cluster \(stateCluster): correct cluster.name in the configuration. To join "
                + "the cluster \(cluster) instead, stop the daemon and remove the file `cluster` from its state "
                + "directory")
    }

    /// Whether the request may have been executed, or may be executed later.
    var isOutcomeUnknown: Bool {
        switch kind {
        case .unavailable, .replyTooLong, .malformed: true
        case .full, .denied, .refused, .compacted, .otherCluster: false
        }
    }

    /// Whether the request may succeed when it is repeated later or sent to another server.
    package var isTransient: Bool {
        switch kind {
        case .unavailable, .full, .compacted, .otherCluster: true
        case .denied, .refused, .replyTooLong, .malformed: false
        }
    }
}
