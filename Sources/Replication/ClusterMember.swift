package import ExactText
package import Synchronization

/// A host's membership in a cluster, with the host's lease and the applications that it owns.
package actor ClusterMember {
    /// Reason why an application must no longer run on this host.
    package enum OwnershipEnd: Sendable, Equatable {
        /// The lease was not renewed in time, or another host owns the application.
        case lost
        /// The application is moving to another host.
        case moves(to: String)
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Void, Never>
        var waiterNumber: Int
    }

    /// Additional delay before a takeover for each other host that takes precedence.
    private static let takeoverInterval = Duration.milliseconds(300)

    /// Minimum interval at which the newest revision of the store is saved for the next process.
    private static let revisionInterval = Duration.seconds(60)

    /// Time within which another host must respond to an offer to take over an application.
    private static let offerTimeout = Duration.seconds(3)

    /// Time until which this host may rely on its lease.
    package nonisolated let leaseDeadline: LeaseDeadline
    /// Name of this host.
    package nonisolated let host: String
    package nonisolated let keyspace: Keyspace
    /// Bundle identifiers of the applications that this host may own.
    private let applications: Set<ExactString>
    private nonisolated let executor: any SerialExecutor
    let store: any ClusterStore
    private nonisolated let leaseDuration: Duration
    nonisolated let clock: any SuspendAwareClock
    let lease: HostLease
    private let savedFacts: SavedClusterFacts
    let report: @Sendable (ClusterEvent) -> Void

    /// Hosts and owners in the cluster, as reported by the store.
    ///
    /// Only the actor changes this value, and does so in place, because copying the value is expensive if there are
    /// many applications.
    package nonisolated let sharedClusterState = Mutex(ClusterState())
    /// A copy of ``sharedClusterState``.
    package nonisolated var clusterState: ClusterState { sharedClusterState.withLock(\.self) }
    private var hasReadOwners = false
    /// Number of times that the watch has reported changes.
    private var watchReportCount: UInt64 = 0
    private var isLeaving = false
    private var moveTargets: [ExactString: String] = [:]
    /// Reasons to record in the owner histories for the takeovers in progress, keyed by application.
    ///
    /// An application has an entry only if the reason cannot be determined from its previous owner.
    var takeoverReasons: [ExactString: OwnerHistory.Reason] = [:]
    /// Applications that this host has offered to other hosts, which have not responded yet.
    private var pendingOffers: Set<ExactString> = []
    private var moveFailures: [ExactString: String] = [:]
    /// Sentences about errors that prevent this host from taking over applications, keyed by application.
    private let takeoverFailures = Mutex<[ExactString: String]>([:])
    /// Last owners of applications, as read from the owner histories during a pause.
    let lastOwners = Mutex<[ExactString: String]>([:])
    /// Highest store revision that a read of the owners or a replicated change has returned.
    private let newestRevision = Mutex<Int64>(0)
    /// Revision that was last saved for the next process, and the time at which it was saved.
    private var savedRevision: (number: Int64, time: ContinuousClock.Instant)?
    /// Revisions that prove that the store was restored from a backup before this process started, or `nil` if no
    /// restore was detected.
    package private(set) var olderStore: OlderStore?
    private var waiters: [ExactString: [Waiter]] = [:]
    private var lastWaiterNumber = 0
    /// Time that the store took to reply to the latest check of the owners, or `nil` if it has not replied yet.
    package private(set) var storeLatency: Duration?

    /// Creates a host's membership.
    ///
    /// The host joins the cluster when ``run()`` is called.
    ///
    /// - Parameters:
    ///   - applications: The bundle identifiers of the applications that this host may own.
    ///   - savedFacts: The facts that earlier processes on this host saved.
    ///   - executor: The executor on which this actor runs and on which the store must report changes.
    package init(
        _ host: String, in keyspace: Keyspace, of applications: Set<ExactString>,
        by store: any ClusterStore, for leaseDuration: Duration, savedFacts: SavedClusterFacts,
        on executor: any SerialExecutor, clock: any SuspendAwareClock,
        report: @escaping @Sendable (ClusterEvent) -> Void
    ) {
        self.host = host
        self.keyspace = keyspace
        self.applications = applications
        self.store = store
        self.leaseDuration = leaseDuration
        self.clock = clock
        self.savedFacts = savedFacts
        self.report = report
        self.lease = HostLease(
            of: host, in: keyspace, by: store, for: leaseDuration, savedFacts: savedFacts,
            clock: clock,
            report: report)
        leaseDeadline = self.lease.deadline
        self.executor = executor
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Phrase that says why this host is not part of the cluster or does not know the owners of applications, or `nil`
    /// if there is no such problem.
    package var problem: String? {
        if let problem = lease.problem { return problem }
        if !hasReadOwners {
            return "this host has not read the owners of applications from etcd yet"
        }
        return clusterState.isConfirmed(within: leaseDuration, at: clock.now)
            ? nil : "etcd has not confirmed the owners of applications for \(leaseDuration)"
    }

    /// Returns an application's owner, or `nil` if the application has no owner or the owner is not known.
    ///
    /// The owner counts as unknown if the store has not confirmed it within the last lease duration, because another
    /// host may have taken over the application in the meantime.
    package nonisolated func owner(of application: String) -> ClusterState.Owner? {
        let now = clock.now
        return sharedClusterState.withLock {
            $0.isConfirmed(within: leaseDuration, at: now) ? $0.owners[application] : nil
        }
    }

    /// Returns whether an application is known to have no owner.
    package nonisolated func isUnowned(_ application: String) -> Bool {
        let now = clock.now
        return sharedClusterState.withLock {
            $0.isConfirmed(within: leaseDuration, at: now) && $0.owners[application] == nil
        }
    }

    /// Returns the reason why an application has no owner, or `nil` if the reason is not known.
    ///
    /// The result is also `nil` if the application has an owner, or if its owner is not known.
    package nonisolated func takeoverObstacle(to application: String) -> TakeoverObstacle? {
        guard isUnowned(application) else { return nil }
        let takeoverObstacle = sharedClusterState.withLock { $0.takeoverObstacle(to: application) }
        if case .paused(lastOwner: nil)? = takeoverObstacle {
            return .paused(lastOwner: lastOwners.withLock { $0[application] })
        }
        return takeoverObstacle
            ?? takeoverFailures.withLock { $0[application] }.map(TakeoverObstacle.failure)
    }

    // MARK: The lease

    /// Renews the lease and watches the applications' owners until the task is cancelled.
    package func run() async {
        // Keys are read only after the store has been restricted to servers that have the cluster's data.
        while !Task.isCancelled, !lease.hasLeft {
            let pause = await lease.renew()
            if lease.isIdentified { break }
            await sleep(pause)
        }
        guard lease.isIdentified else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.renewLeaseRepeatedly() }
            group.addTask { await self.enforceLeaseDeadline() }
            group.addTask { await self.watchClusterState() }
            group.addTask { await self.confirmClusterState() }
        }
    }

    private func renewLeaseRepeatedly() async {
        while !Task.isCancelled, !lease.hasLeft {
            let pause = await lease.renew()
            dropLeaseIfSuperseded()
            resumeAllWaiters()
            await sleep(pause)
        }
    }

    private func enforceLeaseDeadline() async {
        while !Task.isCancelled, !lease.hasLeft {
            // The sleep is short, because the timer stops while the machine is suspended, but the lease does not.
            await sleep(min(leaseDeadline.remaining ?? leaseDuration, leaseDuration / 20))
            if lease.dropIfExpired() { resumeAllWaiters() }
        }
    }

    /// Drops the lease if a later process with this host's name is using it.
    private func dropLeaseIfSuperseded() {
        if lease.dropIfSuperseded(
            by: clusterState.hosts[host], lastConfirmation: clusterState.lastConfirmation)
        {
            resumeAllWaiters()
        }
    }

    private func sleep(_ duration: Duration) async {
        do { try await clock.sleep(for: duration) } catch {}
    }

    // MARK: Following

    private func watchClusterState() async {
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
    /// The watch alone is not sufficient. After its connection has been lost, it may stop reporting changes without
    /// failing.
    private func confirmClusterState() async {
        var watchReportCountAtMismatch: UInt64?
        while !Task.isCancelled, !lease.hasLeft {
            await sleep(leaseDuration / (watchReportCountAtMismatch == nil ? 4 : 20))
            let (requestTime, knownRevision) = (clock.now, newestRevision.withLock(\.self))
            do throws(StoreError) {
                let summary = try await store.summary(ofKeysBelow: keyspace.clusterStatePrefix)
                storeLatency = requestTime.duration(to: clock.now)
                checkRevision(summary.storeRevision, after: knownRevision)
                if savedRevision.map({ $0.time + Self.revisionInterval < clock.now }) ?? false {
                    saveRevision()
                }
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

    /// Checks the revision that a read returned, and reports that the store was restored from a backup if the revision
    /// is too low.
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
            report(.storeOlder(detectedStore))
        }
        savedRevision = (0, clock.now)
    }

    /// Saves the newest revision for the next process if it has changed.
    private func saveRevision() {
        let revision = newestRevision.withLock(\.self)
        guard let saved = savedRevision, saved.number != revision, let identity = lease.identityID
        else { return }
        savedFacts.saveRevision(revision, identity)
        savedRevision = (revision, clock.now)
    }

    /// Records the revision that a write returned.
    ///
    /// Unless the store is restored from a backup, later reads return at least this revision.
    package nonisolated func recordRevision(_ revision: Int64) {
        newestRevision.withLock { $0 = max($0, revision) }
    }

    /// Changes that this host has made since it began to read all keys, or `nil` if it is not reading all keys.
    ///
    /// The reply to that read may lack these changes.
    private var ownChanges: [KeyChange]?

    private func loadClusterState(_ reply: RangeReply, at requestTime: ContinuousClock.Instant) {
        var loadedState = ClusterState()
        loadedState.confirm(at: requestTime)
        let loadedChanges = reply.entries.map { KeyChange($0) }
        let laterChanges = ownChanges?.filter { $0.revision > reply.storeRevision } ?? []
        for change in loadedChanges + laterChanges { loadedState.apply(change, in: keyspace) }
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
        report(clusterState.pause.map { .paused($0, replacing: earlierPause) } ?? .resumed)
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
        if let takeover, takeover.previousHost == host { report(.forced(takeover)) }
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
        watchReportCount += 1
        dropLeaseIfSuperseded()
    }

    /// Releases applications that an earlier process owned under the same lease but that this process may not own.
    private func releaseUnhostedApplications() async throws(StoreError) {
        for (application, owner) in clusterState.owners
        where owner.lease == lease.number && owner.host == host
            && !applications.contains(application)
        {
            try await release(application.text, in: owner.epoch)
        }
    }

    // MARK: Waiting

    private func resumeAllWaiters() { for name in waiters.keys { resumeWaiters(name.text) } }

    func resumeWaiters(_ application: String) {
        for waiter in waiters.removeValue(forKey: ExactString(application)) ?? [] {
            waiter.continuation.resume()
        }
    }

    /// Waits until an application's state in the cluster may have changed, or until a time limit has passed.
    func wait(for application: String, atMost limit: Duration? = nil) async {
        lastWaiterNumber += 1
        let waiterNumber = lastWaiterNumber
        let timer = limit.map { limit in
            Task {
                await sleep(limit)
                resumeWaiter(waiterNumber, of: application)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled || isLeaving { return continuation.resume() }
                waiters[application, default: []].append(
                    Waiter(continuation: continuation, waiterNumber: waiterNumber))
            }
        } onCancel: {
            Task { await self.resumeWaiter(waiterNumber, of: application) }
        }
        timer?.cancel()
    }

    private func resumeWaiter(_ waiterNumber: Int, of application: String) {
        guard
            let index = waiters[application]?.firstIndex(where: { $0.waiterNumber == waiterNumber })
        else { return }
        waiters[application]?.remove(at: index).continuation.resume()
    }

    // MARK: Owning

    /// Waits until this host owns an application.
    ///
    /// - Returns: The epoch, which is the revision at which the owner key was created, or `nil` if the host is leaving
    ///   the cluster.
    package func acquire(_ application: String) async -> UInt64? {
        // Epoch in which this host became the owner although it had begun to drain before the store replied.
        var unwantedEpoch: UInt64?
        while !isLeaving, !Task.isCancelled {
            guard hasReadOwners, leaseDeadline.isValid, let leaseNumber = lease.number else {
                await wait(for: application)
                continue
            }
            if let owner = clusterState.owners[application] {
                if owner.lease == leaseNumber, owner.host == host {
                    if owner.epoch != unwantedEpoch { return owner.epoch }
                    await releaseUnwanted(application, in: owner.epoch)
                } else {
                    await wait(for: application)
                }
                continue
            }
            let target = clusterState.moves[application]?.successor
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
                if clusterState.pause != nil, target != host,
                    try await !allowsTakeoverDuringPause(of: application)
                {
                    if clusterState.pause != nil { await wait(for: application) }
                    continue
                }
                if let epoch = try await createOwnerKey(of: application, leaseNumber) {
                    recordTakeover(of: application, goingTo: target)
                    if !lease.isDraining || target == host { return epoch }
                    takeoverReasons[application] = nil
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

    /// Clears the recorded failure of an application that this host has just taken over, and records the reason if the
    /// application was moved.
    ///
    /// - Parameter target: The host chosen to take over the application, or `nil` if there was none.
    private func recordTakeover(of application: String, goingTo target: String?) {
        moveTargets[application] = nil
        takeoverFailures.withLock { $0[application] = nil }
        if target == host, takeoverReasons[application] == nil {
            takeoverReasons[application] = .moved
        }
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
    /// - Parameter target: The host chosen to take over the application next, or `nil` if there is none.
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

    /// Waits for a given time, and returns whether the application had no owner and the same target throughout.
    private func remainsUnowned(
        _ application: String, goingTo target: String?, for duration: Duration
    ) async -> Bool {
        await waitWhile(duration, of: application) {
            clusterState.owners[application] == nil
                && clusterState.moves[application]?.successor == target
        }
    }

    /// Waits until a given time has passed, a condition no longer holds, or the host is leaving the cluster.
    ///
    /// - Returns: Whether the time has passed and the condition held throughout.
    private func waitWhile(
        _ duration: Duration, of application: String, _ condition: () -> Bool
    ) async -> Bool {
        let deadline = clock.now.advanced(by: duration)
        while condition(), !isLeaving, !Task.isCancelled {
            let remainingTime = clock.now.duration(to: deadline)
            if remainingTime <= .zero { return true }
            await wait(for: application, atMost: remainingTime)
        }
        return false
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

    /// Waits until an application that this host owns must no longer run here.
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

    /// Records that this host no longer owns an application, according to the store.
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
        // The release is applied here immediately, so that this host does not consider itself the owner until the store
        // reports the release. An earlier attempt may have made the change although its reply was lost.
        if !reply.entries.contains(where: { $0.key == key }) {
            applyOwnChange(KeyChange(key: key, entry: nil, revision: reply.storeRevision))
        }
        for entry in reply.entries { applyOwnChange(KeyChange(entry)) }
    }

    /// Resumes all waiting tasks, because the host is leaving the cluster.
    package func beginLeaving() {
        isLeaving = true
        resumeAllWaiters()
    }

    /// Revokes the lease, which releases all applications that this host owns.
    package func leave() async {
        saveRevision()
        await lease.leave()
    }

    /// Gives up the lease, which releases all applications that this host owns.
    ///
    /// The host obtains a new lease later.
    package func forfeit() async {
        await lease.forfeit()
        resumeAllWaiters()
    }

    // MARK: Moving

    /// Moves an application that this host owns to another host, and waits until it runs there.
    ///
    /// The application stops on this host only after the other host has accepted it.
    ///
    /// - Parameter limit: The time limit for the move, counted from the other host's acceptance.
    /// - Returns: The reason why the move failed, or `nil` if the move succeeded.
    package func move(
        _ application: String, to target: String, within limit: Duration
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
        return await waitForArrival(of: application, on: target, after: epoch, within: limit)
    }

    /// Waits until an application is running on the host that takes it over.
    ///
    /// - Parameter epoch: The epoch of the previous ownership, or 0 if the application had no owner.
    /// - Returns: The reason why the application is not running on the host, or `nil` if it is running there.
    func waitForArrival(
        of application: String, on target: String, after epoch: UInt64, within limit: Duration
    ) async -> String? {
        let deadline = clock.now.advanced(by: limit)
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

    /// Offers an application that continues to run on this host to another host.
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
    private func acceptOrRefuseMove(of application: String) async {
        guard let leaseNumber = lease.number else { return }
        let key = keyspace.moveKey(application)
        let offer = ClusterState.Value(host: host)
        var response = offer
        if isLeaving || !leaseDeadline.isValid {
            response.refusal = "\(host) is leaving the cluster"
        } else if !applications.contains(ExactString(application)) {
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

    /// Removes a move from the store, provided that this host still owns the application and no other move has replaced
    /// it.
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

    /// Sets whether this host is draining, in which case it takes over no further applications.
    package func setDraining(_ isDraining: Bool) async throws(StoreError) {
        defer { resumeAllWaiters() }
        try await lease.setDraining(isDraining)
    }
}
