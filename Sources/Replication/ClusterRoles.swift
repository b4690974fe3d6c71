#if Etcd
    package import ExactText
    import FoundationEssentials

    /// Who is there in a cluster and who owns what, as the keys in etcd tell.
    package struct ClusterRoles: Sendable {
        /// The owner of an application.
        package struct Owner: Sendable, Equatable {
            /// Its host.
            package let host: String
            /// The revision that made it the owner.
            package let term: UInt64
            /// Whether the application runs there; if not it is being launched, or could not be.
            package let isRunning: Bool
            let lease: Int64
        }

        /// A host that is there.
        package struct Host: Sendable, Equatable {
            /// Whether it takes nothing over, because it is about to go.
            package let isDraining: Bool
            let lease: Int64
            /// Tells its process from others under the same lease.
            let process: String?
            /// The revision that changed this last.
            let revision: Int64
        }

        /// The value of a key.
        struct Value: Codable {
            var host: String
            var running: Bool?
            var draining: Bool?
            var process: String?

            var bytes: [UInt8] {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys]
                do { return Array(try encoder.encode(self)) } catch { return [] }
            }
        }

        /// The hosts that are there, by their names.
        package private(set) var hosts: [ExactString: Host] = [:]
        /// The owners, by bundle identifier.
        package private(set) var owners: [ExactString: Owner] = [:]
        /// The hosts that applications are on their way to.
        package private(set) var moves: [ExactString: String] = [:]

        /// The revisions that changed the keys last.
        private var revisions: [ExactString: Int64] = [:]

        /// A key has another value, or is gone.
        ///
        /// - Returns: the application that it is about, if it is about one.
        @discardableResult
        mutating func apply(_ change: EtcdChange, in keyspace: Keyspace) -> String? {
            let parts = change.key.dropFirst(keyspace.roles.count).split(
                separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            // What this host did itself may be known before it is told.
            guard parts.count == 2, change.revision >= revisions[change.key] ?? 0 else {
                return nil
            }
            revisions[change.key] = change.revision
            let name = String(parts[1])
            let value = change.entry.flatMap { entry -> Value? in
                do {
                    return try JSONDecoder().decode(Value.self, from: Data(entry.bytes))
                } catch {
                    return nil
                }
            }
            switch parts[0] {
            case "hosts":
                hosts[name] = change.entry.map { entry in
                    Host(
                        isDraining: value?.draining == true, lease: entry.leaseNumber,
                        process: value?.process, revision: change.revision)
                }
                return nil
            case "owners":
                owners[name] = change.entry.flatMap { entry in
                    value.map {
                        Owner(
                            host: $0.host, term: UInt64(entry.createRevision),
                            isRunning: $0.running == true, lease: entry.leaseNumber)
                    }
                }
                return name
            case "moves":
                moves[name] = value?.host
                return name
            default: return nil
            }
        }

        /// It is not known any more who owns an application.
        mutating func forgetOwner(of application: String) { owners[application] = nil }

        /// How many of the hosts that are there come before one, when an application is to be taken over:
        /// another order for each application, so that those of a lost host are spread.
        func rank(of host: String, for application: String) -> Int {
            let own = Self.weight(application, host)
            return hosts.count { other, description in
                !description.isDraining && other.text != host
                    && (Self.weight(application, other.text), other) < (own, ExactString(host))
            }
        }

        /// A number that is the same on each host (FNV-1a).
        private static func weight(_ application: String, _ host: String) -> UInt64 {
            "\(application) \(host)".utf8.reduce(0xCBF2_9CE4_8422_2325) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01B3
            }
        }
    }
#endif
