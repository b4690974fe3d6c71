/// Names of the keys under which a cluster's state is stored.
///
/// ```text
/// /reprise/NAME/@cluster/identity                   the identifier of the cluster
/// /reprise/NAME/@cluster/pause                      the pause in automatic takeovers, if there is one
/// /reprise/NAME/@hosts/HOST                         a host that is present in the cluster
/// /reprise/NAME/@moves/BUNDLE                       the host to which an application moves
/// /reprise/NAME/@owners/BUNDLE                      the host that owns an application
/// /reprise/NAME/BUNDLE/current                      a reference to the application's current state
/// /reprise/NAME/BUNDLE/owners                       the latest owners of the application
/// /reprise/NAME/BUNDLE/documents/DOCUMENT           a document of its model data
/// /reprise/NAME/BUNDLE/state/ID/base                a state, which is an archive
/// /reprise/NAME/BUNDLE/state/ID/lineage             the writers of that archive
/// /reprise/NAME/BUNDLE/state/ID/log/EPOCH-TURN      records that a turn added to that archive
/// ```
///
/// A long value also has other keys, which begin with the value's own key (see ``ReplicatedValue``).
///
/// No bundle identifier begins with `@`. Numbers in keys are hexadecimal and have a fixed length, so that the keys sort
/// in numerical order.
package struct Keyspace: Sendable {
    /// Name of the cluster.
    package let cluster: String

    /// Creates the keyspace of a cluster.
    package init(cluster: String) { self.cluster = cluster }

    /// Prefix of all of the cluster's keys.
    package var prefix: String { "/reprise/\(cluster)/" }

    /// Prefix of the keys that describe hosts, owners and moves.
    package var clusterStatePrefix: String { "\(prefix)@" }

    /// Key that stores the cluster's identifier (see ``ClusterIdentity``).
    package var identityKey: String { "\(clusterStatePrefix)cluster/identity" }

    /// Key that stores the pause in automatic takeovers (see ``TakeoverPause``).
    var pauseKey: String { "\(clusterStatePrefix)cluster/pause" }

    /// Key that never exists, and that a host deletes to find out whether it may write.
    var probeKey: String { "\(prefix)probe" }

    func hostKey(_ host: String) -> String { "\(clusterStatePrefix)hosts/\(host)" }
    func ownerKey(_ bundleIdentifier: String) -> String {
        "\(clusterStatePrefix)owners/\(bundleIdentifier)"
    }
    func moveKey(_ bundleIdentifier: String) -> String {
        "\(clusterStatePrefix)moves/\(bundleIdentifier)"
    }

    /// Returns the prefix of the keys that store an application's state.
    package func applicationPrefix(_ bundleIdentifier: String) -> String {
        "\(prefix)\(bundleIdentifier)/"
    }

    func currentStateKey(_ bundleIdentifier: String) -> String {
        "\(applicationPrefix(bundleIdentifier))current"
    }

    /// Returns the key that stores an application's most recent owners (see ``OwnerHistory``).
    func ownerHistoryKey(_ bundleIdentifier: String) -> String {
        "\(applicationPrefix(bundleIdentifier))owners"
    }

    /// Returns the prefix of the keys for all of an application's states.
    func statesPrefix(_ bundleIdentifier: String) -> String {
        "\(applicationPrefix(bundleIdentifier))state/"
    }

    func statePrefix(_ bundleIdentifier: String, _ id: String) -> String {
        "\(statesPrefix(bundleIdentifier))\(id)/"
    }

    func baseKey(_ bundleIdentifier: String, _ id: String) -> String {
        "\(statePrefix(bundleIdentifier, id))base"
    }

    func archiveLineageKey(_ bundleIdentifier: String, _ id: String) -> String {
        "\(statePrefix(bundleIdentifier, id))lineage"
    }

    func logKey(_ bundleIdentifier: String, _ id: String, epoch: UInt64, turn: UInt64) -> String {
        "\(statePrefix(bundleIdentifier, id))log/\(hexadecimal(epoch))-\(hexadecimal(turn))"
    }

    func documentsPrefix(_ bundleIdentifier: String) -> String {
        "\(applicationPrefix(bundleIdentifier))documents/"
    }

    /// Returns the identifier for a state.
    ///
    /// Identifiers sort by epoch, and then by number within the epoch.
    ///
    /// - Parameter writerID: A number that distinguishes the state's writer from earlier writers in the same epoch,
    ///   whose transactions may still be in transit.
    static func stateID(epoch: UInt64, number: Int, writerID: UInt64) -> String {
        "\(hexadecimal(epoch))-\(hexadecimal(UInt64(number), 8))-\(hexadecimal(writerID))"
    }
}

/// Returns a number as lowercase hexadecimal digits with leading zeros.
func hexadecimal(_ number: UInt64, _ digitCount: Int = 16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digitCount - text.count)) + text
}

extension String {
    /// Exclusive end of the range of all keys that begin with this prefix.
    package var endOfPrefix: String { String(dropLast()) + String(UnicodeScalar(utf8.last! + 1)) }
}
