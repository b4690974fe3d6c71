import ExactText

/// Reason why a request to etcd failed, or why its outcome is unknown.
package enum EtcdError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No server could be reached, or the connection failed; the request may have been executed.
    case unreachable(endpoint: String, reason: String)
    /// The reply did not arrive in time; the request may have been executed.
    case timedOut(endpoint: String)
    /// The server has no leader or is overloaded; the request may have been executed.
    case unavailable(endpoint: String, message: String)
    /// The etcd database is full.
    case noSpace(endpoint: String)
    /// The user, the password or the permissions do not permit the request.
    case denied(endpoint: String, message: String)
    /// The server refused the request for another reason.
    case refused(endpoint: String, code: Int, message: String)
    /// The server belongs to an etcd cluster other than the one that was used first.
    case otherServers(endpoint: String, first: String)
    /// The reply exceeds the maximum length that this client reads.
    case replyTooLong(endpoint: String, limit: Int)
    /// The reply is not a valid etcd reply.
    case malformed(endpoint: String, reason: String)

    /// Whether the request may succeed later or on another server.
    package var mayPass: Bool {
        switch self {
        case .unreachable, .timedOut, .unavailable, .noSpace, .otherServers: true
        case .denied, .refused, .replyTooLong, .malformed: false
        }
    }

    /// One sentence that describes the problem, names the server, and says what to do.
    package var description: String {
        switch self {
        case .unreachable(let endpoint, let reason):
            "etcd at \(endpoint) cannot be reached: \(reason)"
        case .timedOut(let endpoint): "etcd at \(endpoint) does not answer"
        case .unavailable(let endpoint, let message):
            "etcd at \(endpoint) has no quorum, or is too busy: \(message)"
        case .noSpace(let endpoint):
            "the database of etcd at \(endpoint) is full: compact and defragment it, or raise its quota, "
                + "then `etcdctl alarm disarm`"
        case .denied(let endpoint, let message):
            "etcd at \(endpoint) does not allow it: \(message): check the credentials etcd.user "
                + "and etcd.password, and the role of that user"
        case .refused(let endpoint, let code, let message):
            "etcd at \(endpoint) refused: \(message) (code \(code))"
        case .otherServers(let endpoint, let first):
            "etcd at \(endpoint) belongs to another etcd cluster than \(first): give the endpoints "
                + "of one cluster, and check `etcdctl member list` of both"
        case .replyTooLong(let endpoint, let limit):
            "etcd at \(endpoint) sent a reply of more than \(limit) bytes: check that the endpoint is an "
                + "etcd server"
        case .malformed(let endpoint, let reason):
            "the server at \(endpoint) is not etcd 3.4 or later: \(reason)"
        }
    }
}
