#if Etcd
    import ExactText

    /// Lease of a host, and the key that shows its presence to other hosts.
    ///
    /// The host owns its applications under this lease. All methods must run on the actor that owns this
    /// object.
    final class HostLease {
        private enum Standing {
            /// The process is unknown to other hosts; the lease is new or belongs to an earlier process.
            case apart(lease: Int64?)
            /// The process has been known to other hosts since a revision.
            case present(lease: Int64, since: Int64)
            /// The host has left the cluster permanently.
            case left

            var lease: Int64? {
                switch self {
                case .apart(let lease): lease
                case .present(let lease, _): lease
                case .left: nil
                }
            }
        }

        private enum Trouble: Equatable {
            case away(String)
            case nameTaken
        }

        /// Deadline until which the host may rely on the lease.
        let tenure = Tenure()
        private let host: String
        private let keyspace: Keyspace
        private let client: EtcdClient
        /// Time after which a lease expires if it is not renewed.
        private let length: Duration
        private let keep: (Int64) -> Void
        private let tell: (ClusterMember.Incident) -> Void
        /// Identifier that distinguishes this process from others with the same lease, for example on a
        /// copied machine.
        private let process = hexadecimal(.random(in: 1...UInt64.max))

        private var standing: Standing
        private var trouble: Trouble?
        private var hasJoined = false
        /// Whether the host takes over no further applications.
        private(set) var isDraining = false

        /// - Parameters:
        ///   - number: Lease of an earlier process that may still be valid, or `nil` if there is none.
        ///   - keep: Stores the lease's number for the next process.
        init(
            _ number: Int64?, of host: String, in keyspace: Keyspace, by client: EtcdClient,
            for length: Duration, keep: @escaping (Int64) -> Void,
            tell: @escaping (ClusterMember.Incident) -> Void
        ) {
            standing = .apart(lease: number)
            self.host = host
            self.keyspace = keyspace
            self.client = client
            self.length = length
            self.keep = keep
            self.tell = tell
        }

        /// Number of the lease, or `nil` if there is no lease.
        var number: Int64? { standing.lease }

        var hasLeft: Bool { if case .left = standing { true } else { false } }

        /// Phrase that says why the host is not part of the cluster now, or `nil` if it is.
        var problem: String? {
            switch trouble {
            case .away(let sentence): sentence
            case .nameTaken:
                "another daemon is the host \(host) of the cluster \(keyspace.cluster)"
            case nil: nil
            }
        }

        // MARK: Renewing

        /// Obtains or renews the lease, and makes this host known to the other hosts.
        ///
        /// - Returns: Time after which this method must be called again.
        func renew() async -> Duration {
            do throws(EtcdError) {
                let began = ContinuousClock.now
                guard let lease = number else {
                    try await obtain()
                    return .zero
                }
                let left = try await client.keepAlive(lease: lease, within: length / 4)
                guard number == lease else { return .zero }
                guard let left else {
                    standApart(with: nil)
                    return length / 20
                }
                guard try await register(lease) else { return length / 10 }
                tenure.renew(from: began, for: left)
                if !hasJoined || trouble == .nameTaken {
                    tell(.joined)
                } else if trouble != nil {
                    tell(.back)
                }
                (hasJoined, trouble) = (true, nil)
                // Renewals are frequent, because a renewal whose reply is lost extends the lease but not the
                // deadline.
                return left / 6
            } catch {
                if hasLeft { return .zero }
                if trouble == nil { tell(.away("\(error)")) }
                if trouble != .nameTaken { trouble = .away("\(error)") }
                return length / (tenure.isValid ? 20 : 10)
            }
        }

        private func obtain() async throws(EtcdError) {
            let (lease, _) = try await client.grantLease(length)
            if hasLeft { return try await client.revoke(lease: lease) }
            standing = .apart(lease: lease)
            keep(lease)
        }

        /// Makes this host known to the other hosts, unless it is already known.
        ///
        /// If another daemon has this host's name, the lease is revoked.
        ///
        /// - Returns: Whether this host is known to the other hosts.
        private func register(_ lease: Int64) async throws(EtcdError) -> Bool {
            if case .present(lease, _) = standing { return true }
            let key = keyspace.host(host)
            let put = presence(under: lease)
            let told = isDraining
            let reply = try await client.commit(
                EtcdTransaction(
                    if: [.createRevision(of: key, is: 0)], then: put,
                    otherwise: [.range(EtcdRange(key))]))
            var entry = reply.entries.first
            if !reply.succeeded, entry?.leaseNumber == lease {
                guard number == lease else { return false }
                entry = try await client.commit(EtcdTransaction(if: [], then: put)).entries.first
            }
            guard number == lease, isDraining == told else { return false }
            guard let entry, entry.leaseNumber == lease else {
                standApart(with: nil)
                noteNameTaken()
                try await client.revoke(lease: lease)
                return false
            }
            standing = .present(lease: lease, since: entry.modRevision)
            return true
        }

        /// Returns operations that write and read the key of this host.
        private func presence(under lease: Int64) -> [EtcdOperation] {
            let key = keyspace.host(host)
            let value = ClusterRoles.Value(host: host, draining: isDraining, process: process)
            return [.put(key, value.bytes, lease: lease), .range(EtcdRange(key))]
        }

        /// Sets whether the host is draining, so that it takes over no further applications.
        func setDraining(_ isDraining: Bool) async throws(EtcdError) {
            let before = self.isDraining
            self.isDraining = isDraining
            guard case .present(let lease, _) = standing else { return }
            do throws(EtcdError) {
                _ = try await client.commit(
                    EtcdTransaction(if: [], then: presence(under: lease)))
            } catch {
                self.isDraining = before
                throw error
            }
        }

        // MARK: Ending

        /// Drops the lease if its deadline has passed, even while a request is waiting.
        ///
        /// - Returns: Whether the lease was dropped.
        func endIfOver() -> Bool {
            guard case .present(let lease, _) = standing, !tenure.isValid else { return false }
            standApart(with: lease)
            return true
        }

        /// Drops the lease if another process has adopted it after this one.
        ///
        /// - Parameter known: The host's entry in etcd.
        /// - Returns: Whether the lease was dropped.
        func yieldIfTaken(by known: ClusterRoles.Host?) -> Bool {
            guard case .present(let lease, let since) = standing, let known, known.lease == lease,
                known.revision > since, known.process != process
            else { return false }
            standApart(with: nil)
            noteNameTaken()
            return true
        }

        /// Revokes the lease, which releases all applications that the host owns.
        func leave() async {
            let lease = number
            standing = .left
            tenure.end()
            guard let lease else { return }
            do throws(EtcdError) { try await client.revoke(lease: lease) } catch {}
        }

        /// Drops the lease after it has expired or may have expired, so that no application relies on it.
        private func standApart(with lease: Int64?) {
            if case .present = standing { tell(.expired) }
            standing = .apart(lease: lease)
            tenure.end()
        }

        private func noteNameTaken() {
            if trouble != .nameTaken { tell(.nameTaken) }
            trouble = .nameTaken
        }
    }
#endif
