#if Etcd
    import ExactText

    /// The lease of a host, by which it owns what it owns, and the key that tells the others that it is there.
    ///
    /// It belongs to one actor, on which all of it runs.
    final class HostLease {
        private enum Standing {
            /// The others do not know this process; the lease is a new one, or that of an earlier process.
            case apart(lease: Int64?)
            /// The others know it, since a revision.
            case present(lease: Int64, since: Int64)
            /// The host has left for good.
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

        /// How long the host may go by the lease.
        let tenure = Tenure()
        private let host: String
        private let keyspace: Keyspace
        private let client: EtcdClient
        /// How long a lease lasts that is not renewed.
        private let length: Duration
        private let keep: (Int64) -> Void
        private let tell: (ClusterMember.Incident) -> Void
        /// Tells this process from others that have the same lease, as that of a copied machine has.
        private let process = hexadecimal(.random(in: 1...UInt64.max))

        private var standing: Standing
        private var trouble: Trouble?
        private var hasJoined = false
        /// Whether the host takes nothing over.
        private(set) var isDraining = false

        /// - Parameters:
        ///   - number: a lease that an earlier process had, and may have yet; nil: none.
        ///   - keep: keeps a lease's number for the next process.
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

        /// The lease; nil: there is none.
        var number: Int64? { standing.lease }

        var hasLeft: Bool { if case .left = standing { true } else { false } }

        /// Why the host has no part in the cluster now, a clause; nil: it has.
        var problem: String? {
            switch trouble {
            case .away(let sentence): sentence
            case .nameTaken:
                "another daemon is the host \(host) of the cluster \(keyspace.cluster)"
            case nil: nil
            }
        }

        // MARK: Renewing

        /// Obtains the lease, or renews it, and sees to it that the others know the host.
        ///
        /// - Returns: after what time it is to be called again.
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
                // Often: one that etcd hears and whose answer is lost prolongs the lease for nothing.
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

        /// Tells the others that this host is there, unless they know. If another daemon has its name the lease is
        /// given back.
        ///
        /// - Returns: whether they know.
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

        /// Tells the others that this host is there, and reads that.
        private func presence(under lease: Int64) -> [EtcdOperation] {
            let key = keyspace.host(host)
            let value = ClusterRoles.Value(host: host, draining: isDraining, process: process)
            return [.put(key, value.bytes, lease: lease), .range(EtcdRange(key))]
        }

        /// Whether the host takes nothing over from now on.
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

        /// Ends the tenure if its time is over, whatever a request waits for.
        ///
        /// - Returns: whether it did.
        func endIfOver() -> Bool {
            guard case .present(let lease, _) = standing, !tenure.isValid else { return false }
            standApart(with: lease)
            return true
        }

        /// Leaves the lease to another process if one has taken it up after this one.
        ///
        /// - Parameter known: what etcd has of this host.
        /// - Returns: whether it did.
        func yieldIfTaken(by known: ClusterRoles.Host?) -> Bool {
            guard case .present(let lease, let since) = standing, let known, known.lease == lease,
                known.revision > since, known.process != process
            else { return false }
            standApart(with: nil)
            noteNameTaken()
            return true
        }

        /// Gives the lease back: everything that the host owns is free.
        func leave() async {
            let lease = number
            standing = .left
            tenure.end()
            guard let lease else { return }
            do throws(EtcdError) { try await client.revoke(lease: lease) } catch {}
        }

        /// Nothing may run any more that goes by the lease, which is over, or may be.
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
