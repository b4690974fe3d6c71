/// The keys below which a cluster keeps its state in etcd.
///
/// ```text
/// /reprise/NAME/@hosts/HOST                         a host of the cluster that is there
/// /reprise/NAME/@moves/BUNDLE                       the host that an application is on its way to
/// /reprise/NAME/@owners/BUNDLE                      the host that an application runs on
/// /reprise/NAME/BUNDLE/current                      which of its states counts
/// /reprise/NAME/BUNDLE/documents/DOCUMENT           a document of its model data
/// /reprise/NAME/BUNDLE/state/ID/base                a state: an archive
/// /reprise/NAME/BUNDLE/state/ID/log/TERM-TURN       and what turns added to that archive
/// ```
///
/// What is long has further keys behind its own, see ``ReplicatedValue``.
///
/// A bundle identifier begins with no `@`. Numbers in keys are hexadecimal and of one length, so that the
/// order of the keys is theirs.
package struct Keyspace: Sendable {
    /// The cluster's name.
    package let cluster: String

    /// The keys of a cluster.
    package init(cluster: String) { self.cluster = cluster }

    /// What all keys of the cluster begin with.
    package var prefix: String { "/reprise/\(cluster)/" }

    /// What the keys begin with that tell who is there and who owns what.
    package var roles: String { "\(prefix)@" }

    func host(_ host: String) -> String { "\(roles)hosts/\(host)" }
    func owner(_ bundleIdentifier: String) -> String { "\(roles)owners/\(bundleIdentifier)" }
    func move(_ bundleIdentifier: String) -> String { "\(roles)moves/\(bundleIdentifier)" }

    /// What the keys of one application's state begin with.
    package func application(_ bundleIdentifier: String) -> String {
        "\(prefix)\(bundleIdentifier)/"
    }

    func current(_ bundleIdentifier: String) -> String {
        "\(application(bundleIdentifier))current"
    }

    /// What all states of an application begin with.
    func states(_ bundleIdentifier: String) -> String { "\(application(bundleIdentifier))state/" }

    func state(_ bundleIdentifier: String, _ id: String) -> String {
        "\(states(bundleIdentifier))\(id)/"
    }

    func base(_ bundleIdentifier: String, _ id: String) -> String {
        "\(state(bundleIdentifier, id))base"
    }

    func log(_ bundleIdentifier: String, _ id: String, term: UInt64, turn: UInt64) -> String {
        "\(state(bundleIdentifier, id))log/\(hexadecimal(term))-\(hexadecimal(turn))"
    }

    func documents(_ bundleIdentifier: String) -> String {
        "\(application(bundleIdentifier))documents/"
    }

    /// The id of a state: those of later terms, and later ones of a term, are behind it.
    ///
    /// - Parameter writer: what tells its writer from others of the term, of which a transaction may yet be
    ///   on its way.
    static func stateID(term: UInt64, number: Int, writer: UInt64) -> String {
        "\(hexadecimal(term))-\(hexadecimal(UInt64(number), 8))-\(hexadecimal(writer))"
    }
}

/// A number in lower-case hexadecimal digits, with zeros before it.
func hexadecimal(_ number: UInt64, _ digits: Int = 16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

extension String {
    /// The end of the range of all keys that begin with this one.
    package var endOfPrefix: String { String(dropLast()) + String(UnicodeScalar(utf8.last! + 1)) }
}
