import ExactText

/// A host's lease, with the key that makes the host visible to other hosts.
///
/// The host owns its applications through this lease. Call all methods on the actor that owns this object.
final class HostLease {
    /// Key that makes this process visible to other hosts.
    private struct HostKey {
        /// Number of the lease to which the key is attached.
        let lease: Int64
        /// Revision at which the key was written.
        var revision: Int64
        /// Time at which the store acknowledged that the key was written.
        let writeTime: ContinuousClock.Instant
        /// Whether the store has lost the key, so that the host must write it again.
        var isLost = false
        /// Whether the key may contain a different draining status than ``HostLease/isDraining``.
        var isOutdated = false
    }

    /// Membership of this process in the cluster.
    private enum Membership {
        /// The process is not visible to other hosts.
        ///
        /// The lease, if there is one, is new or was obtained by an earlier process.
        case absent(lease: Int64?)
        /// The process is visible to other hosts.
        case present(HostKey)
        /// The host has left the cluster permanently.
        case left

        var lease: Int64? {
            switch self {
            case .absent(let lease): lease
            case .present(let hostKey): hostKey.lease
            case .left: nil
            }
        }
    }

    /// Problem that prevents the host from being part of the cluster.
    private enum Problem: Equatable {
        case storeUnavailable(String)
        case hostNameTaken
    }

    /// Time until which the host may rely on the lease.
    let deadline: LeaseDeadline
    private let host: String
    private let keyspace: Keyspace
    private let store: any ClusterStore
    /// Time after which the lease expires if it is not renewed.
    private let duration: Duration
    private let savedFacts: SavedClusterFacts
    private let clock: any SuspendAwareClock
    private let report: (ClusterEvent) -> Void
    /// Identifier that distinguishes this process from other processes with the same lease, for example on a clone of
    /// this machine.
    private let processIdentifier = hexadecimal(.random(in: 1...UInt64.max))

    /// Identity of the cluster's data, or `nil` if this process has not determined it yet.
    private var identity: ClusterIdentity?
    private var membership: Membership
    private var currentProblem: Problem?
    /// Number of renewals that have failed since the last successful renewal.
    private var failureCount = 0
    /// Whether the failed renewals have been reported.
    private var hasReportedOutage = false
    /// Time at which the store began to deny all writes by this host, or `nil` if the last write was permitted.
    private var denialStartTime: ContinuousClock.Instant?
    /// Whether this process has joined the cluster at least once.
    private var hasJoined = false
    /// Whether the host is draining. A draining host takes over no further applications.
    private(set) var isDraining = false

    init(
        of host: String, in keyspace: Keyspace, by store: any ClusterStore, for duration: Duration,
        savedFacts: SavedClusterFacts, clock: any SuspendAwareClock,
        report: @escaping (ClusterEvent) -> Void
    ) {
        membership = .absent(lease: savedFacts.lease)
        self.host = host
        self.keyspace = keyspace
        self.store = store
        self.duration = duration
        self.savedFacts = savedFacts
        self.clock = clock
        deadline = LeaseDeadline(clock: clock)
        self.report = report
    }

    /// Number of the lease, or `nil` if the host has no lease.
    var number: Int64? { membership.lease }

    /// Identifier of the cluster's data, or `nil` if this process has not determined it yet.
    var clusterDataID: String? { identity?.id }

    /// Whether the store has been restricted to servers that have the cluster's data.
    var hasIdentifiedStore: Bool { identity != nil }

    var hasLeft: Bool { if case .left = membership { true } else { false } }

    /// Phrase that says why the host is not part of the cluster, or `nil` if no problem is known.
    var problem: String? {
        switch currentProblem {
        case .storeUnavailable(let sentence): sentence
        case .hostNameTaken:
            "another daemon is the host \(host) of the cluster \(keyspace.cluster): give each daemon its own "
                + "name with cluster.host"
        case nil: nil
        }
    }

    // MARK: Renewing

    /// Obtains or renews the lease, and makes this host visible to the other hosts if necessary.
    ///
    /// - Returns: The time after which this method must be called again.
    func renew() async -> Duration {
        do throws(StoreError) {
            let requestTime = clock.now
            if identity == nil { try await identify() }
            guard let lease = number else {
                try await obtainLease()
                return .zero
            }
            let remainingTime = try await store.keepAlive(lease: lease, within: duration / 4)
            guard number == lease else { return .zero }
            guard let remainingTime else {
                dropLease(with: nil)
                return duration / 20
            }
            let wasPresent = if case .present = membership { true } else { false }
            guard try await register(lease) else { return duration / 10 }
            deadline.renew(from: requestTime, for: remainingTime)
            reportRenewal(wasPresent: wasPresent)
            // The host is already visible to other hosts, so its lease must be valid before the next request to the
            // store.
            guard await checkWriteAccess() else {
                await forfeit()
                return duration / 10
            }
            // The lease is renewed often. If the reply to a renewal is lost, the lease is extended, but the deadline is
            // not.
            return remainingTime / 6
        } catch {
            if hasLeft { return .zero }
            reportFailure(error)
            return duration / (deadline.isValid ? 20 : 10)
        }
    }

    /// Reports that the host has joined the cluster, or that the store can be used again.
    private func reportRenewal(wasPresent: Bool) {
        if !hasJoined || currentProblem == .hostNameTaken {
            report(.joined)
        } else {
            if hasReportedOutage { report(.storeAvailable) }
            if !wasPresent { report(.rejoined) }
        }
        if failureCount > 0, !hasReportedOutage { report(.serverFailedOver) }
        (hasJoined, currentProblem, failureCount, hasReportedOutage) = (true, nil, 0, false)
    }

    /// Reports that the store cannot be used.
    ///
    /// The report is deferred until each server has had a chance to reply, unless the lease is about to end.
    private func reportFailure(_ error: StoreError) {
        failureCount += 1
        // Until the cluster's data has been identified, each attempt tries all servers.
        let triesAllServers = error.kind != .unavailable || identity == nil
        let isUrgent = hasJoined && (deadline.remainingTime ?? .zero) < duration / 2
        if triesAllServers || isUrgent || failureCount >= store.serverCount, !hasReportedOutage,
            currentProblem != .hostNameTaken
        {
            report(.storeUnavailable(reason: "\(error)", hasLease: deadline.isValid))
            hasReportedOutage = true
        }
        if currentProblem != .hostNameTaken { currentProblem = .storeUnavailable("\(error)") }
    }

    /// Restricts the store to servers that have the cluster's data.
    private func identify() async throws(StoreError) {
        if let otherClusterName = savedFacts.otherClusterName {
            throw .stateOfOtherCluster(otherClusterName, cluster: keyspace.cluster)
        }
        let knownIdentity = savedFacts.identity.map { ClusterIdentity(in: keyspace, id: $0) }
        let identity = try await store.identify(keyspace, known: knownIdentity)
        // The identity is durable before this host uses the cluster's data. Otherwise, the next process could join a
        // different cluster.
        if knownIdentity == nil { await savedFacts.saveIdentity(identity.id) }
        self.identity = identity
    }

    private func obtainLease() async throws(StoreError) {
        let lease = try await store.grantLease(duration)
        if hasLeft { return try await store.revoke(lease: lease) }
        membership = .absent(lease: lease)
        // The lease is durable before this host's key is attached to it. Otherwise, the next process would have to wait
        // until the lease has expired.
        await savedFacts.saveLease(lease)
    }

    /// Makes this host visible to the other hosts, if it is not visible already.
    ///
    /// If another daemon uses the same host name, this method revokes the lease.
    ///
    /// - Returns: Whether this host is now visible to the other hosts.
    private func register(_ lease: Int64) async throws(StoreError) -> Bool {
        if case .present(let hostKey) = membership, !hostKey.isLost { return true }
        let key = keyspace.hostKey(host)
        let writeOperations = hostKeyOperations(under: lease)
        let wasDraining = isDraining
        let reply = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: 0)], then: writeOperations,
                otherwise: [.range(KeyRange(key))]))
        var entry = reply.entries.first
        if !reply.succeeded, entry?.lease == lease {
            guard number == lease, let modRevision = entry?.modRevision else { return false }
            let replacement = try await store.commit(
                StoreTransaction(
                    if: [.modRevision(of: key, is: modRevision)], then: writeOperations))
            // If another process has changed the key in the meantime, the next attempt reads it again.
            guard replacement.succeeded else { return false }
            entry = replacement.entries.first
        }
        guard number == lease, isDraining == wasDraining else { return false }
        guard let entry, entry.lease == lease else {
            dropLease(with: nil)
            reportNameConflict()
            try await store.revoke(lease: lease)
            return false
        }
        membership = .present(
            HostKey(lease: lease, revision: entry.modRevision, writeTime: clock.now))
        return true
    }

    /// Returns whether this host may still write to the store.
    ///
    /// The result is `false` if the store has denied all writes for half the duration of a lease. Without this check, a
    /// host that can renew its lease but cannot write would remain the owner of its applications.
    ///
    /// If the outcome of an earlier write of the draining status is unknown, the check writes the status again.
    private func checkWriteAccess() async -> Bool {
        do throws(StoreError) {
            if case .present(let hostKey) = membership, hostKey.isOutdated {
                try await writeDrainingStatus()
            } else {
                // Deleting a key that does not exist requires permission to write, but changes nothing.
                _ = try await store.commit(
                    StoreTransaction(if: [], then: [.delete(keyspace.probeKey)]))
            }
            denialStartTime = nil
        } catch  where error.kind == .denied {
            let firstDenial = denialStartTime ?? clock.now
            denialStartTime = firstDenial
            return clock.now < firstDenial.advanced(by: duration / 2)
        } catch {}  // A store that does not reply has not denied the write.
        return true
    }

    /// Returns operations that write and then read this host's key.
    private func hostKeyOperations(under lease: Int64) -> [StoreOperation] {
        let key = keyspace.hostKey(host)
        let value = ClusterState.Value(host: host, draining: isDraining, process: processIdentifier)
        return [.put(key, value.bytes, lease: lease), .range(KeyRange(key))]
    }

    /// Sets whether the host is draining. A draining host takes over no further applications.
    func setDraining(_ isDraining: Bool) async throws(StoreError) {
        let wasDraining = self.isDraining
        self.isDraining = isDraining
        do throws(StoreError) {
            try await writeDrainingStatus()
        } catch {
            self.isDraining = wasDraining
            // The next renewal of the lease writes the status again.
            if error.isOutcomeUnknown, case .present(var hostKey) = membership {
                hostKey.isOutdated = true
                membership = .present(hostKey)
            }
            throw error
        }
    }

    /// Writes the draining status to this host's key, unless the key is missing or another process has written it.
    ///
    /// In these cases, the lease is dropped or the key is written again as soon as the host detects the change. The
    /// condition also prevents a delayed request from overwriting the key later.
    private func writeDrainingStatus() async throws(StoreError) {
        guard case .present(let hostKey) = membership else { return }
        let key = keyspace.hostKey(host)
        var revision = hostKey.revision
        while true {
            let reply = try await store.commit(
                StoreTransaction(
                    if: [.modRevision(of: key, is: revision)],
                    then: hostKeyOperations(under: hostKey.lease),
                    otherwise: [.range(KeyRange(key))]))
            guard let entry = reply.entries.first, entry.lease == hostKey.lease,
                ClusterState.Value(entry.value)?.process == processIdentifier
            else { return }
            revision = entry.modRevision
            if reply.succeeded { break }
        }
        guard case .present(var writtenKey) = membership, writtenKey.lease == hostKey.lease else {
            return
        }
        writtenKey.revision = max(writtenKey.revision, revision)
        writtenKey.isOutdated = false
        membership = .present(writtenKey)
    }

    // MARK: Ending

    /// Drops the lease if its deadline has passed, even if a request is in progress.
    ///
    /// - Returns: Whether the lease was dropped.
    func dropIfExpired() -> Bool {
        guard case .present(let hostKey) = membership, !deadline.isValid else { return false }
        dropLease(with: hostKey.lease)
        return true
    }

    /// Drops the lease if another process has begun to use it.
    ///
    /// If a restore from a backup has removed this host's key from the store, the next renewal of the lease writes the
    /// key again.
    ///
    /// - Parameters:
    ///   - knownHost: The entry for this host in the store, or `nil` if there is none.
    ///   - lastConfirmation: The time at which the store last confirmed the entry, or `nil` if it has never confirmed
    ///     the entry.
    /// - Returns: Whether the lease was dropped.
    func dropIfSuperseded(
        by knownHost: ClusterState.Host?, lastConfirmation: ContinuousClock.Instant?
    ) -> Bool {
        guard case .present(var hostKey) = membership,
            knownHost?.processIdentifier != processIdentifier
        else {
            return false
        }
        guard let knownHost, knownHost.lease == hostKey.lease,
            knownHost.revision > hostKey.revision
        else {
            if let lastConfirmation, lastConfirmation > hostKey.writeTime {
                hostKey.isLost = true
                membership = .present(hostKey)
            }
            return false
        }
        dropLease(with: nil)
        reportNameConflict()
        return true
    }

    /// Revokes the lease, which releases all applications that the host owns.
    func leave() async {
        let leaseNumber = number
        membership = .left
        deadline.expire()
        guard let leaseNumber else { return }
        do throws(StoreError) { try await store.revoke(lease: leaseNumber) } catch {}
    }

    /// Gives up the lease.
    ///
    /// If the store does not permit this host to revoke the lease, the lease expires later.
    func forfeit() async {
        guard let leaseNumber = number else { return }
        denialStartTime = nil
        dropLease(with: nil)
        do throws(StoreError) { try await store.revoke(lease: leaseNumber) } catch {}
    }

    /// Stops relying on the current lease.
    ///
    /// - Parameter lease: The lease to renew next, or `nil` to obtain a new lease.
    private func dropLease(with lease: Int64?) {
        if case .present = membership { report(.leaseExpired) }
        membership = .absent(lease: lease)
        deadline.expire()
    }

    private func reportNameConflict() {
        if currentProblem != .hostNameTaken { report(.hostNameTaken) }
        currentProblem = .hostNameTaken
    }
}
