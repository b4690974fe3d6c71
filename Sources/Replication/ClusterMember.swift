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

    /// Task that waits for a change to an application's state in the cluster.
    private struct Waiter {
        var continuation: CheckedContinuation<Void, Never>
        var waiterNumber: Int
    }

    /// Time until which this host may rely on its lease.
    package nonisolated let leaseDeadline: LeaseDeadline
    /// Name of this host.
    package nonisolated let host: String
    package nonisolated let keyspace: Keyspace
    /// Bundle identifiers of the applications that this host may own.
    let hostedBundleIdentifiers: Set<ExactString>
    private nonisolated let executor: any SerialExecutor
    let store: any ClusterStore
    nonisolated let leaseDuration: Duration
    nonisolated let clock: any SuspendAwareClock
    let lease: HostLease
    let savedFacts: SavedClusterFacts
    let report: @Sendable (ClusterEvent) -> Void

    /// Hosts and owners in the cluster, as reported by the store.
    ///
    /// Only the actor changes this value, and does so in place, because copying the value is expensive if there are
    /// many applications.
    package nonisolated let sharedClusterState = Mutex(ClusterState())
    /// A copy of ``sharedClusterState``.
    package nonisolated var clusterState: ClusterState { sharedClusterState.withLock(\.self) }
    /// Whether this process has read the owners of applications.
    var hasReadOwners = false
    /// Number of times that the watch has reported changes.
    var watchReportCount: UInt64 = 0
    /// Whether the host is leaving the cluster, so that no task may wait any longer.
    var isLeaving = false
    /// Hosts that have accepted applications from this host, keyed by application.
    var moveTargets: [ExactString: String] = [:]
    /// Reasons to record in the owner histories for this host's latest takeovers, keyed by application.
    ///
    /// An application has an entry only if a move or an operator determined that this host takes it over.
    var takeoverReasons: [ExactString: OwnerHistory.Reason] = [:]
    /// Applications that this host has offered to other hosts, and for which no response has arrived yet.
    var pendingOffers: Set<ExactString> = []
    /// Reasons why moves to other hosts failed, keyed by application.
    var moveFailures: [ExactString: String] = [:]
    /// Sentences about errors that prevent this host from taking over applications, keyed by application.
    let takeoverFailures = Mutex<[ExactString: String]>([:])
    /// Last owners of applications, as read from the owner histories during a pause.
    let lastOwners = Mutex<[ExactString: String]>([:])
    /// Highest revision of the store that this process has seen.
    let newestRevision = Mutex<Int64>(0)
    /// Revision that was last saved for the next process, and the time at which it was saved.
    var savedRevision: (number: Int64, time: ContinuousClock.Instant)?
    /// Whether a revision is being saved, which can take long if the disk stalls.
    var isSavingRevision = false
    /// Revisions that prove that the store was restored from a backup before this process started, or `nil` if no
    /// restore was detected.
    package internal(set) var olderStore: OlderStore?
    /// Changes that this host has made since it began to read all keys, or `nil` if it is not reading all keys.
    ///
    /// The reply to that read may lack these changes.
    var ownChanges: [KeyChange]?
    private var waiters: [ExactString: [Waiter]] = [:]
    private var lastWaiterNumber = 0
    /// Time that the store took to reply to the latest check of the owners, or `nil` if it has not replied yet.
    package internal(set) var storeLatency: Duration?

    /// Creates a host's membership.
    ///
    /// The host joins the cluster when ``run()`` is called.
    ///
    /// - Parameters:
    ///   - hostedBundleIdentifiers: The bundle identifiers of the applications that this host may own.
    ///   - savedFacts: The facts that earlier processes on this host saved.
    ///   - executor: The executor on which this actor runs and on which the store must report changes.
    package init(
        _ host: String, in keyspace: Keyspace, of hostedBundleIdentifiers: Set<ExactString>,
        by store: any ClusterStore, for leaseDuration: Duration, savedFacts: SavedClusterFacts,
        on executor: any SerialExecutor, clock: any SuspendAwareClock,
        report: @escaping @Sendable (ClusterEvent) -> Void
    ) {
        self.host = host
        self.keyspace = keyspace
        self.hostedBundleIdentifiers = hostedBundleIdentifiers
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

    // MARK: Lease

    /// Renews the lease and watches the applications' owners until the task is cancelled.
    package func run() async {
        // Keys are read only after the store has been restricted to servers that have the cluster's data.
        while !Task.isCancelled, !lease.hasLeft {
            let renewalDelay = await lease.renew()
            if lease.hasIdentifiedStore { break }
            await sleep(renewalDelay)
        }
        guard lease.hasIdentifiedStore else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.renewLeaseRepeatedly() }
            group.addTask { await self.enforceLeaseDeadline() }
            group.addTask { await self.watchClusterState() }
            group.addTask { await self.confirmClusterState() }
        }
    }

    private func renewLeaseRepeatedly() async {
        while !Task.isCancelled, !lease.hasLeft {
            let renewalDelay = await lease.renew()
            dropLeaseIfSuperseded()
            resumeAllWaiters()
            await sleep(renewalDelay)
        }
    }

    /// Drops the lease when its deadline has passed.
    private func enforceLeaseDeadline() async {
        while !Task.isCancelled, !lease.hasLeft {
            // The sleep is short, because the timer stops while the machine is suspended, but the lease does not.
            await sleep(min(leaseDeadline.remainingTime ?? leaseDuration, leaseDuration / 20))
            if lease.dropIfExpired() { resumeAllWaiters() }
        }
    }

    /// Drops the lease if a later process with this host's name is using it.
    func dropLeaseIfSuperseded() {
        if lease.dropIfSuperseded(
            by: clusterState.hosts[host], lastConfirmation: clusterState.lastConfirmation)
        {
            resumeAllWaiters()
        }
    }

    func sleep(_ duration: Duration) async {
        do { try await clock.sleep(for: duration) } catch {}
    }

    // MARK: Leaving

    /// Resumes all waiting tasks, because the host is leaving the cluster.
    package func beginLeaving() {
        isLeaving = true
        resumeAllWaiters()
    }

    /// Revokes the lease, which releases all applications that this host owns.
    package func leave() async {
        // A stalled disk must not prevent other hosts from taking over the applications.
        await lease.leave()
        await saveRevision()
    }

    /// Gives up the lease, which releases all applications that this host owns.
    ///
    /// The host obtains a new lease later.
    package func forfeit() async {
        await lease.forfeit()
        resumeAllWaiters()
    }

    /// Sets whether this host is draining. A draining host takes over no further applications.
    package func setDraining(_ isDraining: Bool) async throws(StoreError) {
        defer { resumeAllWaiters() }
        try await lease.setDraining(isDraining)
    }

    // MARK: Waiting

    func resumeAllWaiters() { for name in waiters.keys { resumeWaiters(name.text) } }

    func resumeWaiters(_ application: String) {
        for waiter in waiters.removeValue(forKey: ExactString(application)) ?? [] {
            waiter.continuation.resume()
        }
    }

    /// Waits until an application's state in the cluster may have changed, or until a time limit has passed.
    func wait(for application: String, atMost timeout: Duration? = nil) async {
        lastWaiterNumber += 1
        let waiterNumber = lastWaiterNumber
        let timer = timeout.map { timeout in
            Task {
                await sleep(timeout)
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

    /// Waits until a given time has passed, a condition no longer holds, or the host is leaving the cluster.
    ///
    /// - Returns: Whether the time has passed and the condition held throughout.
    func waitWhile(
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

    private func resumeWaiter(_ waiterNumber: Int, of application: String) {
        guard
            let index = waiters[application]?.firstIndex(where: { $0.waiterNumber == waiterNumber })
        else { return }
        waiters[application]?.remove(at: index).continuation.resume()
    }
}
