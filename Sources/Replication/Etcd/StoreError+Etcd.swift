/// Errors for requests to etcd servers.
extension StoreError {
    private static let remedy =
        "check that cluster.endpoints lists only the servers of this cluster; if the data in etcd was replaced on "
        + "purpose, stop the daemon, remove the file `cluster` from its state directory, and start the daemon"

    /// No server could be reached, or the connection failed.
    static func unreachable(endpoint: String, reason: String) -> StoreError {
        StoreError(.unavailable, "etcd at \(endpoint) cannot be reached: \(reason)")
    }

    /// The reply did not arrive in time.
    static func timedOut(endpoint: String) -> StoreError {
        StoreError(.unavailable, "etcd at \(endpoint) does not respond")
    }

    /// The server has no leader or is overloaded.
    static func unavailable(endpoint: String, message: String) -> StoreError {
        StoreError(
            .unavailable, "etcd at \(endpoint) has no quorum, or is too busy: \(message)")
    }

    /// The etcd database is full.
    static func noSpace(endpoint: String) -> StoreError {
        StoreError(
            .full,
            "the database of etcd at \(endpoint) is full: compact and defragment it, or raise its quota, "
                + "then `etcdctl alarm disarm`")
    }

    /// The server denied the request because of the user name, the password or the user's permissions.
    static func denied(endpoint: String, message: String) -> StoreError {
        StoreError(
            .denied,
            "etcd at \(endpoint) denied the request: \(message): check the credentials etcd.user "
                + "and etcd.password, and the role of that user")
    }

    /// The server refused the request for a different reason.
    ///
    /// - Parameter code: The gRPC status in the reply.
    static func refused(endpoint: String, code: Int, message: String) -> StoreError {
        StoreError(
            .refused, "etcd at \(endpoint) refused the request: \(message) (code \(code))")
    }

    /// The server does not have the requested revision.
    static func compacted(endpoint: String, message: String) -> StoreError {
        StoreError(
            .compacted, "etcd at \(endpoint) does not have the requested revision: \(message)")
    }

    /// Two servers belong to different etcd clusters.
    static func differentEtcdClusters(endpoint: String, firstEndpoint: String) -> StoreError {
        StoreError(
            .otherCluster,
            "etcd at \(endpoint) belongs to another etcd cluster than \(firstEndpoint), so this host does not run "
                + "any applications: check `etcdctl member list` of both servers, and list only the servers of "
                + "one etcd cluster in cluster.endpoints")
    }

    /// The server lacks the data of this host's cluster.
    static func missingClusterData(endpoint: String, cluster: String) -> StoreError {
        StoreError(
            .otherCluster,
            "etcd at \(endpoint) does not have the data of the cluster \(cluster) that this host belongs to, "
                + "and is not used: \(remedy)")
    }

    /// The server has the data of a different cluster with the same name.
    static func otherCluster(endpoint: String, cluster: String) -> StoreError {
        StoreError(
            .otherCluster,
            "etcd at \(endpoint) has the data of a different cluster with the name \(cluster), and is not used: "
                + remedy)
    }

    /// The reply exceeds the maximum length that the client accepts.
    static func replyTooLong(endpoint: String, limit: Int) -> StoreError {
        StoreError(
            .replyTooLong,
            "etcd at \(endpoint) sent a reply of more than \(limit) bytes: check that the endpoint is an "
                + "etcd server")
    }

    /// The reply is not a valid etcd reply.
    static func malformed(endpoint: String, reason: String) -> StoreError {
        StoreError(
            .malformed, "the server at \(endpoint) is not etcd 3.4 or later: \(reason)")
    }
}
