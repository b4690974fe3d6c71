package import ExactText
package import Synchronization

/// Membership of a host in a cluster, with its lease and the applications that it owns.
package actor ClusterMember {
    /// Reason why an application must no longer run on this host.
    package enum End: Sendable, Equatable {
        /// The lease was not renewed, or another host owns the application.
        case lost
        /// The application moves to another host.
        case moves(to: String)
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Void, Never>
        var number: Int
    }

    /// Time that a host waits, for each host that precedes it, before it takes over an application.
    private static let takeoverInterval = Duration.milliseconds(300)

    /// Minimum time between two occasions on which the store's revision is stored for the next process.
    private static let revisionInterval = Duration.seconds(60)

    /// Maximum time in which another host must answer a request to take over an application.
    private static let answerLimit = Duration.seconds(3)

    /// Deadline until which this host may rely on its lease.
    package nonisolated let leaseDeadline: LeaseDeadline
    /// Name of this host.
    package nonisolated let host: String
    package nonisolated let keyspace: Keyspace
    /// Bundle identifiers of the applications that this host may own.
    private let applications: Set<ExactString>
    private nonisolated let executor: any SerialExecutor
    let store: any ClusterStore
    private nonisolated let leaseLength: Duration
    nonisolated let clock: any HostClock
    let lease: HostLease
    private let memory: HostMemory
    let report: @Sendable (ClusterEvent) -> Void

    /// Hosts and owners in the cluster, as reported by the store. Only the actor changes them, in place, because copies
    /// are expensive if there are many applications.
    package nonisolated let view = Mutex(ClusterRoles())
    /// Copy of the hosts and owners in the cluster.
    package nonisolated var roles: ClusterRoles { view.withLock(\.self) }
    private var isSynced = false
    /// Number of reports from the watch.
    private var reportCount: UInt64 = 0
    private var isEnding = false
    private var moving: [ExactString: String] = [:]
    /// Reasons for the current takeovers that are not evident from the last owner, for the history of owners.
    var takeoverReasons: [ExactString: OwnerHistory.Reason] = [:]
    /// Applications that were offered to another host, which has not answered yet.
    private var offered: Set<ExactString> = []
    private var failedMoves: [ExactString: String] = [:]
    /// Errors that prevent this host from taking over applications, as sentences.
    private let failures = Mutex<[ExactString: String]>([:])
    /// Last owners of applications that this host does not take over during a pause.
    let lastOwners = Mutex<[ExactString: String]>([:])
    /// Highest revision of the store that a read of owners or a replicated change returned.
    private let newestRevision = Mutex<Int64>(0)
    /// Highest revision that is stored for the next process, and the time at which it was stored.
    private var storedRevision: (number: Int64, time: ContinuousClock.Instant)?
    /// Revisions that show that the store has become older, or `nil` if the store is not older.
    package private(set) var olderStore: OlderStore?
    private var waiters: [ExactString: [Waiter]] = [:]
    private var lastWaiter = 0
    /// Time that the store took for the last confirmation of the owners, or `nil` if there was no confirmation.
    package private(set) var storeLatency: Duration?

    /// Creates the membership of a host. ``run()`` joins the cluster.
    ///
    /// - Parameters:
    ///   - applications: Bundle identifiers of the applications that this host may own.
    ///   - memory: Facts that earlier processes of this host stored.
    ///   - executor: Executor of this actor, on which the store must report changes.
    package init(
        _ host: String, in keyspace: Keyspace, of applications: Set<ExactString>,
        by store: any ClusterStore, for leaseLength: Duration, memory: HostMemory,
        on executor: any SerialExecutor, clock: any HostClock,
        report: @escaping @Sendable (ClusterEvent) -> Void
    ) {
        self.host = host
        self.keyspace = keyspace
        self.applications = applications
        self.store = store
        self.leaseLength = leaseLength
        self.clock = clock
        self.memory = memory
        self.report = report
        self.lease = HostLease(
            of: host, in: keyspace, by: store, for: leaseLength, memory: memory, clock: clock,
            report: report)
        leaseDeadline = self.lease.deadline
        self.executor = executor
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Phrase that says why this host is not part of the cluster now or does not know the owners of applications, or
    /// `nil` if neither is the case.
    package var problem: String? {
        if let problem = lease.problem { return problem }
        if !isSynced { return "this host has not read the owners of applications from etcd yet" }
        return roles.isConfirmed(within: leaseLength, at: clock.now)
            ? nil : "etcd has not confirmed the owners of applications for \(leaseLength)"
    }

    /// Returns the owner of an application, or `nil` if the application has no owner or the owner is not known.
    ///
    /// The owner is not known if the store has not confirmed it within the length of a lease, because another host may
    /// have taken over the application since then.
    package nonisolated func owner(of application: String) -> ClusterRoles.Owner? {
        let now = clock.now
        return view.withLock {
            $0.isConfirmed(within: leaseLength, at: now) ? $0.owners[application] : nil
        }
    }

    /// Returns whether an application is known to have no owner.
    package nonisolated func isUnowned(_ application: String) -> Bool {
        let now = clock.now
        return view.withLock {
            $0.isConfirmed(within: leaseLength, at: now) && $0.owners[application] == nil
        }
    }

    /// Returns the reason why an application has no owner now, or `nil` if it has an owner, or if the owner or the
    /// reason is not known.
    package nonisolated func obstacle(to application: String) -> TakeoverObstacle? {
        guard isUnowned(application) else { return nil }
        let obstacle = view.withLock { $0.obstacle(to: application) }
        if case .paused(lastOwner: nil)? = obstacle {
            return .paused(lastOwner: lastOwners.withLock { $0[application] })
        }
        return obstacle ?? failures.withLock { $0[application] }.map(TakeoverObstacle.failure)
    }

    // MARK: The lease

    /// Renews the lease and watches the owners of applications until the task is cancelled.
    package func run() async {
        // Keys are read only after the store uses only servers that have the cluster's data.
        while !Task.isCancelled, !lease.hasLeft {
            let pause = await lease.renew()
            if lease.isIdentified { break }
            await sleep(pause)
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.renew() }
            group.addTask { await self.endInTime() }
            group.addTask { await self.follow() }
            group.addTask { await self.confirm() }
        }
    }

    private func renew() async {
        while !Task.isCancelled, !lease.hasLeft {
            let pause = await lease.renew()
            checkProcess()
            wakeAll()
            await sleep(pause)
        }
    }

    private func endInTime() async {
        while !Task.isCancelled, !lease.hasLeft {
            // The sleep is short, because the timer, unlike the lease, stops while the machine is suspended.
            await sleep(min(leaseDeadline.rest ?? leaseLength, leaseLength / 20))
            if lease.endIfOver() { wakeAll() }
        }
    }

    /// Drops the lease if a later process of this host uses it.
    private func checkProcess() {
        if lease.releaseIfSuperseded(by: roles.hosts[host], confirmed: roles.confirmed) {
            wakeAll()
        }
    }

    private func sleep(_ length: Duration) async {
        do { try await clock.sleep(for: length) } catch {}
    }

    // MARK: Following

    private func follow() async {
        while !Task.isCancelled {
            do throws(StoreError) {
                let prefix = keyspace.roles
                early = []
                let began = clock.now
                let newest = newestRevision.withLock(\.self)
                let reply = try await store.range(
                    KeyRange(prefix, to: prefix.endOfPrefix))
                compareRemembered(reply.storeRevision)
                checkRevision(reply.storeRevision, after: newest)
                begin(reply, at: began)
                try await releaseForeign()
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

    /// Confirms at intervals that all changes have been reported. A watch whose connection was dropped reports nothing
    /// and does not fail.
    private func confirm() async {
        var countAtDoubt: UInt64?
        while !Task.isCancelled, !lease.hasLeft {
            await sleep(leaseLength / (countAtDoubt == nil ? 4 : 20))
            let (began, newest) = (clock.now, newestRevision.withLock(\.self))
            do throws(StoreError) {
                let summary = try await store.summary(ofKeysBelow: keyspace.roles)
                storeLatency = began.duration(to: clock.now)
                checkRevision(summary.storeRevision, after: newest)
                if storedRevision.map({ $0.time + Self.revisionInterval < clock.now }) ?? false {
                    storeRevision()
                }
                if roles.matches(summary) {
                    view.withLock { $0.confirm(at: began) }
                    checkProcess()
                    countAtDoubt = nil
                } else if countAtDoubt == reportCount {
                    // The watch reported nothing since the last check found a missing change.
                    await store.endWatches()
                    countAtDoubt = nil
                } else {
                    countAtDoubt = reportCount
                }
            } catch {}  // The state then remains unconfirmed.
        }
    }

    /// Checks the revision that a read returned, and reports a store that was restored from a backup.
    ///
    /// A read returns at least the revision of each request that ended before the read began, unless the store was
    /// restored from a backup between the two requests.
    private func checkRevision(_ revision: Int64, after newest: Int64) {
        let isRestored = newestRevision.withLock { known in
            // Two reads may find the same restored store.
            let isRestored = revision < newest && revision < known
            known = isRestored ? revision : max(known, revision)
            return isRestored
        }
        if isRestored { report(.storeRestored) }
    }

    /// Compares the revision of the first read with the revision that an earlier process stored.
    private func compareRemembered(_ revision: Int64) {
        guard storedRevision == nil else { return }
        if let remembered = memory.revision, revision < remembered {
            let older = OlderStore(revision: revision, remembered: remembered)
            olderStore = older
            report(.storeOlder(older))
        }
        storedRevision = (0, clock.now)
    }

    /// Stores the newest revision for the next process, if it has changed.
    private func storeRevision() {
        let revision = newestRevision.withLock(\.self)
        guard let kept = storedRevision, kept.number != revision, let identity = lease.identityID
        else { return }
        memory.storeRevision(revision, identity)
        storedRevision = (revision, clock.now)
    }

    /// Records the revision that a write returned. Later reads must return at least this revision.
    package nonisolated func recordRevision(_ revision: Int64) {
        newestRevision.withLock { $0 = max($0, revision) }
    }

    /// Changes that this host has made since it requested all keys, or `nil` outside such a request.
    ///
    /// The reply may not contain these changes.
    private var early: [KeyChange]?

    private func begin(_ reply: RangeReply, at beginning: ContinuousClock.Instant) {
        var new = ClusterRoles()
        new.confirm(at: beginning)
        let read = reply.entries.map { KeyChange($0) }
        let later = early?.filter { $0.revision > reply.storeRevision } ?? []
        for change in read + later { new.apply(change, in: keyspace) }
        early = nil
        let (hosts, pause, moves) = (roles.hosts, roles.pause, roles.moves)
        view.withLock { $0 = new }
        if isSynced { reportHosts(after: hosts) }
        isSynced = true
        reportPause(after: pause)
        for application in roles.moves.keys {
            answerOffer(of: application.text)
            reportForced(application.text, after: moves[application])
        }
        checkProcess()
        wakeAll()
    }

    /// Reports if the pause of automatic takeovers has begun or ended.
    private func reportPause(after earlier: TakeoverPause?) {
        guard roles.pause != earlier else { return }
        report(roles.pause.map { .paused($0, replacing: earlier) } ?? .resumed)
        if roles.pause == nil { wakeAll() }
    }

    /// Reports other hosts that have joined or left the cluster.
    private func reportHosts(after earlier: [ExactString: ClusterRoles.Host]) {
        // A host that returns after an outage has a new lease.
        for name in roles.hosts.sortedKeys
        where earlier[name]?.lease != roles.hosts[name]?.lease && name != host {
            report(.hostJoined(name))
        }
        for name in earlier.sortedKeys where roles.hosts[name] == nil && name != host {
            report(.hostLeft(name))
        }
    }

    /// Reports if another host takes over an application of this host by force.
    private func reportForced(_ application: String, after earlier: ClusterRoles.Move?) {
        let takeover = view.withLock {
            $0.moves[application] == earlier ? nil : $0.forcedTakeover(of: application)
        }
        if let takeover, takeover.previous == host { report(.forced(takeover)) }
    }

    /// Answers the owner of an application if it has asked this host to take over the application.
    private func answerOffer(of application: String) {
        guard let owner = roles.owners[application], owner.host != host,
            roles.moves[application] == ClusterRoles.Move(host: host, answer: nil)
        else { return }
        Task { await answerMove(of: application) }
    }

    /// Applies a change that this host made itself, before the store reports the change.
    func applyOwnChange(_ change: KeyChange) {
        early?.append(change)
        view.withLock { _ = $0.apply(change, in: keyspace) }
    }

    private func apply(_ changes: [KeyChange]) {
        let (hosts, pause) = (roles.hosts, roles.pause)
        defer {
            reportHosts(after: hosts)
            reportPause(after: pause)
        }
        for change in changes {
            let move = view.withLock { $0.move(withKey: change.key, in: keyspace) }
            let changed = view.withLock { $0.apply(change, in: keyspace) }
            guard let application = changed else { continue }
            if change.key == keyspace.move(application) {
                reportForced(application, after: move)
            }
            wake(application)
            answerOffer(of: application)
        }
        reportCount += 1
        checkProcess()
    }

    /// Releases applications that an earlier process owned under this lease and that this process may not own.
    private func releaseForeign() async throws(StoreError) {
        for (application, owner) in roles.owners
        where owner.lease == lease.number && owner.host == host
            && !applications.contains(application)
        {
            try await release(application.text, in: owner.epoch)
        }
    }

    // MARK: Waiting

    private func wakeAll() { for name in waiters.keys { wake(name.text) } }

    func wake(_ application: String) {
        for waiter in waiters.removeValue(forKey: ExactString(application)) ?? [] {
            waiter.continuation.resume()
        }
    }

    /// Waits until an application's state in the cluster may have changed, or until a time limit is reached.
    func wait(for application: String, atMost limit: Duration? = nil) async {
        lastWaiter += 1
        let number = lastWaiter
        let timer = limit.map { limit in
            Task {
                await sleep(limit)
                giveUp(number, of: application)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled || isEnding { return continuation.resume() }
                waiters[application, default: []].append(
                    Waiter(continuation: continuation, number: number))
            }
        } onCancel: {
            Task { await self.giveUp(number, of: application) }
        }
        timer?.cancel()
    }

    private func giveUp(_ number: Int, of application: String) {
        guard let index = waiters[application]?.firstIndex(where: { $0.number == number })
        else { return }
        waiters[application]?.remove(at: index).continuation.resume()
    }

    // MARK: Owning

    /// Waits until this host owns an application.
    ///
    /// - Returns: The epoch, which is the revision that created the owner key, or `nil` if the host is
    ///   leaving the cluster.
    package func acquire(_ application: String) async -> UInt64? {
        while !isEnding, !Task.isCancelled {
            guard isSynced, leaseDeadline.isValid, let number = lease.number else {
                await wait(for: application)
                continue
            }
            if let owner = roles.owners[application] {
                if owner.lease == number, owner.host == host { return owner.epoch }
                await wait(for: application)
                continue
            }
            let target = roles.moves[application]?.successor
            if lease.isDraining, target != host {
                await wait(for: application)
                continue
            }
            let delay = takeoverDelay(of: application, goingTo: target)
            if delay > .zero {
                guard await isFree(application, goingTo: target, for: delay) else { continue }
            }
            do throws(StoreError) {
                if roles.pause != nil, target != host, try await !isLastOwner(of: application) {
                    if roles.pause != nil { await wait(for: application) }
                    continue
                }
                if let epoch = try await campaign(for: application, number) {
                    moving[application] = nil
                    failures.withLock { $0[application] = nil }
                    if target == host, takeoverReasons[application] == nil {
                        takeoverReasons[application] = .moved
                    }
                    if !lease.isDraining || target == host { return epoch }
                    takeoverReasons[application] = nil
                    try await release(application, in: epoch)
                    continue
                }
            } catch {
                reportObstacle(error, to: application)
            }
            // Another host was faster, or the owner is unknown.
            await sleep(.milliseconds(200))
        }
        return nil
    }

    /// Returns the time for which an application must have no owner before this host takes it over.
    ///
    /// - Parameter target: Host that takes over the application next, or `nil` if no host is chosen.
    private func takeoverDelay(of application: String, goingTo target: String?) -> Duration {
        guard let target else {
            return Self.takeoverInterval * min(5, roles.rank(of: host, for: application))
        }
        // An owner that did not release the application may run it until its lease ends.
        let forcedDelay = roles.moves[application]?.isForced == true ? leaseLength : .zero
        return target == host ? forcedDelay : forcedDelay + leaseLength
    }

    /// Stores the reason why this host cannot take over an application, and reports the reason if it is new.
    private func reportObstacle(_ obstacle: StoreError, to application: String) {
        let reason = "\(obstacle)"
        let earlier = failures.withLock { $0.updateValue(reason, forKey: ExactString(application)) }
        let isNew = earlier != reason
        // A server that cannot be reached is reported when the lease is renewed.
        guard isNew else { return }
        switch obstacle.kind {
        case .full, .denied, .refused, .malformed, .replyTooLong:
            report(.notAcquired(application: application, reason: reason))
        case .unavailable, .compacted, .otherCluster: break
        }
    }

    /// Waits for a time, and returns whether the application had no owner and the same move target
    /// throughout.
    private func isFree(
        _ application: String, goingTo target: String?, for length: Duration
    ) async -> Bool {
        await lasts(length, of: application) {
            roles.owners[application] == nil && roles.moves[application]?.successor == target
        }
    }

    /// Waits for a time, until a condition no longer holds, or until the host is leaving the cluster.
    ///
    /// - Returns: Whether the condition held for the whole time.
    private func lasts(
        _ length: Duration, of application: String, _ isSo: () -> Bool
    ) async -> Bool {
        let end = clock.now.advanced(by: length)
        while isSo(), !isEnding, !Task.isCancelled {
            let rest = clock.now.duration(to: end)
            if rest <= .zero { return true }
            await wait(for: application, atMost: rest)
        }
        return false
    }

    private func campaign(
        for application: String, _ lease: Int64
    ) async throws(StoreError) -> UInt64? {
        let key = keyspace.owner(application)
        let reply = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: 0)],
                then: [
                    .put(key, ClusterRoles.Value(host: host).bytes, lease: lease),
                    .delete(keyspace.move(application)),
                    .range(KeyRange(key)),
                ], otherwise: [.range(KeyRange(key))]))
        guard let entry = reply.entries.first else { return nil }
        applyOwnChange(KeyChange(entry))
        // Hosts whose machines were copied may have the same lease.
        guard entry.lease == lease, ClusterRoles.Value(entry.value)?.host == host else {
            return nil
        }
        return UInt64(entry.createRevision)
    }

    /// Waits for a time while other hosts may take over an application, or until this host is leaving the
    /// cluster.
    package func pause(for length: Duration, of application: String) async {
        _ = await lasts(length, of: application) { true }
    }

    /// Reports to the other hosts that the application runs on this host.
    package func reportRunning(_ application: String, in epoch: UInt64) async throws(StoreError) {
        guard let number = lease.number else { return }
        let key = keyspace.owner(application)
        _ = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: Int64(epoch))],
                then: [
                    .put(
                        key, ClusterRoles.Value(host: host, running: true).bytes, lease: number)
                ]))
    }

    /// Waits until an application that this host owns must no longer run here.
    ///
    /// - Returns: The reason, or `nil` if the task was cancelled or the host is leaving the cluster.
    package func endOfOwnership(_ epoch: UInt64, of application: String) async -> End? {
        while !Task.isCancelled, !isEnding {
            if !leaseDeadline.isValid { return .lost }
            if isSynced, !isOwner(of: application, in: epoch, accordingTo: roles) { return .lost }
            if let target = moving[application] { return .moves(to: target) }
            await wait(for: application)
        }
        return nil
    }

    /// Records that another host owns an application according to the store.
    package func recordLostOwnership(_ application: String, in epoch: UInt64) {
        if isOwner(of: application, in: epoch, accordingTo: roles) {
            view.withLock { $0.forgetOwner(of: application) }
        }
        wake(application)
    }

    /// Releases an application that this host owns but no longer runs.
    ///
    /// - Parameter target: Host to which the application moves, or `nil` for any host.
    package func release(
        _ application: String, in epoch: UInt64, to target: String? = nil
    ) async throws(StoreError) {
        moving[application] = nil
        let key = keyspace.owner(application)
        let move = keyspace.move(application)
        var operations: [StoreOperation] = [.delete(key)]
        if let target, let lease = roles.hosts[target]?.lease {
            let value = ClusterRoles.Value(host: target, accepted: true)
            operations.append(.put(move, value.bytes, lease: lease))
        } else {
            operations.append(.delete(move))
        }
        let look = [key, move].map { StoreOperation.range(KeyRange($0)) }
        let reply = try await store.commit(
            StoreTransaction(
                if: [.createRevision(of: key, is: Int64(epoch))], then: operations + look,
                otherwise: look))
        // The store reports the release later. This host must not acquire the application before then.
        // This also applies if an earlier attempt, whose reply was lost, made the change.
        if !reply.entries.contains(where: { $0.key == key }) {
            applyOwnChange(KeyChange(key: key, entry: nil, revision: reply.storeRevision))
        }
        for entry in reply.entries { applyOwnChange(KeyChange(entry)) }
    }

    /// Ends all waits, because the host is leaving the cluster.
    package func end() {
        isEnding = true
        wakeAll()
    }

    /// Revokes the lease, which releases all applications that this host owns.
    package func leave() async {
        storeRevision()
        await lease.leave()
    }

    /// Lets the lease expire, which releases all applications that this host owns, and obtains a new lease later.
    package func forfeit() async {
        await lease.forfeit()
        wakeAll()
    }

    // MARK: Moving

    /// Moves an application that this host owns to another host, and waits until that host runs it.
    ///
    /// The application stops here only after the other host has agreed to take it over.
    ///
    /// - Parameter limit: Maximum time for the move after the other host has agreed.
    /// - Returns: The reason why the move failed, or `nil` if it succeeded.
    package func move(
        _ application: String, to target: String, within limit: Duration
    ) async -> String? {
        let name = ExactString(application)
        guard moving[name] == nil, offered.insert(name).inserted else {
            return "another move of the application is in progress"
        }
        failedMoves[application] = nil
        let epoch = roles.owners[application]?.epoch ?? 0
        let refusal = await offer(application, in: epoch, to: target)
        if refusal != nil { await withdrawMove(of: application, in: epoch, to: target) }
        offered.remove(name)
        if let refusal { return refusal }
        moving[application] = target
        wake(application)
        return await arrival(of: application, on: target, after: epoch, within: limit)
    }

    /// Waits until an application runs on another host than before.
    ///
    /// - Parameter epoch: Epoch of the earlier ownership, or 0 if there was none.
    /// - Returns: The reason why the application does not run on the host, or `nil` if it runs there.
    func arrival(
        of application: String, on target: String, after epoch: UInt64, within limit: Duration
    ) async -> String? {
        let end = clock.now.advanced(by: limit)
        while true {
            if let owner = roles.owners[application], owner.epoch > epoch {
                if owner.host != target { return "the host \(owner.host) took it over first" }
                if owner.isRunning { return nil }
            }
            if let failure = failedMoves.removeValue(forKey: ExactString(application)) {
                return failure
            }
            let rest = clock.now.duration(to: end)
            if rest <= .zero || Task.isCancelled || isEnding {
                return "\(target) is not running it yet; `reprisectl status` shows its owner"
            }
            await wait(for: application, atMost: rest)
        }
    }

    /// Asks another host to take over an application that continues to run on this host.
    ///
    /// - Returns: The reason why the other host does not take it over, or `nil` if it agrees.
    private func offer(
        _ application: String, in epoch: UInt64, to target: String
    ) async -> String? {
        guard let description = roles.hosts[target] else { return "\(target) left the cluster" }
        let key = keyspace.move(application)
        do throws(StoreError) {
            let reply = try await store.commit(
                StoreTransaction(
                    if: [.createRevision(of: keyspace.owner(application), is: Int64(epoch))],
                    then: [
                        .put(
                            key, ClusterRoles.Value(host: target).bytes,
                            lease: description.lease), .range(KeyRange(key)),
                    ]))
            guard let entry = reply.entries.first else {
                return "\(host) no longer owns the application"
            }
            applyOwnChange(KeyChange(entry))
        } catch {
            return "\(error)"
        }
        let isUnanswered = await lasts(Self.answerLimit, of: application) {
            roles.moves[application] == ClusterRoles.Move(host: target, answer: nil)
        }
        guard let move = roles.moves[application], move.host == target else {
            return "\(target) left the cluster"
        }
        switch move.answer {
        case .accepted: return nil
        case .refused(let reason): return reason
        case nil where isUnanswered:
            return "\(target) did not respond within \(Self.answerLimit)"
        case nil: return "\(host) is leaving the cluster"
        }
    }

    /// Accepts or refuses to take over an application that its owner wants to move to this host.
    private func answerMove(of application: String) async {
        guard let number = lease.number else { return }
        let key = keyspace.move(application)
        let offer = ClusterRoles.Value(host: host)
        var answer = offer
        if isEnding || !leaseDeadline.isValid {
            answer.refusal = "\(host) is leaving the cluster"
        } else if !applications.contains(ExactString(application)) {
            answer.refusal = "\(host) does not host the application"
        } else if lease.isDraining {
            answer.refusal = "\(host) is draining"
        } else {
            answer.accepted = true
        }
        do throws(StoreError) {
            _ = try await store.commit(
                StoreTransaction(
                    if: [.value(of: key, is: offer.bytes)],
                    then: [.put(key, answer.bytes, lease: number)]))
        } catch {}  // The owner then gives up the move.
    }

    /// Removes a move from the store if this host still owns the application, and no other move has replaced it.
    private func withdrawMove(
        of application: String, in epoch: UInt64, to target: String
    ) async {
        let key = keyspace.move(application)
        do throws(StoreError) {
            // The offer may have been stored although its reply was lost.
            guard let entry = try await store.range(KeyRange(key)).entries.first,
                ClusterRoles.Value(entry.value)?.host == target
            else { return }
            _ = try await store.commit(
                StoreTransaction(
                    if: [
                        .createRevision(of: keyspace.owner(application), is: Int64(epoch)),
                        .value(of: key, is: entry.value),
                    ], then: [.delete(key)]))
        } catch {}  // The move ends with the lease of the other host or at the next takeover.
    }

    /// Cancels the move of an application to another host. The reason is a phrase.
    package func abandonMove(of application: String, because reason: String) {
        let target = moving.removeValue(forKey: ExactString(application))
        failedMoves[application] = reason
        wake(application)
        if let target, let epoch = roles.owners[application]?.epoch {
            // The application is launched again without waiting for the store.
            Task { await withdrawMove(of: application, in: epoch, to: target) }
        }
    }

    /// Sets whether this host is draining. A draining host takes over no further applications.
    package func setDraining(_ isDraining: Bool) async throws(StoreError) {
        defer { wakeAll() }
        try await lease.setDraining(isDraining)
    }
}
