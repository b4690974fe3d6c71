#if Etcd
    import ExactText

    /// Evaluation of the states of all servers in `cluster.endpoints`, for operators.
    package struct ServerSurvey: Sendable, Equatable {
        /// Sentences about servers that cannot be used, and about the consequences. The list is empty if every server
        /// can be used.
        package let problems: [String]
        /// Addresses of the servers that cannot be used.
        package let failingEndpoints: [String]

        /// Evaluates the states of all servers.
        package init(_ servers: [EtcdServerStatus]) {
            let foreign = servers.filter(\.isForeign)
            let failing = servers.filter { $0.problem != nil && !$0.isForeign }
            let usableCount = servers.count - foreign.count - failing.count
            failingEndpoints = (foreign + failing).map(\.endpoint)
            var problems: [String] = []
            if !foreign.isEmpty {
                problems.append(Self.describe(foreign, of: servers.count))
            }
            if !failing.isEmpty, usableCount > 0 {
                problems.append(
                    Self.describe(failing, of: servers.count, usableCount: usableCount))
            } else if !failing.isEmpty {
                problems.append(Self.describe(failing, outOf: servers))
            }
            self.problems = problems
        }

        /// Returns the problem of a server, with the server's address.
        private static func describe(_ server: EtcdServerStatus) -> String {
            let problem = server.problem ?? ""
            return problem.contains(server.endpoint) ? problem : "\(server.endpoint): \(problem)"
        }

        private static func addresses(_ servers: [EtcdServerStatus]) -> String {
            servers.map(\.endpoint).joined(separator: ", ")
        }

        /// Describes servers that belong to another cluster.
        private static func describe(
            _ foreign: [EtcdServerStatus], of count: Int
        ) -> String {
            (foreign.count == 1
                ? "1 of \(count) etcd servers belongs to another cluster and is not used: "
                : "\(foreign.count) of \(count) etcd servers belong to another cluster and are not used: ")
                + addresses(foreign)
                + (foreign.count == count
                    ? "; `reprisectl cluster` shows what to do"
                    : "; correct cluster.endpoints, which must list only servers of this cluster, then restart the daemon")
        }

        /// Describes servers that cannot be used while other servers can be used.
        private static func describe(
            _ failing: [EtcdServerStatus], of count: Int, usableCount: Int
        ) -> String {
            let reasons = failing.map(Self.describe)
            return
                (failing.count == 1
                ? "1 of \(count) etcd servers does not serve this host"
                : "\(failing.count) of \(count) etcd servers do not serve this host")
                + " (\(reasons.joined(separator: "; "))); "
                + (usableCount == 1
                    ? "the other server serves it, so changes are still replicated"
                    : "\(usableCount) other servers serve it, so changes are still replicated")
                + ": repair this before another server fails"
        }

        /// Returns a sentence about a cluster in which no server can be used.
        private static func describe(
            _ failing: [EtcdServerStatus], outOf servers: [EtcdServerStatus]
        ) -> String {
            let answering = servers.count { $0.version != nil && !$0.isForeign }
            let majority = servers.count / 2 + 1
            let silent = failing.filter { $0.version == nil }
            let answers = answering == 1 ? "responds" : "respond"
            guard answering < majority else {
                return
                    "\(answering) of \(servers.count) etcd servers \(answers), but none of them can be used: "
                    + describe(failing[0])
            }
            return
                "\(answering) of \(servers.count) etcd servers \(answers), and \(majority) \(majority == 1 ? "is" : "are") needed: nothing is "
                + "replicated, and applications stop when the lease of their host ends; start etcd on "
                + addresses(silent.isEmpty ? failing : silent)
                + ", or check the network between this host and these servers"
        }
    }
#endif
