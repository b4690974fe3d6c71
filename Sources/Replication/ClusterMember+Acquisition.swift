import ExactText
import Synchronization

// Acquisition and release of applications.
extension ClusterMember {
    /// Delay before a takeover for each host that takes precedence over this host.
    private static let takeoverInterval = Duration.milliseconds(300)

    /// Waits until this host owns an application.
    ///
    /// - Returns: The epoch, which is the revision at which the owner key was created, or `nil` if the host is leaving
    ///   the cluster.
    package func acquire(_ application: String) async -> UInt64? {
        // Epoch of an ownership that this host must release, because it began to drain before the store replied.
        var unwantedEpoch: UInt64?
        while !isLeaving, !Task.isCancelled {
            guard hasReadOwners, leaseDeadline.isValid, let leaseNumber = lease.number else {
                await wait(for: application)
                continue
            }
            if let owner = clusterState.owners[application] {
                if owner.lease == leaseNumber, owner.host == host {
                    if owner.epoch != unwantedEpoch {
                        recordTakeover(of: application)
                        return owner.epoch
                    }
                    await releaseUnwanted(application, in: owner.epoch)
                } else {
                    await wait(for: application)
                }
                continue
            }
            let move = clusterState.moves[application]
            let target = move?.successor
            if lease.isDraining, target != host {
                await wait(for: application)
                continue
            }
            let delay = takeoverDelay(of: application, goingTo: target)
            if delay > .zero {
                guard await remainsUnowned(application, goingTo: target, for: delay) else {
                    continue
                }
            }
            do throws(StoreError) {
                if target != host, try await waitDuringPause(for: application) { continue }
                // The request may be executed even if its reply is lost.
                takeoverReasons[application] = target == host ? move?.takeoverReason : nil
                if let epoch = try await createOwnerKey(of: application, leaseNumber) {
                    recordTakeover(of: application)
                    if !lease.isDraining || target == host { return epoch }
                    unwantedEpoch = epoch
                    continue
                }
            } catch {
                recordTakeoverFailure(error, of: application)
            }
            // Another host was faster, or the request failed.
            await sleep(.milliseconds(200))
        }
        return nil
    }

    /// Clears the records about an application's earlier owner, because this host has just taken over the application.
    private func recordTakeover(of application: String) {
        moveTargets[application] = nil
        takeoverFailures.withLock { $0[application] = nil }
    }

    /// Waits while a pause prevents this host from taking over an application.
    ///
    /// - Returns: Whether a pause prevented it. The application may have an owner now.
    private func waitDuringPause(for application: String) async throws(StoreError) -> Bool {
        guard clusterState.pause != nil,
            try await !allowsTakeoverDuringPause(of: application)
        else { return false }
        if clusterState.pause != nil { await wait(for: application) }
        return true
    }
    /// Releases an application that this host acquired although it had begun to drain.
    ///
    /// If the release fails, the caller retries it.
    private func releaseUnwanted(_ application: String, in epoch: UInt64) async {
        do throws(StoreError) {
            try await release(application, in: epoch)
        } catch {
            recordTakeoverFailure(error, of: application)
            await sleep(.milliseconds(200))
        }
    }

    /// Returns the time for which an application must have no owner before this host takes it over.
    ///
    /// - Parameter target: The host that has accepted the application, or `nil` if any host may take it over.
    private func takeoverDelay(of application: String, goingTo target: String?) -> Duration {
        guard let target else {
            return Self.takeoverInterval * min(5, clusterState.rank(of: host, for: application))
        }
        // An owner that has not released the application may run it until the owner's lease ends.
        let forcedDelay = clusterState.moves[application]?.isForced == true ? leaseDuration : .zero
        return target == host ? forcedDelay : forcedDelay + leaseDuration
    }

    /// Records the reason why this host cannot take over an application, and reports the reason if it is new.
    private func recordTakeoverFailure(_ error: StoreError, of application: String) {
        let reason = "\(error)"
        let earlierReason = takeoverFailures.withLock {
            $0.updateValue(reason, forKey: ExactString(application))
        }
        let isNewReason = earlierReason != reason
        guard isNewReason else { return }
        switch error.kind {
        case .full, .denied, .refused, .malformed, .replyTooLong:
            report(.takeoverFailed(application: application, reason: reason))
        // A server that cannot be used is reported when the lease is renewed.
        case .unavailable, .compacted, .otherCluster: break
        }
    }

    /// Returns whether an application remains without an owner and keeps the same target for a given time.
    private func remainsUnowned(
        _ application: String, goingTo target: String?, for duration: Duration
    ) async -> Bool {
        await waitWhile(duration, of: application) {
            clusterState.owners[application] == nil
                && clusterState.moves[application]?.successor == target
        }
    }

    /// Creates the owner key of an application that has no owner.
    ///
    /// - Returns: The epoch of this host's ownership, or `nil` if another host owns the application.
    private func createOwnerKey(
        of application: String, _ leaseNumber: Int64
    ) async throws(StoreError) -> UInt64? {
        let key = keyspace.ownerKey(application)
        let reply = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: 0)],
                then: [
                    .put(key, ClusterState.Value(host: host).bytes, lease: leaseNumber),
                    .delete(keyspace.moveKey(application)),
                    .range(KeyRange(key)),
                ], otherwise: [.range(KeyRange(key))]))
        guard let entry = reply.entries.first else { return nil }
        applyOwnChange(KeyChange(entry))
        // Hosts that are clones of the same machine may use the same lease.
        guard entry.lease == leaseNumber, ClusterState.Value(entry.value)?.host == host else {
            return nil
        }
        return UInt64(entry.createRevision)
    }

    /// Waits for a given time, so that another host can take over an application.
    ///
    /// The wait ends early if this host is leaving the cluster.
    package func waitForOtherHosts(for duration: Duration, of application: String) async {
        _ = await waitWhile(duration, of: application) { true }
    }

    /// Updates the owner key to notify the other hosts that an application is running on this host.
    package func reportRunning(_ application: String, in epoch: UInt64) async throws(StoreError) {
        guard let leaseNumber = lease.number else { return }
        let key = keyspace.ownerKey(application)
        _ = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: Int64(epoch))],
                then: [
                    .put(
                        key, ClusterState.Value(host: host, running: true).bytes, lease: leaseNumber
                    )
                ]))
    }

    /// Waits until this host must stop running an application that it owns.
    ///
    /// - Returns: The reason why the application must stop, or `nil` if the task was cancelled or the host is leaving
    ///   the cluster.
    package func waitForEndOfOwnership(_ epoch: UInt64, of application: String) async
        -> OwnershipEnd?
    {
        while !Task.isCancelled, !isLeaving {
            if !leaseDeadline.isValid { return .lost }
            if hasReadOwners, !isOwner(of: application, in: epoch, accordingTo: clusterState) {
                return .lost
            }
            if let target = moveTargets[application] { return .moves(to: target) }
            await wait(for: application)
        }
        return nil
    }

    /// Records that this host no longer owns an application.
    package func recordLostOwnership(_ application: String, in epoch: UInt64) {
        if isOwner(of: application, in: epoch, accordingTo: clusterState) {
            sharedClusterState.withLock { $0.forgetOwner(of: application) }
        }
        resumeWaiters(application)
    }

    /// Releases an application that this host owns but no longer runs.
    ///
    /// - Parameter target: The host that takes over the application, or `nil` if any host may take it over.
    package func release(
        _ application: String, in epoch: UInt64, to target: String? = nil
    ) async throws(StoreError) {
        moveTargets[application] = nil
        let key = keyspace.ownerKey(application)
        let moveKey = keyspace.moveKey(application)
        var operations: [StoreOperation] = [.delete(key)]
        if let target, let lease = clusterState.hosts[target]?.lease {
            let moveValue = ClusterState.Value(host: target, accepted: true)
            operations.append(.put(moveKey, moveValue.bytes, lease: lease))
        } else {
            operations.append(.delete(moveKey))
        }
        let readOperations = [key, moveKey].map { StoreOperation.range(KeyRange($0)) }
        let reply = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: Int64(epoch))], then: operations + readOperations,
                otherwise: readOperations))
        // Apply the release immediately. Otherwise, this host would consider itself the owner until the store reports
        // the release. The owner key may already be missing, because an earlier attempt succeeded but its reply was
        // lost.
        if !reply.entries.contains(where: { $0.key == key }) {
            applyOwnChange(KeyChange(key: key, entry: nil, revision: reply.storeRevision))
        }
        for entry in reply.entries { applyOwnChange(KeyChange(entry)) }
    }
}
