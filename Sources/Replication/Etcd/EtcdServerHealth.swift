#if Etcd
    import ExactText

    /// Health of all servers in `cluster.endpoints`, as described to operators.
    package struct EtcdServerHealth: Sendable, Equatable {
        /// Sentences that describe the unusable servers and the consequences, or an empty array if every server can be
        /// used.
        package let problems: [String]
        /// Addresses of the servers that cannot be used.
        package let failingEndpoints: [String]

        /// Creates a health description from the status of each server.
        package init(_ servers: [EtcdServerStatus]) {
            let serversOfOtherCluster = servers.filter(\.lacksClusterData)
            let failingServers = servers.filter { $0.problem != nil && !$0.lacksClusterData }
            let usableCount = servers.count - serversOfOtherCluster.count - failingServers.count
            failingEndpoints = (serversOfOtherCluster + failingServers).map(\.endpoint)
            var problems: [String] = []
            if !serversOfOtherCluster.isEmpty {
                problems.append(Self.describe(serversOfOtherCluster, of: servers.count))
            }
            if !failingServers.isEmpty, usableCount > 0 {
                problems.append(
                    Self.describe(failingServers, of: servers.count, usableCount: usableCount))
            } else if !failingServers.isEmpty {
                problems.append(Self.describe(failingServers, outOf: servers))
            }
            self.problems = problems
        }

        /// Returns the problem with a server, including the server's address.
        private static func describe(_ server: EtcdServerStatus) -> String {
            let problem = server.problem ?? ""
            return problem.contains(server.endpoint) ? problem : "\(server.endpoint): \(problem)"
        }

        private static func addresses(_ servers: [EtcdServerStatus]) -> String {
            servers.map(\.endpoint).joined(separator: ", ")
        }

        /// Describes servers that belong to another cluster.
        private static func describe(
            _ otherCluster: [EtcdServerStatus], of count: Int
        ) -> String {
            (otherCluster.count == 1
                ? "1 of \(count) etcd servers belongs to another cluster and is not used: "
                : "\(otherCluster.count) of \(count) etcd servers belong to another cluster and are not used: ")
                + addresses(otherCluster)
                + (otherCluster.count == count
                    ? "; `reprisectl cluster` shows what to do"
                    : "; correct cluster.endpoints, which must list only servers of this cluster, then restart the daemon")
        }

        /// Describes the unusable servers if other servers can be used.
        private static func describe(
            _ failingServers: [EtcdServerStatus], of count: Int, usableCount: Int
        ) -> String {
            let reasons = failingServers.map(Self.describe)
            return
                (failingServers.count == 1
                ? "1 of \(count) etcd servers does not serve this host"
                : "\(failingServers.count) of \(count) etcd servers do not serve this host")
                + " (\(reasons.joined(separator: "; "))); "
                + (usableCount == 1
                    ? "the other server serves it, so changes are still replicated"
                    : "\(usableCount) other servers serve it, so changes are still replicated")
                + ": repair this before another server fails"
        }

        /// Describes the unusable servers if no server can be used.
        private static func describe(
            _ failingServers: [EtcdServerStatus], outOf servers: [EtcdServerStatus]
        ) -> String {
            let respondingCount = servers.count { $0.version != nil && !$0.lacksClusterData }
            let majority = servers.count / 2 + 1
            let unresponsiveServers = failingServers.filter { $0.version == nil }
            let verb = respondingCount == 1 ? "responds" : "respond"
            guard respondingCount < majority else {
                return
                    "\(respondingCount) of \(servers.count) etcd servers \(verb), but none of them can be used: "
                    + describe(failingServers[0])
            }
            return
                "\(respondingCount) of \(servers.count) etcd servers \(verb), and \(majority) \(majority == 1 ? "is" : "are") needed: nothing is "
                + "replicated, and applications stop when the lease of their host ends; start etcd on "
                + addresses(unresponsiveServers.isEmpty ? failingServers : unresponsiveServers)
                + ", or check the network between this host and these servers"
        }
    }
#endif
