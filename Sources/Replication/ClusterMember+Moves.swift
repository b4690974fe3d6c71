import ExactText

// Moves of applications from one host to another.
extension ClusterMember {
    /// Time within which another host must respond to an offer to take over an application.
    private static let offerTimeout = Duration.seconds(3)

    /// Moves one of this host's applications to another host, and waits until it runs there.
    ///
    /// The application stops on this host only after the other host has accepted it.
    ///
    /// - Parameter timeout: The time limit for the move, counted from the other host's acceptance.
    /// - Returns: The reason why the move failed, or `nil` if the move succeeded.
    package func move(
        _ application: String, to target: String, within timeout: Duration
    ) async -> String? {
        let name = ExactString(application)
        guard moveTargets[name] == nil, pendingOffers.insert(name).inserted else {
            return "another move of the application is in progress"
        }
        moveFailures[application] = nil
        let epoch = clusterState.owners[application]?.epoch ?? 0
        let refusal = await offer(application, in: epoch, to: target)
        if refusal != nil { await withdrawMove(of: application, in: epoch, to: target) }
        pendingOffers.remove(name)
        if let refusal { return refusal }
        moveTargets[application] = target
        resumeWaiters(application)
        return await waitForArrival(of: application, on: target, after: epoch, within: timeout)
    }

    /// Waits until an application is running on the host that takes it over.
    ///
    /// - Parameter epoch: The epoch of the previous ownership, or 0 if the application had no owner.
    /// - Returns: The reason why the application is not running on the host, or `nil` if it is running there.
    func waitForArrival(
        of application: String, on target: String, after epoch: UInt64, within timeout: Duration
    ) async -> String? {
        let deadline = clock.now.advanced(by: timeout)
        while true {
            if let owner = clusterState.owners[application], owner.epoch > epoch {
                if owner.host != target { return "the host \(owner.host) took it over first" }
                if owner.isRunning { return nil }
            }
            if let failure = moveFailures.removeValue(forKey: ExactString(application)) {
                return failure
            }
            let remainingTime = clock.now.duration(to: deadline)
            if remainingTime <= .zero || Task.isCancelled || isLeaving {
                return "\(target) is not running it yet; `reprisectl status` shows its owner"
            }
            await wait(for: application, atMost: remainingTime)
        }
    }

    /// Offers an application to another host, while the application continues to run on this host.
    ///
    /// - Returns: The reason why the other host does not take over the application, or `nil` if it has accepted the
    ///   offer.
    private func offer(
        _ application: String, in epoch: UInt64, to target: String
    ) async -> String? {
        guard let targetHost = clusterState.hosts[target] else {
            return "\(target) left the cluster"
        }
        let key = keyspace.moveKey(application)
        do throws(StoreError) {
            let reply = try await store.commit(
                StoreTransaction(
                    if: [.createRevision(of: keyspace.ownerKey(application), is: Int64(epoch))],
                    then: [
                        .put(
                            key, ClusterState.Value(host: target).bytes,
                            lease: targetHost.lease), .range(KeyRange(key)),
                    ]))
            guard let entry = reply.entries.first else {
                return "\(host) no longer owns the application"
            }
            applyOwnChange(KeyChange(entry))
        } catch {
            return "\(error)"
        }
        let isUnanswered = await waitWhile(Self.offerTimeout, of: application) {
            clusterState.moves[application] == ClusterState.Move(host: target, response: nil)
        }
        guard let move = clusterState.moves[application], move.host == target else {
            return "\(target) left the cluster"
        }
        switch move.response {
        case .accepted: return nil
        case .refused(let reason): return reason
        case nil where isUnanswered:
            return "\(target) did not respond within \(Self.offerTimeout)"
        case nil: return "\(host) is leaving the cluster"
        }
    }

    /// Accepts or refuses an offer to move an application to this host.
    func acceptOrRefuseMove(of application: String) async {
        guard let leaseNumber = lease.number else { return }
        let key = keyspace.moveKey(application)
        let offer = ClusterState.Value(host: host)
        var response = offer
        if isLeaving || !leaseDeadline.isValid {
            response.refusal = "\(host) is leaving the cluster"
        } else if !hostedBundleIdentifiers.contains(ExactString(application)) {
            response.refusal = "\(host) does not host the application"
        } else if lease.isDraining {
            response.refusal = "\(host) is draining"
        } else {
            response.accepted = true
        }
        do throws(StoreError) {
            _ = try await store.commit(
                StoreTransaction(
                    if: [.value(of: key, is: offer.bytes)],
                    then: [.put(key, response.bytes, lease: leaseNumber)]))
        } catch {}  // The owner gives up the move if it receives no response.
    }

    /// Withdraws the offer of an application to another host.
    ///
    /// The offer remains in the store if this host no longer owns the application, or if another move has replaced the
    /// offer.
    private func withdrawMove(
        of application: String, in epoch: UInt64, to target: String
    ) async {
        let key = keyspace.moveKey(application)
        do throws(StoreError) {
            // The offer may have been stored even if the reply to the request was lost.
            guard let entry = try await store.range(KeyRange(key)).entries.first,
                ClusterState.Value(entry.value)?.host == target
            else { return }
            _ = try await store.commit(
                StoreTransaction(
                    if: [
                        .createRevision(of: keyspace.ownerKey(application), is: Int64(epoch)),
                        .value(of: key, is: entry.value),
                    ], then: [.delete(key)]))
        } catch {}  // The move ends with the lease of the other host or at the next takeover.
    }

    /// Cancels the move of an application to another host.
    ///
    /// - Parameter reason: A phrase that says why the move failed.
    package func abandonMove(of application: String, because reason: String) {
        let target = moveTargets.removeValue(forKey: ExactString(application))
        moveFailures[application] = reason
        resumeWaiters(application)
        if let target, let epoch = clusterState.owners[application]?.epoch {
            // The application can launch again without waiting for the store.
            Task { await withdrawMove(of: application, in: epoch, to: target) }
        }
    }
}
