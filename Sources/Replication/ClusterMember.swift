#if Etcd
    package import ExactText
    package import NIOCore
    package import Synchronization

    /// A host's place in a cluster: its lease, and what it owns by it.
    package actor ClusterMember {
        /// Why an application is not to run here any more.
        package enum End: Sendable, Equatable {
            /// The lease could not be renewed, or another host owns the application.
            case lost
            /// It is to go to another host.
            case moves(to: String)
        }

        /// Something that an operator should know.
        package enum Incident: Sendable, Equatable {
            /// The cluster was joined, under a lease.
            case joined
            /// Etcd cannot be asked; a sentence.
            case away(String)
            /// Etcd answers again.
            case back
            /// The lease was not renewed in time: everything that ran here ends.
            case expired
            /// Another daemon has this host's name, or its lease, too.
            case nameTaken
        }

        private struct Waiter {
            var continuation: CheckedContinuation<Void, Never>
            var number: Int
        }

        /// What a host waits for each host that comes before it when an application is to be taken over.
        private static let patience = Duration.milliseconds(300)

        /// How long this host may go by its lease.
        package nonisolated let tenure: Tenure
        /// This host's name.
        package nonisolated let host: String
        package nonisolated let keyspace: Keyspace
        /// The applications that this host may own.
        private let applications: Set<ExactString>
        private nonisolated let executor: any SerialExecutor
        private let client: EtcdClient
        private let leaseLength: Duration
        private let clock: any Clock<Duration>
        private let lease: HostLease

        /// Who is there, and who owns what; as far as etcd was heard.
        package private(set) var roles = ClusterRoles() {
            didSet { view.withLock { $0 = roles } }
        }
        /// The same, from anywhere.
        package nonisolated let view = Mutex(ClusterRoles())
        private var isSynced = false
        private var isEnding = false
        private var moving: [ExactString: String] = [:]
        private var failedMoves: [ExactString: String] = [:]
        private var waiters: [ExactString: [Waiter]] = [:]
        private var lastWaiter = 0

        /// - Parameters:
        ///   - applications: those that this host may own.
        ///   - lease: one that an earlier process of this host had, and may have yet; nil: none.
        ///   - keepLease: keeps the lease's number for the next process.
        package init(
            _ host: String, in keyspace: Keyspace, of applications: Set<ExactString>,
            by client: EtcdClient, lease: Int64?, for leaseLength: Duration, on loop: any EventLoop,
            clock: any Clock<Duration>,
            keepLease: @escaping @Sendable (Int64) -> Void,
            tell: @escaping @Sendable (Incident) -> Void
        ) {
            self.host = host
            self.keyspace = keyspace
            self.applications = applications
            self.client = client
            self.leaseLength = leaseLength
            self.clock = clock
            self.lease = HostLease(
                lease, of: host, in: keyspace, by: client, for: leaseLength, keep: keepLease,
                tell: tell)
            tenure = self.lease.tenure
            executor = loop.executor
        }

        package nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        /// Why this host has no part in the cluster now, a clause; nil: it has.
        package var problem: String? { lease.problem }

        // MARK: The lease

        /// Renews the lease and follows who owns what, until it is cancelled.
        package func run() async {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.renew() }
                group.addTask { await self.endInTime() }
                group.addTask { await self.follow() }
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
                // In pieces: the timer stands still while the machine is suspended, and the tenure does not.
                await sleep(min(tenure.rest ?? leaseLength, leaseLength / 20))
                if lease.endIfOver() { wakeAll() }
            }
        }

        /// Leaves the lease to another process of this host, if there is a later one.
        private func checkProcess() {
            if lease.yieldIfTaken(by: roles.hosts[host]) { wakeAll() }
        }

        private func sleep(_ length: Duration) async {
            do { try await clock.sleep(for: length) } catch {}
        }

        // MARK: Following

        private func follow() async {
            while !Task.isCancelled {
                do throws(EtcdError) {
                    let prefix = keyspace.roles
                    early = []
                    let reply = try await client.range(
                        EtcdRange(prefix, to: prefix.endOfPrefix))
                    begin(reply)
                    try await releaseForeign()
                    try await client.watch(
                        prefix, to: prefix.endOfPrefix, from: reply.storeRevision + 1
                    ) { changes in
                        self.assumeIsolated { $0.apply(changes) }
                    }
                } catch {
                    await sleep(.milliseconds(100))
                }
            }
        }

        /// What this host did itself since it asked for all that is there: the answer may not have it. Nil: it
        /// asked for nothing.
        private var early: [EtcdChange]?

        private func begin(_ reply: EtcdRangeReply) {
            var new = ClusterRoles()
            let read = reply.entries.map { EtcdChange($0) }
            let later = early?.filter { $0.revision > reply.storeRevision } ?? []
            for change in read + later { new.apply(change, in: keyspace) }
            early = nil
            roles = new
            isSynced = true
            checkProcess()
            wakeAll()
        }

        /// What this host did itself, which it knows before etcd tells it.
        private func note(_ change: EtcdChange) {
            early?.append(change)
            roles.apply(change, in: keyspace)
        }

        private func apply(_ changes: [EtcdChange]) {
            for change in changes {
                let application = roles.apply(change, in: keyspace)
                if let application { wake(application) }
            }
            checkProcess()
        }

        /// Gives up what an earlier process owned under this lease, and this one may not own.
        private func releaseForeign() async throws(EtcdError) {
            for (application, owner) in roles.owners
            where owner.lease == lease.number && owner.host == host
                && !applications.contains(application)
            {
                try await release(application.text, in: owner.term)
            }
        }

        // MARK: Waiting

        private func wakeAll() { for name in waiters.keys { wake(name.text) } }

        private func wake(_ application: String) {
            for waiter in waiters.removeValue(forKey: ExactString(application)) ?? [] {
                waiter.continuation.resume()
            }
        }

        /// Returns when something may have changed for an application, or a time has passed.
        private func wait(for application: String, atMost limit: Duration? = nil) async {
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

        /// Returns when this host owns an application.
        ///
        /// - Returns: the term: the revision that made it the owner. Nil: the host is about to go.
        package func acquire(_ application: String) async -> UInt64? {
            while !isEnding, !Task.isCancelled {
                guard isSynced, tenure.isValid, let number = lease.number else {
                    await wait(for: application)
                    continue
                }
                if let owner = roles.owners[application] {
                    if owner.lease == number, owner.host == host { return owner.term }
                    await wait(for: application)
                    continue
                }
                let target = roles.moves[application]
                if lease.isDraining, target != host {
                    await wait(for: application)
                    continue
                }
                if target != host {
                    let delay =
                        target == nil
                        ? Self.patience * min(5, roles.rank(of: host, for: application))
                        : leaseLength
                    guard await isFree(application, goingTo: target, for: delay) else { continue }
                }
                do throws(EtcdError) {
                    if let term = try await campaign(for: application, number) {
                        moving[application] = nil
                        if !lease.isDraining || target == host { return term }
                        try await release(application, in: term)
                        continue
                    }
                } catch {}
                // Another one was faster, or it cannot be told who owns it.
                await sleep(.milliseconds(200))
            }
            return nil
        }

        /// Whether nobody owns an application for so long, and where it is to go stays the same.
        private func isFree(
            _ application: String, goingTo target: String?, for length: Duration
        ) async -> Bool {
            await lasts(length, of: application) {
                roles.owners[application] == nil && roles.moves[application] == target
            }
        }

        /// Waits for a time, or until something about an application is not so any more, or the host is about to go.
        ///
        /// - Returns: whether it was so for all of the time.
        private func lasts(
            _ length: Duration, of application: String, _ isSo: () -> Bool
        ) async -> Bool {
            let end = ContinuousClock.now.advanced(by: length)
            while isSo(), !isEnding, !Task.isCancelled {
                let rest = ContinuousClock.now.duration(to: end)
                if rest <= .zero { return true }
                await wait(for: application, atMost: rest)
            }
            return false
        }

        private func campaign(
            for application: String, _ lease: Int64
        ) async throws(EtcdError) -> UInt64? {
            let key = keyspace.owner(application)
            let reply = try await client.commit(
                EtcdTransaction(
                    if: [.createRevision(of: key, is: 0)],
                    then: [
                        .put(key, ClusterRoles.Value(host: host).bytes, lease: lease),
                        .delete(keyspace.move(application)),
                        .range(EtcdRange(key)),
                    ], otherwise: [.range(EtcdRange(key))]))
            guard let entry = reply.entries.first else { return nil }
            note(EtcdChange(entry))
            return entry.leaseNumber == lease ? UInt64(entry.createRevision) : nil
        }

        /// Leaves an application to others for a time, or until the host is about to go.
        package func pause(for length: Duration, of application: String) async {
            _ = await lasts(length, of: application) { true }
        }

        /// Tells the others that the application runs here.
        package func noteRunning(_ application: String, in term: UInt64) async throws(EtcdError) {
            guard let number = lease.number else { return }
            let key = keyspace.owner(application)
            _ = try await client.commit(
                EtcdTransaction(
                    if: [.createRevision(of: key, is: Int64(term))],
                    then: [
                        .put(
                            key, ClusterRoles.Value(host: host, running: true).bytes, lease: number)
                    ]))
        }

        /// Returns when an application that this host owns is not to run here any more; nil if the waiting
        /// is over, or the host is about to go.
        package func endOfTerm(_ term: UInt64, of application: String) async -> End? {
            while !Task.isCancelled, !isEnding {
                if !tenure.isValid { return .lost }
                if isSynced, roles.owners[application]?.term != term { return .lost }
                if let target = moving[application] { return .moves(to: target) }
                await wait(for: application)
            }
            return nil
        }

        /// Etcd says that another host owns an application.
        package func noteLost(_ application: String, in term: UInt64) {
            if roles.owners[application]?.term == term { roles.forgetOwner(of: application) }
            wake(application)
        }

        /// Gives up an application that this host owns and does not run any more.
        ///
        /// - Parameter target: the host that it is to go to; nil: any.
        package func release(
            _ application: String, in term: UInt64, to target: String? = nil
        ) async throws(EtcdError) {
            moving[application] = nil
            let key = keyspace.owner(application)
            let move = keyspace.move(application)
            var operations: [EtcdOperation] = [.delete(key)]
            if let target, let lease = roles.hosts[target]?.lease {
                let value = ClusterRoles.Value(host: target)
                operations.append(.put(move, value.bytes, lease: lease))
            }
            let look = [key, move].map { EtcdOperation.range(EtcdRange($0)) }
            let reply = try await client.commit(
                EtcdTransaction(
                    if: [.createRevision(of: key, is: Int64(term))], then: operations + look,
                    otherwise: look))
            // Etcd tells that later, and it must not be taken up again meanwhile; also if an attempt whose answer
            // was lost did it.
            if !reply.entries.contains(where: { $0.name == key }) {
                note(EtcdChange(key: key, entry: nil, revision: reply.storeRevision))
            }
            for entry in reply.entries { note(EtcdChange(entry)) }
        }

        /// The host is about to go: nobody waits for anything any more.
        package func end() {
            isEnding = true
            wakeAll()
        }

        /// Leaves the cluster: everything that it owns is free.
        package func leave() async { await lease.leave() }

        // MARK: Moving

        /// Has an application that this host owns go to another one, and returns when that runs it.
        ///
        /// - Parameter limit: how long that may take.
        /// - Returns: why it did not go; nil: it did.
        package func move(
            _ application: String, to target: String, within limit: Duration
        ) async -> String? {
            failedMoves[application] = nil
            moving[application] = target
            let term = roles.owners[application]?.term ?? 0
            wake(application)
            let end = ContinuousClock.now.advanced(by: limit)
            while true {
                if let owner = roles.owners[application], owner.term > term {
                    if owner.host != target { return "the host \(owner.host) was faster" }
                    if owner.isRunning { return nil }
                }
                if let failure = failedMoves.removeValue(forKey: ExactString(application)) {
                    return failure
                }
                let rest = ContinuousClock.now.duration(to: end)
                if rest <= .zero || Task.isCancelled || isEnding {
                    return "\(target) does not run it yet; `reprisectl status` shows its owner"
                }
                await wait(for: application, atMost: rest)
            }
        }

        /// An application does not go to another host after all; a clause says why.
        package func abandonMove(of application: String, because reason: String) {
            moving[application] = nil
            failedMoves[application] = reason
            wake(application)
        }

        /// Whether this host takes nothing over from now on.
        package func setDraining(_ isDraining: Bool) async throws(EtcdError) {
            defer { wakeAll() }
            try await lease.setDraining(isDraining)
        }
    }
#endif
