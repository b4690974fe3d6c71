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
    /// Two servers belong to different etcd clusters.
    case otherServers(endpoint: String, first: String)
    /// The server does not have the data of the cluster that this host belongs to.
    case withoutCluster(endpoint: String, cluster: String)
    /// The server has the data of a different cluster with the same name.
    case otherCluster(endpoint: String, cluster: String)
    /// The reply exceeds the maximum length that this client reads.
    case replyTooLong(endpoint: String, limit: Int)
    /// The reply is not a valid etcd reply.
    case malformed(endpoint: String, reason: String)

    /// Whether the request may succeed later or on another server.
    package var mayPass: Bool {
        switch self {
        case .unreachable, .timedOut, .unavailable, .noSpace, .otherServers, .withoutCluster,
            .otherCluster:
            true
        case .denied, .refused, .replyTooLong, .malformed: false
        }
    }

    private static let remedy =
        "check that cluster.endpoints lists only the servers of this cluster; if the data in etcd was replaced on "
        + "purpose, stop the daemon, remove the file `cluster` from its state directory, and start the daemon"

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
            "etcd at \(endpoint) belongs to another etcd cluster than \(first), so this host does not run "
                + "any applications: check `etcdctl member list` of both servers, and list only the servers of "
                + "one etcd cluster in cluster.endpoints"
        case .withoutCluster(let endpoint, let cluster):
            "etcd at \(endpoint) does not have the data of the cluster \(cluster) that this host belongs to, "
                + "and is not used: \(Self.remedy)"
        case .otherCluster(let endpoint, let cluster):
            "etcd at \(endpoint) has the data of a different cluster with the name \(cluster), and is not used: "
                + Self.remedy
        case .replyTooLong(let endpoint, let limit):
            "etcd at \(endpoint) sent a reply of more than \(limit) bytes: check that the endpoint is an "
                + "etcd server"
        case .malformed(let endpoint, let reason):
            "the server at \(endpoint) is not etcd 3.4 or later: \(reason)"
        }
    }
}
