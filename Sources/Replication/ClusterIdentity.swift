import ExactText

/// Identity of a cluster's data in the store.
///
/// The first host that joins a cluster writes a random identifier to the store. Each host remembers the identifier, and
/// uses only servers that store it. The names of clusters and etcd's own cluster identifiers are not sufficient,
/// because both can be the same in separate etcd clusters.
package struct ClusterIdentity: Sendable, Equatable {
    /// Name of the cluster.
    let cluster: String
    /// Key that stores the identifier.
    let key: String
    /// Identifier, as hexadecimal digits.
    package let id: String

    /// Creates the identity of a cluster's data.
    ///
    /// - Parameter id: The identifier, or `nil` to generate a random identifier.
    package init(in keyspace: Keyspace, id: String? = nil) {
        cluster = keyspace.cluster
        key = keyspace.identityKey
        self.id =
            id ?? hexadecimal(.random(in: 0 ... .max)) + hexadecimal(.random(in: 0 ... .max))
    }

    var bytes: [UInt8] { Array(id.utf8) }
}
