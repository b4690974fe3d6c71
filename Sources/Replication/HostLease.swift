import ExactText

/// Lease of a host, with the key that shows the host's presence to other hosts.
///
/// The host owns its applications under this lease. All methods must run on the actor that owns this
/// object.
final class HostLease {
    /// Key of this process, which other hosts can read.
    private struct Presence {
        let lease: Int64
        /// Revision in which the key was written.
        let revision: Int64
        /// Time after the key was written.
        let instant: ContinuousClock.Instant
        /// Whether the store has lost the key, so that it must be written again.
        var isLost = false
    }

    private enum Membership {
        /// The process is not known to other hosts. Any lease is new or belongs to an earlier process.
        case apart(lease: Int64?)
        /// The process is known to other hosts.
        case present(Presence)
        /// The host has left the cluster permanently.
        case left

        var lease: Int64? {
            switch self {
            case .apart(let lease): lease
            case .present(let presence): presence.lease
            case .left: nil
            }
        }
    }

    private enum Trouble: Equatable {
        case away(String)
        case nameTaken
    }

    /// Deadline until which the host may rely on the lease.
    let deadline: LeaseDeadline
    private let host: String
    private let keyspace: Keyspace
    private let store: any ClusterStore
    /// Time after which a lease expires if it is not renewed.
    private let length: Duration
    private let memory: HostMemory
    private let clock: any HostClock
    private let report: (ClusterEvent) -> Void
    /// Identifier that distinguishes this process from other processes with the same lease, for example on a copied
    /// machine.
    private let process = hexadecimal(.random(in: 1...UInt64.max))

    /// Identity of the cluster's data, or `nil` if this process has not checked it yet.
    private var identity: ClusterIdentity?
    private var membership: Membership
    private var trouble: Trouble?
    /// Number of failed renewals since the last successful renewal.
    private var failureCount = 0
    /// Whether the failed renewals have been reported.
    private var isAway = false
    /// Time since which the store has denied this host every write, or `nil` if the last write was permitted.
    private var denied: ContinuousClock.Instant?
    private var hasJoined = false
    /// Whether the host takes over no further applications.
    private(set) var isDraining = false

    init(
        of host: String, in keyspace: Keyspace, by store: any ClusterStore, for length: Duration,
        memory: HostMemory, clock: any HostClock, report: @escaping (ClusterEvent) -> Void
    ) {
        membership = .apart(lease: memory.lease)
        self.host = host
        self.keyspace = keyspace
        self.store = store
        self.length = length
        self.memory = memory
        self.clock = clock
        deadline = LeaseDeadline(clock: clock)
        self.report = report
    }

    /// Number of the lease, or `nil` if there is no lease.
    var number: Int64? { membership.lease }

    /// Identifier of the cluster's data, or `nil` if this process has not checked it yet.
    var identityID: String? { identity?.id }

    /// Whether the store uses only servers that have the cluster's data.
    var isIdentified: Bool { identity != nil }

    var hasLeft: Bool { if case .left = membership { true } else { false } }

    /// Phrase that says why the host is not part of the cluster now, or `nil` if it is part of the cluster.
    var problem: String? {
        switch trouble {
        case .away(let sentence): sentence
        case .nameTaken:
            "another daemon is the host \(host) of the cluster \(keyspace.cluster): give each daemon its own "
                + "name with cluster.host"
        case nil: nil
        }
    }

    // MARK: Renewing

    /// Obtains or renews the lease, and makes this host known to the other hosts.
    ///
    /// - Returns: Time after which this method must be called again.
    func renew() async -> Duration {
        do throws(StoreError) {
            let began = clock.now
            if identity == nil { try await identify() }
            guard let lease = number else {
                try await obtain()
                return .zero
            }
            let left = try await store.keepAlive(lease: lease, within: length / 4)
            guard number == lease else { return .zero }
            guard let left else {
                dropLease(with: nil)
                return length / 20
            }
            let wasPresent = if case .present = membership { true } else { false }
            guard try await register(lease) else { return length / 10 }
            deadline.renew(from: began, for: left)
            reportRenewal(wasPresent: wasPresent)
            // Other hosts already know this host, so the lease must be valid before the store is asked again.
            guard await mayWrite() else {
                await forfeit()
                return length / 10
            }
            // Renewals are frequent, because a renewal whose reply is lost extends the lease but not the
            // deadline.
            return left / 6
        } catch {
            if hasLeft { return .zero }
            reportFailure(error)
            return length / (deadline.isValid ? 20 : 10)
        }
    }

    /// Reports that the host joined, or that the store can be used again.
    private func reportRenewal(wasPresent: Bool) {
        if !hasJoined || trouble == .nameTaken {
            report(.joined)
        } else {
            if isAway { report(.back) }
            if !wasPresent { report(.rejoined) }
        }
        if failureCount > 0, !isAway { report(.serverChanged) }
        (hasJoined, trouble, failureCount, isAway) = (true, nil, 0, false)
    }

    /// Reports that the store cannot be used, after each of its servers has had the chance to reply.
    private func reportFailure(_ error: StoreError) {
        failureCount += 1
        // Until the host has joined, each attempt asks all servers.
        let asksAll = error.kind != .unavailable || identity == nil
        let isUrgent = hasJoined && (deadline.rest ?? .zero) < length / 2
        if asksAll || isUrgent || failureCount >= store.serverCount, !isAway, trouble != .nameTaken
        {
            report(.away(reason: "\(error)", hasLease: deadline.isValid))
            isAway = true
        }
        if trouble != .nameTaken { trouble = .away("\(error)") }
    }

    /// Restricts the store to servers that have the cluster's data.
    private func identify() async throws(StoreError) {
        if let other = memory.otherCluster {
            throw .stateOfOtherCluster(other, cluster: keyspace.cluster)
        }
        let known = memory.identity.map { ClusterIdentity(in: keyspace, id: $0) }
        let identity = try await store.identify(keyspace, known: known)
        if known == nil { memory.storeIdentity(identity.id) }
        self.identity = identity
    }

    private func obtain() async throws(StoreError) {
        let lease = try await store.grantLease(length)
        if hasLeft { return try await store.revoke(lease: lease) }
        membership = .apart(lease: lease)
        memory.storeLease(lease)
    }

    /// Makes this host known to the other hosts, unless it is already known.
    ///
    /// If another daemon has this host's name, the lease is revoked.
    ///
    /// - Returns: Whether this host is known to the other hosts.
    private func register(_ lease: Int64) async throws(StoreError) -> Bool {
        if case .present(let presence) = membership, !presence.isLost { return true }
        let key = keyspace.host(host)
        let put = presence(under: lease)
        let wasDraining = isDraining
        let reply = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: 0)], then: put,
                otherwise: [.range(KeyRange(key))]))
        var entry = reply.entries.first
        if !reply.succeeded, entry?.lease == lease {
            guard number == lease else { return false }
            entry = try await store.commit(StoreTransaction(if: [], then: put)).entries.first
        }
        guard number == lease, isDraining == wasDraining else { return false }
        guard let entry, entry.lease == lease else {
            dropLease(with: nil)
            reportNameConflict()
            try await store.revoke(lease: lease)
            return false
        }
        membership = .present(
            Presence(lease: lease, revision: entry.modRevision, instant: clock.now))
        return true
    }

    /// Returns whether the store has permitted this host to write within half the length of a lease.
    ///
    /// Without this check, a host that can only renew its lease would keep its applications.
    private func mayWrite() async -> Bool {
        do throws(StoreError) {
            // Deleting a key that does not exist requires the permission to write, and changes nothing.
            _ = try await store.commit(
                StoreTransaction(if: [], then: [.delete(keyspace.probe)]))
            denied = nil
        } catch  where error.kind == .denied {
            let first = denied ?? clock.now
            denied = first
            return clock.now < first.advanced(by: length / 2)
        } catch {}  // A store that does not reply has not denied the write.
        return true
    }

    /// Returns operations that write and read the key of this host.
    private func presence(under lease: Int64) -> [StoreOperation] {
        let key = keyspace.host(host)
        let value = ClusterRoles.Value(host: host, draining: isDraining, process: process)
        return [.put(key, value.bytes, lease: lease), .range(KeyRange(key))]
    }

    /// Sets whether the host is draining. A draining host takes over no further applications.
    func setDraining(_ isDraining: Bool) async throws(StoreError) {
        let before = self.isDraining
        self.isDraining = isDraining
        guard case .present(let known) = membership else { return }
        do throws(StoreError) {
            _ = try await store.commit(
                StoreTransaction(if: [], then: presence(under: known.lease)))
        } catch {
            self.isDraining = before
            throw error
        }
    }

    // MARK: Ending

    /// Drops the lease if its deadline has passed, even if a request is in progress.
    ///
    /// - Returns: Whether the lease was dropped.
    func endIfOver() -> Bool {
        guard case .present(let presence) = membership, !deadline.isValid else { return false }
        dropLease(with: presence.lease)
        return true
    }

    /// Drops the lease if another process has adopted it after this process.
    ///
    /// If the store has lost the key of this host, because it was restored from a backup, the key is written again
    /// when the lease is renewed.
    ///
    /// - Parameters:
    ///   - known: The host's entry in the store, or `nil` if there is none.
    ///   - confirmed: Time at which the store confirmed the entry, or `nil` if it has not confirmed the entry.
    /// - Returns: Whether the lease was dropped.
    func releaseIfSuperseded(
        by known: ClusterRoles.Host?, confirmed: ContinuousClock.Instant?
    ) -> Bool {
        guard case .present(var presence) = membership, known?.process != process else {
            return false
        }
        guard let known, known.lease == presence.lease, known.revision > presence.revision
        else {
            if let confirmed, confirmed > presence.instant {
                presence.isLost = true
                membership = .present(presence)
            }
            return false
        }
        dropLease(with: nil)
        reportNameConflict()
        return true
    }

    /// Revokes the lease, which releases all applications that the host owns.
    func leave() async {
        let lease = number
        membership = .left
        deadline.end()
        guard let lease else { return }
        do throws(StoreError) { try await store.revoke(lease: lease) } catch {}
    }

    /// Lets the lease expire, because the store does not permit this host to release its applications.
    func forfeit() async {
        guard let lease = number else { return }
        denied = nil
        dropLease(with: nil)
        do throws(StoreError) { try await store.revoke(lease: lease) } catch {}
    }

    /// Drops the lease after it has expired or may have expired, so that no application relies on it.
    private func dropLease(with lease: Int64?) {
        if case .present = membership { report(.expired) }
        membership = .apart(lease: lease)
        deadline.end()
    }

    private func reportNameConflict() {
        if trouble != .nameTaken { report(.nameTaken) }
        trouble = .nameTaken
    }
}
