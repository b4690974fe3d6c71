import ExactText

/// Identifier of a cluster's data in the store.
///
/// The first host of a cluster writes a random identifier once. Each host remembers the identifier, and uses only
/// servers that have it. A name or etcd's own cluster identifier is not sufficient, because both can be equal in
/// separate etcd clusters.
package struct ClusterIdentity: Sendable, Equatable {
    /// Name of the cluster.
    let cluster: String
    /// Key that stores the identifier.
    let key: String
    /// The identifier in hexadecimal digits.
    package let id: String

    /// Creates the identifier of a cluster.
    ///
    /// - Parameter id: The identifier, or `nil` to generate a random identifier.
    package init(in keyspace: Keyspace, id: String? = nil) {
        cluster = keyspace.cluster
        key = keyspace.identity
        self.id =
            id ?? hexadecimal(.random(in: 0 ... .max)) + hexadecimal(.random(in: 0 ... .max))
    }

    var bytes: [UInt8] { Array(id.utf8) }
}
