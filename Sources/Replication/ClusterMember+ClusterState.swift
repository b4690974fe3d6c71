import ExactText
import Synchronization

// This host's copy of the cluster's state, which follows the changes in the store.
extension ClusterMember {
    /// Minimum interval at which the newest revision of the store is saved for the next process.
    private static let revisionInterval = Duration.seconds(60)

    /// Reads the cluster's state, and then applies each change that the store reports, until the task is cancelled.
    func watchClusterState() async {
        while !Task.isCancelled {
            do throws(StoreError) {
                let prefix = keyspace.clusterStatePrefix
                ownChanges = []
                let requestTime = clock.now
                let knownRevision = newestRevision.withLock(\.self)
                let reply = try await store.range(
                    KeyRange(prefix, to: prefix.endOfPrefix))
                compareWithSavedRevision(reply.storeRevision)
                checkRevision(reply.storeRevision, after: knownRevision)
                loadClusterState(reply, at: requestTime)
                try await releaseUnhostedApplications()
                try await store.watch(
                    keysBelow: prefix, from: reply.storeRevision + 1
                ) { changes in
                    self.assumeIsolated { $0.apply(changes) }
                }
            } catch {
                await sleep(.milliseconds(100))
            }
        }
    }

    /// Checks at intervals that the watch has reported all changes.
    ///
    /// The watch alone is not sufficient, because it may stop reporting changes without failing after its connection
    /// has been lost.
    func confirmClusterState() async {
        var watchReportCountAtMismatch: UInt64?
        while !Task.isCancelled, !lease.hasLeft {
            await sleep(leaseDuration / (watchReportCountAtMismatch == nil ? 4 : 20))
            let (requestTime, knownRevision) = (clock.now, newestRevision.withLock(\.self))
            do throws(StoreError) {
                let summary = try await store.summary(ofKeysBelow: keyspace.clusterStatePrefix)
                storeLatency = requestTime.duration(to: clock.now)
                checkRevision(summary.storeRevision, after: knownRevision)
                saveRevisionIfDue()
                if clusterState.matches(summary) {
                    sharedClusterState.withLock { $0.confirm(at: requestTime) }
                    dropLeaseIfSuperseded()
                    watchReportCountAtMismatch = nil
                } else if watchReportCountAtMismatch == watchReportCount {
                    // The watch has reported nothing since the last check, which found that a change was missing.
                    await store.endWatches()
                    watchReportCountAtMismatch = nil
                } else {
                    watchReportCountAtMismatch = watchReportCount
                }
            } catch {}  // The state then remains unconfirmed.
        }
    }

    /// Checks the revision that a read returned.
    ///
    /// If the revision is too low, the method reports that the store was restored from a backup.
    ///
    /// Unless the store has been restored from a backup, a read returns at least the revision of every request that
    /// completed before the read began.
    private func checkRevision(_ revision: Int64, after knownRevision: Int64) {
        let isRestored = newestRevision.withLock { newestKnownRevision in
            // If two reads both find that the store was restored, only the first reports it.
            let isRestored = revision < knownRevision && revision < newestKnownRevision
            newestKnownRevision = isRestored ? revision : max(newestKnownRevision, revision)
            return isRestored
        }
        if isRestored { report(.storeRestored) }
    }

    /// Compares the revision that the first read returned with the revision that an earlier process saved.
    private func compareWithSavedRevision(_ revision: Int64) {
        guard savedRevision == nil else { return }
        if let expectedRevision = savedFacts.revision, revision < expectedRevision {
            let detectedStore = OlderStore(revision: revision, expectedRevision: expectedRevision)
            olderStore = detectedStore
            report(.storeRestoredBeforeStart(detectedStore))
        }
        savedRevision = (0, clock.now)
    }

    /// Begins to save the newest revision if it was last saved more than ``revisionInterval`` ago.
    ///
    /// No request depends on the saved revision, so the method does not wait for the disk.
    private func saveRevisionIfDue() {
        guard !isSavingRevision, let savedRevision,
            savedRevision.time + Self.revisionInterval < clock.now
        else { return }
        isSavingRevision = true
        Task {
            await saveRevision()
            isSavingRevision = false
        }
    }

    /// Saves the newest revision for the next process if it has changed.
    func saveRevision() async {
        let revision = newestRevision.withLock(\.self)
        guard let saved = savedRevision, saved.number != revision,
            let identity = lease.clusterDataID
        else { return }
        savedRevision = (revision, clock.now)
        await savedFacts.saveRevision(revision, identity)
    }

    /// Records the revision that a write returned.
    ///
    /// Unless the store is restored from a backup, later reads return at least this revision.
    package nonisolated func recordRevision(_ revision: Int64) {
        newestRevision.withLock { $0 = max($0, revision) }
    }

    /// Replaces the cluster's state with the reply to a read of all keys, and reports the differences.
    private func loadClusterState(_ reply: RangeReply, at requestTime: ContinuousClock.Instant) {
        var loadedState = ClusterState()
        loadedState.confirm(at: requestTime)
        let loadedChanges = reply.entries.map { KeyChange($0) }
        let laterChanges = ownChanges?.filter { $0.revision > reply.storeRevision } ?? []
        for change in loadedChanges { loadedState.apply(change, in: keyspace) }
        loadedState.recordCompleteness(through: reply.storeRevision)
        for change in laterChanges { loadedState.apply(change, in: keyspace) }
        ownChanges = nil
        let (earlierHosts, earlierPause, earlierMoves) = (
            clusterState.hosts, clusterState.pause, clusterState.moves
        )
        sharedClusterState.withLock { $0 = loadedState }
        if hasReadOwners { reportHosts(after: earlierHosts) }
        hasReadOwners = true
        reportPause(after: earlierPause)
        for application in clusterState.moves.keys {
            respondToOffer(of: application.text)
            reportForcedTakeover(application.text, after: earlierMoves[application])
        }
        dropLeaseIfSuperseded()
        resumeAllWaiters()
    }

    /// Reports that a pause in automatic takeovers has begun, changed or ended.
    private func reportPause(after earlierPause: TakeoverPause?) {
        guard clusterState.pause != earlierPause else { return }
        report(
            clusterState.pause.map { .takeoversPaused($0, replacing: earlierPause) }
                ?? .takeoversResumed)
        if clusterState.pause == nil { resumeAllWaiters() }
    }

    /// Reports which other hosts have joined or left the cluster.
    private func reportHosts(after earlierHosts: [ExactString: ClusterState.Host]) {
        // A host that returns after an outage has a new lease.
        for name in clusterState.hosts.sortedKeys
        where earlierHosts[name]?.lease != clusterState.hosts[name]?.lease && name != host {
            report(.hostJoined(name))
        }
        for name in earlierHosts.sortedKeys where clusterState.hosts[name] == nil && name != host {
            report(.hostLeft(name))
        }
    }

    /// Reports a forced takeover that takes an application away from this host.
    private func reportForcedTakeover(_ application: String, after earlierMove: ClusterState.Move?)
    {
        let takeover = sharedClusterState.withLock {
            $0.moves[application] == earlierMove ? nil : $0.forcedTakeover(of: application)
        }
        if let takeover, takeover.previousHost == host { report(.takeoverForced(takeover)) }
    }

    /// Responds to an application's owner if the owner has offered the application to this host.
    private func respondToOffer(of application: String) {
        guard let owner = clusterState.owners[application], owner.host != host,
            clusterState.moves[application] == ClusterState.Move(host: host, response: nil)
        else { return }
        Task { await acceptOrRefuseMove(of: application) }
    }

    /// Applies a change that this host has made itself, before the store reports the change.
    func applyOwnChange(_ change: KeyChange) {
        ownChanges?.append(change)
        sharedClusterState.withLock { _ = $0.apply(change, in: keyspace) }
    }

    /// Applies changes that the watch has reported.
    private func apply(_ changes: [KeyChange]) {
        let (earlierHosts, earlierPause) = (clusterState.hosts, clusterState.pause)
        defer {
            reportHosts(after: earlierHosts)
            reportPause(after: earlierPause)
        }
        for change in changes {
            let move = sharedClusterState.withLock { $0.move(withKey: change.key, in: keyspace) }
            let changedApplication = sharedClusterState.withLock { $0.apply(change, in: keyspace) }
            guard let application = changedApplication else { continue }
            if change.key == keyspace.moveKey(application) {
                reportForcedTakeover(application, after: move)
            }
            resumeWaiters(application)
            respondToOffer(of: application)
        }
        if let revision = changes.last?.revision {
            sharedClusterState.withLock { $0.recordCompleteness(through: revision) }
        }
        watchReportCount += 1
        dropLeaseIfSuperseded()
    }

    /// Releases applications that an earlier process owned under the same lease but that this process may not own.
    private func releaseUnhostedApplications() async throws(StoreError) {
        for (application, owner) in clusterState.owners
        where owner.lease == lease.number && owner.host == host
            && !hostedBundleIdentifiers.contains(application)
        {
            try await release(application.text, in: owner.epoch)
        }
    }
}
