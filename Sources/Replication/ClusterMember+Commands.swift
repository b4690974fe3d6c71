import ExactText
import Synchronization

// Operator commands that affect all hosts of a cluster, and the history of owners.
extension ClusterMember {
    // MARK: Pausing

    /// Pauses or resumes automatic takeovers on all hosts.
    ///
    /// During a pause, an application that has lost its owner can be taken over only by its last owner, by the host to
    /// which it is being moved, or with ``takeOver(_:by:within:)``.
    ///
    /// - Parameter pause: The pause, or `nil` to resume takeovers.
    /// - Returns: The pause that was in effect before, or `nil` if takeovers were not paused.
    @discardableResult
    package func setTakeoverPause(
        _ pause: TakeoverPause?
    ) async throws(StoreError) -> TakeoverPause? {
        let key = keyspace.pauseKey
        let operation = pause.map { StoreOperation.put(key, $0.bytes) } ?? .delete(key)
        let reply = try await store.commit(
            StoreTransaction(if: [], then: [.range(KeyRange(key)), operation]))
        return reply.entries.first.map { TakeoverPause($0.value) }
    }

    /// Returns whether this host may take over an application during a pause.
    ///
    /// The result is `true` if this host was the last owner, or if the application has never had an owner.
    func allowsTakeoverDuringPause(of application: String) async throws(StoreError) -> Bool {
        guard let ownerHistory = try await ownerHistory(of: application) else { return false }
        let lastOwnerHost = ownerHistory.entries.last?.host
        lastOwners.withLock { $0[application] = lastOwnerHost }
        return lastOwnerHost.map { $0 == host } ?? true
    }

    // MARK: Taking over by command

    /// Makes this host the owner of an application, even if another host owns the application or automatic takeovers
    /// are paused.
    ///
    /// If another host owns the application, this host waits for the duration of a lease before it launches the
    /// application, because the other host may run the application until then. Changes that the other host has not
    /// replicated are not available on this host.
    ///
    /// - Parameters:
    ///   - user: The operator who requested the takeover, for example `user 1000`.
    ///   - timeout: The time within which the application must begin to run on this host.
    /// - Returns: The reason why the takeover failed, or `nil` if the application is running on this host.
    package func takeOver(
        _ application: String, by user: String? = nil, within timeout: Duration
    ) async -> String? {
        guard leaseDeadline.isValid, let leaseNumber = lease.number else {
            return problem ?? "\(host) has not joined the cluster"
        }
        let owner = clusterState.owners[application]
        let (key, moveKey) = (keyspace.ownerKey(application), keyspace.moveKey(application))
        let moveValue = ClusterState.Value(
            host: host, accepted: true, forced: owner != nil, previous: owner?.host,
            user: owner == nil ? nil : user)
        let readOperations = [key, moveKey].map { StoreOperation.range(KeyRange($0)) }
        do throws(StoreError) {
            let reply = try await store.commit(
                StoreTransaction(
                    if: [.createRevision(of: key, is: Int64(owner?.epoch ?? 0))],
                    then: [.delete(key), .put(moveKey, moveValue.bytes, lease: leaseNumber)]
                        + readOperations,
                    otherwise: readOperations))
            guard reply.succeeded else { return "its owner changed at the same time" }
            if owner != nil {
                applyOwnChange(KeyChange(key: key, entry: nil, revision: reply.storeRevision))
            }
            for entry in reply.entries { applyOwnChange(KeyChange(entry)) }
            if let takeover = clusterState.forcedTakeover(of: application) {
                report(.takeoverForced(takeover))
            }
        } catch {
            return error.isOutcomeUnknown
                ? "\(error); if etcd carries out the request after all, \(host) takes over the application"
                : "\(error)"
        }
        resumeWaiters(application)
        return await waitForArrival(
            of: application, on: host, after: owner?.epoch ?? 0, within: timeout)
    }

    // MARK: History

    /// Reads the history of an application's owners.
    ///
    /// - Returns: The history, which may be empty, or `nil` if this version cannot read it.
    package func ownerHistory(of application: String) async throws(StoreError) -> OwnerHistory? {
        let reply = try await store.range(KeyRange(keyspace.ownerHistoryKey(application)))
        guard let entry = reply.entries.first else { return OwnerHistory() }
        return OwnerHistory(entry.value)
    }

    /// Adds this host to the owner history of an application that it is running.
    ///
    /// - Parameter time: The current time in microseconds since 1970-01-01 UTC.
    package func recordOwnership(
        of application: String, in epoch: UInt64, at time: Int64
    ) async throws(StoreError) {
        guard var ownerHistory = try await ownerHistory(of: application),
            ownerHistory.entries.last?.epoch != epoch
        else { return }
        let previousHost = ownerHistory.entries.last?.host
        let reason =
            takeoverReasons[application]
            ?? reasonForTakeover(
                of: application, from: previousHost)
        ownerHistory.append(
            OwnerHistory.Entry(
                host: host, epoch: epoch, time: time, previous: previousHost, reason: reason))
        _ = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: keyspace.ownerKey(application), is: Int64(epoch))],
                then: [.put(keyspace.ownerHistoryKey(application), ownerHistory.bytes)]))
        takeoverReasons[application] = nil
    }

    /// Returns the reason for a takeover that was caused by neither a move nor a command.
    private func reasonForTakeover(
        of application: String, from previousHost: String?
    ) -> OwnerHistory.Reason {
        guard let previousHost else { return .started }
        if previousHost == host { return .returned }
        return clusterState.didLeaseEnd(of: previousHost, ownerOf: application)
            ? .expired : .released
    }
}
