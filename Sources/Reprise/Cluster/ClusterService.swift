#if Etcd
    import CoreMetrics
    import Encryption
    import ExactText
    import Logging
    import NIOCore
    import Preservation
    import Replication
    import RepriseControl
    import Varlink
    import SavedState
    import ServiceLifecycle
    import Synchronization
    import TerminalText
    import VarlinkServing

    /// Service that runs each clustered application while this host owns it, and hands it over afterwards.
    final class ClusterService: Service, ClusterManaging {
        /// Maximum time that a handover waits for state to be replicated.
        private static let handoverTimeout = Duration.seconds(10)
        /// Maximum time that a move waits for the other host.
        static let moveTimeout = Duration.seconds(60)
        /// Maximum number of applications that are moved at the same time when this host is drained.
        ///
        /// The limit keeps the interruption of each application short.
        private static let maximumConcurrentMoves = 8
        /// Delay before this host retries a failed takeover of an application.
        private static let retryDelay = Duration.seconds(30)
        /// Interval at which the servers are checked.
        private static let serverCheckInterval = Duration.seconds(10)

        /// Period during which this host owns an application.
        private struct OwnershipPeriod {
            let application: Application
            let epoch: UInt64
            let writer: ReplicaWriter
            /// Task that replicates the saved changes.
            let replicationTask: Task<ReplicaWriter.StopReason, Never>
            /// Closure that returns whether this host can be certain that no other host is running the application.
            let isValid: @Sendable () -> Bool
            /// Whether this host accepts commands for the application.
            var acceptsCommands = false

            var bundleIdentifier: String { application.bundleIdentifier }
        }

        let settings: Configuration.Cluster
        /// Closure that returns the time for which changes are collected before they are replicated.
        private let replicationInterval: @Sendable () -> Duration
        let applications: [ExactString: Application]
        let member: ClusterMember
        let client: EtcdClient
        /// Client that writes the state of applications.
        ///
        /// The client runs on the applications' event loop, so that replicating a change does not require a thread
        /// switch. The lease is renewed through `client`, which never waits for applications.
        private let writingClient: EtcdClient
        private let clock: EventLoopClock
        private let applicationClock: EventLoopClock
        private let keys: EncryptionKeys
        private let executor: EventLoopTaskExecutor
        private let applicationExecutor: EventLoopTaskExecutor
        private let log: DaemonLog
        private let ownershipPeriods = Mutex<[ExactString: OwnershipPeriod]>([:])
        /// Sentences about problems that prevented takeovers, keyed by application.
        private let problems = Mutex<[ExactString: String]>([:])
        /// Applications that stopped when this host's lease ended, and that this host has not taken over again.
        private let stoppedApplications = Mutex<Set<ExactString>>([])
        /// Requests to check the servers.
        ///
        /// Requests that arrive during a check are combined into one.
        private let serverCheckRequests: AsyncStream<Void>
        private let serverCheckContinuation: AsyncStream<Void>.Continuation
        /// Health of the servers at the latest check.
        private let serverHealth = Mutex(EtcdServerHealth([]))
        /// Time at which the service was created.
        private let startTime: ContinuousClock.Instant

        /// Name of this host in the cluster.
        let host: String

        /// Creates the service.
        ///
        /// - Parameters:
        ///   - interval: A closure that returns the time for which changes are collected before they are replicated.
        ///   - keys: The keys that encrypt the replicated state, if encryption is configured.
        ///   - credentials: The user name, password and certificates for etcd.
        ///   - clusterFiles: The files that save the lease and the cluster's identity for the next process.
        ///   - metrics: The factory that creates the outage counter.
        ///   - clock: The clock on the event loop of the daemon's services.
        ///   - applicationClock: The clock on the applications' event loop.
        /// - Throws: `EtcdSecurity.UnusableFile` if the certificates cannot be used.
        init(
            _ settings: Configuration.Cluster, interval: @escaping @Sendable () -> Duration,
            of hostedApplications: [Application], sealedBy keys: EncryptionKeys,
            as credentials: EtcdCredentials, clusterFiles: ClusterFiles,
            metrics: any MetricsFactory, clock: EventLoopClock,
            applicationClock: EventLoopClock, log: DaemonLog
        ) throws {
            self.settings = settings
            self.replicationInterval = interval
            self.keys = keys
            self.clock = clock
            self.applicationClock = applicationClock
            self.log = log
            startTime = clock.now
            (serverCheckRequests, serverCheckContinuation) = AsyncStream.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            host = settings.host ?? LocalHost.name
            executor = EventLoopTaskExecutor(clock.loop)
            applicationExecutor = EventLoopTaskExecutor(applicationClock.loop)
            let applications = Dictionary(
                uniqueKeysWithValues:
                    hostedApplications
                    .filter { settings.includes($0.bundleIdentifier) }
                    .map { (ExactString($0.bundleIdentifier), $0) })
            self.applications = applications
            client = try Self.makeClient(settings, as: credentials, on: clock.loop)
            writingClient = try Self.makeClient(
                settings, as: credentials, on: applicationClock.loop)
            let name = settings.name
            let serverCheckContinuation = serverCheckContinuation
            let outageCounter = Counter(label: DaemonMetrics.clusterOutagesLabel, factory: metrics)
            member = ClusterMember(
                host, in: Keyspace(cluster: name), of: Set(applications.keys), by: client,
                for: settings.leaseDuration,
                savedFacts: clusterFiles.savedFacts(of: host, in: name),
                on: clock.loop.executor, clock: clock,
                report: { [log, host, executor] event in
                    log.log(event, cluster: name, host: host)
                    if case .storeUnavailable = event { outageCounter.increment() }
                    if event.needsServerCheck { serverCheckContinuation.yield() }
                    if event == .storeRestored {
                        ClusterService.replicateFullState(of: applications, on: executor)
                    }
                })
        }

        /// Creates a client for the servers of a cluster.
        private static func makeClient(
            _ settings: Configuration.Cluster, as credentials: EtcdCredentials,
            on loop: any EventLoop
        ) throws(EtcdSecurity.UnusableFile) -> EtcdClient {
            try EtcdClient(
                settings.endpoints.compactMap(EtcdEndpoint.init), as: credentials.user,
                security: credentials.security, within: .seconds(3), on: loop)
        }

        /// Starts to replicate the full state of applications, including their documents.
        private static func replicateFullState(
            of applications: [ExactString: Application], on executor: EventLoopTaskExecutor
        ) {
            for application in applications.values {
                Task(executorPreference: executor) {
                    await application.replicateFullState(includesDocuments: true)
                }
            }
        }

        // MARK: Service

        func run() async throws {
            let membership = Task(executorPreference: executor) { [member] in await member.run() }
            let serverChecks = Task(executorPreference: executor) { await self.checkServers() }
            await withGracefulShutdownHandler {
                await withDiscardingTaskGroup { group in
                    for application in applications.values {
                        group.addTask { await self.runWhenOwned(application) }
                    }
                }
            } onGracefulShutdown: {
                Task(executorPreference: self.executor) { await self.member.beginLeaving() }
            }
            await member.leave()
            membership.cancel()
            serverChecks.cancel()
            await writingClient.close()
            await client.close()
        }

        // MARK: Servers

        /// Checks the servers periodically and on request.
        private func checkServers() async {
            let timer = Task(executorPreference: executor) { [clock, serverCheckContinuation] in
                while !Task.isCancelled {
                    serverCheckContinuation.yield()
                    do { try await clock.sleep(for: Self.serverCheckInterval) } catch { return }
                }
            }
            defer { timer.cancel() }
            for await _ in serverCheckRequests { record(await client.serverStatuses()) }
        }

        /// Records the status of the servers, and logs any change.
        func record(_ servers: [EtcdServerStatus]) {
            let newHealth = EtcdServerHealth(servers)
            let oldHealth = serverHealth.withLock { serverHealth in
                defer { serverHealth = newHealth }
                return serverHealth
            }
            log.log(newHealth, after: oldHealth, count: servers.count)
        }

        /// Runs an application whenever this host owns it.
        private func runWhenOwned(_ application: Application) async {
            let name = application.bundleIdentifier
            while let epoch = await member.acquire(name) {
                guard await runWhileOwned(application, in: epoch) else {
                    await member.releaseWhileLeaseIsValid(name, in: epoch)
                    await member.waitForOtherHosts(for: Self.retryDelay, of: name)
                    continue
                }
            }
        }

        /// Runs an application during a single period of ownership.
        ///
        /// - Returns: `false` if the application could not be taken over.
        private func runWhileOwned(_ application: Application, in epoch: UInt64) async -> Bool {
            let name = application.bundleIdentifier
            let replicatedState: ReplicatedState?
            do {
                replicatedState = try await member.retryWhileLeaseIsValid {
                    try await ReplicatedState.read(
                        of: name, in: member.keyspace, sealedBy: keys, by: client)
                }
            } catch {
                if member.leaseDeadline.isValid { logProblem(name, "\(error)") }
                return false
            }
            await writingClient.requireIdentity(of: client)
            stoppedApplications.withLock { _ = $0.remove(ExactString(name)) }
            let period = beginPeriod(of: application, in: epoch, after: replicatedState)
            ownershipPeriods.withLock { $0[name] = period }
            defer { ownershipPeriods.withLock { $0[name] = nil } }
            do {
                try await launch(period, from: replicatedState?.contents)
            } catch {
                return await endPeriod(period, afterFailure: "\(error)")
            }
            let runningReport = Task(executorPreference: executor) {
                await self.reportRunning(name, epoch)
            }
            defer { runningReport.cancel() }
            while true {
                let ownershipEnd = await member.waitForEndOfOwnership(epoch, of: name)
                if ownershipEnd == .lost { return await endLostPeriod(period) }
                if await handOver(period, ownershipEnd) { return true }
            }
        }

        /// Starts to replicate the changes of an application that this host owns.
        private func beginPeriod(
            of application: Application, in epoch: UInt64, after replicatedState: ReplicatedState?
        ) -> OwnershipPeriod {
            let name = application.bundleIdentifier
            let writer = ReplicaWriter(
                ReplicaWriter.Epoch(bundleIdentifier: name, host: host, number: epoch),
                in: member.keyspace, sealedBy: keys, by: writingClient,
                interval: replicationInterval, denialTimeout: settings.leaseDuration / 2,
                clock: applicationClock,
                onProgress: { await application.replicaDidProgress() },
                requestState: { [applicationExecutor] request in
                    Task(executorPreference: applicationExecutor) {
                        await application.replicateFullState(
                            includesDocuments: request == .stateAndDocuments)
                    }
                }, onCommit: { [member] in member.recordRevision($0) })
            let replicationTask = Task(executorPreference: applicationExecutor) { [member] in
                let stopReason = await writer.run(after: replicatedState)
                if stopReason != .cancelled { await member.recordLostOwnership(name, in: epoch) }
                return stopReason
            }
            return OwnershipPeriod(
                application: application, epoch: epoch, writer: writer,
                replicationTask: replicationTask,
                isValid: { [member] in member.owns(name, in: epoch) })
        }

        private func launch(_ period: OwnershipPeriod, from contents: ReplicatedContents?)
            async throws
        {
            let (application, name) = (period.application, period.bundleIdentifier)
            // This host may lose the right to run the application while the launch is in progress.
            let ownershipMonitor = Task(executorPreference: executor) { [member] in
                if await member.waitForEndOfOwnership(period.epoch, of: name) == .lost {
                    await application.loseOwnership()
                }
            }
            defer { ownershipMonitor.cancel() }
            try await application.launchAsOwner(
                Ownership(
                    writerID: period.writer.writerID, replica: period.writer,
                    isValid: period.isValid),
                with: contents,
                onOwnership: { self.ownershipPeriods.withLock { $0[name]?.acceptsCommands = true } }
            )
            problems.withLock { $0[name] = nil }
        }

        /// Stops an application whose launch has failed.
        ///
        /// - Returns: `true` if the launch failed only because this host is no longer the owner.
        private func endPeriod(_ period: OwnershipPeriod, afterFailure reason: String) async -> Bool
        {
            ownershipPeriods.withLock { $0[period.bundleIdentifier]?.acceptsCommands = false }
            period.writer.cancel()
            await period.application.loseOwnership()
            switch await period.replicationTask.value {
            case .lost: return true
            case .cancelled where !period.isValid(): return true
            case .cancelled: logProblem(period.bundleIdentifier, reason)
            case .denied(let denial): logProblem(period.bundleIdentifier, "\(denial)")
            }
            return false
        }

        /// Stops an application that this host no longer owns.
        ///
        /// - Returns: `false` if the ownership was lost because etcd denied all writes by this host.
        private func endLostPeriod(_ period: OwnershipPeriod) async -> Bool {
            if !member.leaseDeadline.isValid {
                stoppedApplications.withLock { _ = $0.insert(ExactString(period.bundleIdentifier)) }
            }
            period.writer.cancel()
            await period.application.loseOwnership()
            if case .denied(let error) = await period.replicationTask.value {
                logProblem(period.bundleIdentifier, "\(error)")
                return false
            }
            log.log(
                .warning, .ownershipLost,
                "\(period.bundleIdentifier) stopped on this host: other hosts can run it from now on"
            )
            return true
        }

        /// Stops an application gracefully, waits until its state is replicated, and releases the application.
        ///
        /// - Returns: `false` if the application continues to run on this host.
        private func handOver(
            _ period: OwnershipPeriod, _ ownershipEnd: ClusterMember.OwnershipEnd?
        ) async
            -> Bool
        {
            let (application, name, writer) = (
                period.application, period.bundleIdentifier, period.writer
            )
            // Prevent clients from launching the application during the handover.
            ownershipPeriods.withLock { $0[name]?.acceptsCommands = false }
            do { try await application.quitUntilLaunch() } catch {}  // The error was logged.
            let isReplicated = await writer.waitUntilComplete(within: Self.handoverTimeout)
            if case .moves = ownershipEnd, !isReplicated {
                let reason = writer.progress.failure ?? "etcd does not answer"
                await member.abandonMove(
                    of: name, because: "not everything is replicated: \(reason)")
                if member.leaseDeadline.isValid {
                    // The application logs an error.
                    do { try await application.launch() } catch {}
                    ownershipPeriods.withLock { $0[name]?.acceptsCommands = true }
                    return false
                }
            }
            var target: String?
            if case .moves(let host) = ownershipEnd, isReplicated { target = host }
            await application.releaseOwnership()
            writer.cancel()
            _ = await period.replicationTask.value
            await member.releaseWhileLeaseIsValid(name, in: period.epoch, to: target)
            if let target {
                log.log(.notice, .applicationMoved, "\(name) moves to the host \(target)")
            }
            return true
        }

        /// Reports that an application is running on this host, and adds the ownership to the history.
        private func reportRunning(_ name: String, _ epoch: UInt64) async {
            do {
                try await member.retryWhileLeaseIsValid {
                    try await member.reportRunning(name, in: epoch)
                }
                let time = PreservationSettings.timeOfDay()
                try await member.retryWhileLeaseIsValid {
                    try await member.recordOwnership(of: name, in: epoch, at: time)
                }
            } catch {}  // A move then fails, because the application was not reported as running.
        }

        private func logProblem(_ name: String, _ sentence: String) {
            let isNew = problems.withLock { problems in
                defer { problems[name] = sentence }
                return problems[name] != sentence
            }
            if isNew {
                log.log(
                    .error, .notTakenOver, "\(name) is not taken over by this host: \(sentence)")
            }
        }

        // MARK: Reporting

        func ownershipError(_ application: String) -> ControlError? {
            guard applications[application] != nil else { return nil }
            if let period = ownershipPeriods.withLock({ $0[application] }), period.acceptsCommands,
                period.isValid()
            {
                return nil
            }
            let owner = member.owner(of: application)?.host
            return .ownedElsewhere(
                application: application, host: owner == host ? nil : owner,
                reason: owner == nil ? takeoverObstacle(to: application) : nil)
        }

        func describe() async -> ClusterDescription {
            let clusterState = member.clusterState
            let problem = await member.problem
            let olderStore = await member.olderStore
            let serverHealth = serverHealth.withLock(\.self)
            return .with {
                $0.name = settings.name
                $0.host = host
                $0.hosts = clusterState.hosts.sortedKeys
                $0.draining = clusterState.hosts.filter(\.value.isDraining).sortedKeys
                $0.pause = clusterState.pause.map(TakeoverPauseDescription.init)
                $0.problem = problem
                $0.warnings = serverHealth.problems + (olderStore.map { [$0.warning] } ?? [])
            }
        }

        func metrics() async -> ClusterMetrics {
            let clusterState = member.clusterState
            return ClusterMetrics(
                hasValidLease: member.leaseDeadline.isValid, hostCount: clusterState.hosts.count,
                epochs: clusterState.owners.filter { $0.value.host == host }.sorted {
                    $0.key < $1.key
                }
                .map { ($0.key.text, $0.value.epoch) },
                storeLatency: await member.storeLatency)
        }

        func ownership(of application: String) async -> OwnershipDescription? {
            guard applications[application] != nil else { return nil }
            let owner = member.owner(of: application)
            let progress = ownershipPeriods.withLock { $0[application]?.writer.progress }
            let outage = await outagePhrase(of: application)
            return .with {
                $0.host = owner?.host
                $0.epoch = owner.map { Int(clamping: $0.epoch) }
                $0.notReplicated = progress?.unreplicatedCount
                $0.problem = progress?.failure ?? outage ?? takeoverObstacle(to: application)
            }
        }

        /// Returns a phrase that explains why an application cannot run on this host while the host has no valid lease.
        ///
        /// The result is `nil` if another host owns the application, if the application has no owner, or if the daemon
        /// has only just started.
        private func outagePhrase(of application: String) async -> String? {
            if member.leaseDeadline.isValid || member.isUnowned(application) { return nil }
            let owner = member.owner(of: application)?.host
            guard owner == nil || owner == host else { return nil }
            let isStopped = stoppedApplications.withLock { $0.contains(ExactString(application)) }
            let isRecent = clock.now < startTime.advanced(by: settings.leaseDuration)
            if !isStopped, isRecent { return nil }
            return ClusterPhrases.outage(
                isStopped: isStopped, reason: await member.problem ?? "its lease expired")
        }

        /// Returns a phrase that explains why this host does not run an application, or `nil` if the reason is unknown.
        private func takeoverObstacle(to application: String) -> String? {
            let problem = problems.withLock { $0[application] }
            if member.owner(of: application)?.host == host { return problem }
            guard member.isUnowned(application) else { return nil }
            return switch member.takeoverObstacle(to: application) {
            case .paused(let lastOwner):
                ClusterPhrases.pause(preventing: application, lastOwner: lastOwner)
            case .forced(let successor):
                "the host \(successor) takes it over when the lease of its previous owner has expired"
            case .failure(let reason): problem ?? reason
            case nil: problem
            }
        }

        // MARK: Moving

        func move(_ application: String, to target: String) async throws(ControlError) {
            let clusterState = member.clusterState
            guard clusterState.hosts[target] != nil else {
                throw .noSuchHost(host: target, hosts: clusterState.hosts.sortedKeys)
            }
            guard applications[application] != nil else {
                throw .notInCluster(application: application)
            }
            if target == host { return }
            if let failure = await member.move(application, to: target, within: Self.moveTimeout) {
                throw .notMoved(application: application, host: target, reason: failure)
            }
        }

        func setDraining(_ isDraining: Bool) async throws(ControlError) -> [MovedApplication] {
            do throws(StoreError) {
                try await member.setDraining(isDraining)
            } catch {
                throw .notDrained(reason: "\(error)", staying: [])
            }
            guard isDraining else { return [] }
            let clusterState = member.clusterState
            guard let targets = clusterState.drainTargets(of: host) else {
                throw .notDrained(
                    reason: "no other host of the cluster is available",
                    staying: clusterState.applications(of: host))
            }
            let failures = await move(targets)
            // An application that moved to a host other than its target has also left this host.
            let owners = member.clusterState.owners
            let staying = failures.keys.filter { owners[$0]?.host == host }.sorted().map(\.text)
            if let first = staying.first, let reason = failures[first] {
                throw .notDrained(reason: reason, staying: staying)
            }
            return targets.map { target in
                .with {
                    $0.application = target.application
                    $0.host = owners[target.application]?.host ?? target.host
                }
            }
        }

        /// Moves applications to other hosts, ``maximumConcurrentMoves`` at a time.
        ///
        /// - Returns: The reasons why applications were not moved, keyed by application.
        private func move(
            _ targets: [(application: String, host: String)]
        ) async -> [ExactString: String] {
            await withTaskGroup(of: (String, String?).self) { group in
                var failures: [ExactString: String] = [:]
                for (index, target) in targets.enumerated() {
                    if index >= Self.maximumConcurrentMoves,
                        let (name, failure) = await group.next()
                    {
                        failures[name] = failure
                    }
                    group.addTask { [member] in
                        let failure = await member.move(
                            target.application, to: target.host, within: Self.moveTimeout)
                        return (target.application, failure)
                    }
                }
                return await group.reduce(into: failures) { $0[$1.0] = $1.1 }
            }
        }
    }
#endif
