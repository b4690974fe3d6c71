import ExactText

/// Reason why a request to a store failed, or why its outcome is unknown.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// No server could be reached or replied in time; the request may have been executed.
        case unavailable
        /// The store is full.
        case full
        /// The credentials do not permit the request.
        case denied
        /// The store refused the request for another reason, with a code of its own.
        case refused(code: Int)
        /// The server does not belong to the cluster that this host belongs to.
        case otherCluster
        /// The reply exceeds the maximum length.
        case replyTooLong
        /// The reply is not valid.
        case malformed
    }

    package let kind: Kind
    /// One sentence that describes the problem, names the server, and says what to do.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Whether the request may succeed later or on another server.
    package var mayPass: Bool {
        switch kind {
        case .unavailable, .full, .otherCluster: true
        case .denied, .refused, .replyTooLong, .malformed: false
        }
    }
}
