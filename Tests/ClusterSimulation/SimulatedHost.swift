import Encryption
import ExactText
import LinuxIO
import Preservation
import Replication
import SavedState
import SimulatedDisk
import SimulatedStore
import StateRecords
import Synchronization
import TestSupport

/// Machine of a cluster. Its disk survives its processes.
final class SimulatedHost: @unchecked Sendable {
    let name: String
    let network = Network()
    private(set) var disk = SimulatedDisk()
    fileprivate let rate: Double
    /// Superseded states that the host has added to the history, keyed by application.
    private var history: [String: Changes] = [:]
    fileprivate var lease: Int64?
    fileprivate var identity: String?
    /// Process of the daemon, or `nil` if the daemon is not running.
    private(set) var process: HostProcess?
    /// Number of processes that have ended.
    private(set) var endCount = 0

    init(_ name: String, rate: Double) {
        self.name = name
        self.rate = rate
    }

    /// Starts the daemon if it is not running.
    func start(in cluster: SimulatedCluster) {
        guard process == nil else { return }
        let process = HostProcess(of: self, in: cluster)
        self.process = process
        process.start()
    }

    /// Kills the daemon immediately. Requests that it has sent may still be executed.
    func kill(in simulation: Simulation) {
        guard let process else { return }
        simulation.kill(process.executor)
        disk.setGate(nil)
        network.close()
        self.process = nil
        endCount += 1
    }

    /// Calls a closure before one of the next operations of the disk, in the middle of a job.
    func beforeDiskOperation(_ number: Int, _ body: @escaping @Sendable () -> Void) {
        let remaining = Mutex(number)
        disk.setGate { _ in
            let isDue = remaining.withLock { remaining in
                remaining -= 1
                return remaining == 0
            }
            if isDue { body() }
            return true
        }
    }

    /// Whether the host is present in the cluster, and its watches report changes.
    var isHealthy: Bool { process?.member.leaseDeadline.isValid == true && !network.hasSilentWatch }

    // MARK: Disk

    /// Separates the disk from the killed process, whose current job is still running.
    func detachDisk() { disk = disk.copy(afterPowerCut: false) }

    /// Discards writes that are not durable, as a power cut does.
    func cutPower(seed: UInt64) { disk = disk.snapshot.afterPowerCut(seed: seed) }

    /// Replaces the disk with an empty disk.
    func replaceDisk() {
        disk = SimulatedDisk()
        history = [:]
        (lease, identity) = (nil, nil)
    }

    /// Adds a superseded state to the history.
    func addToHistory(_ superseded: Changes, of application: String) {
        history[application, default: Changes()].formUnion(superseded)
    }

    /// Changes of an application on the disk, as current state or in the history.
    func saved(_ application: String) -> Changes {
        var changes = current(application)
        if let history = history[application] { changes.formUnion(history) }
        return changes
    }

    /// Changes in the current state of an application on the disk.
    func current(_ application: String) -> Changes {
        let copy = disk.copy(afterPowerCut: false)
        let archive = ApplicationArchive(bundleIdentifier: application, below: copy.root)
        do { _ = try archive.load() } catch { return Changes() }
        return Changes(archive)
    }
}

/// Process of a daemon, which runs the applications that its host owns, in the steps of `ClusterService` and
/// `Application`.
final class HostProcess: @unchecked Sendable {
    static let leaseDuration = Duration.seconds(5)

    let executor: SimulatedExecutor
    let member: ClusterMember
    private let host: SimulatedHost
    private let cluster: SimulatedCluster
    private let clock: SimulatedClock
    private let link: Link
    private var applications: [String: HostedApplication] = [:]
    private var running: Task<Void, Never>?
    private var serving: [Task<Void, Never>] = []

    fileprivate init(of host: SimulatedHost, in cluster: SimulatedCluster) {
        self.host = host
        self.cluster = cluster
        let executor = cluster.simulation.makeExecutor()
        self.executor = executor
        clock = SimulatedClock(simulation: cluster.simulation, rate: host.rate)
        link = Link(
            to: cluster.store, over: host.network, in: cluster.simulation, clock: clock,
            on: executor, bug: cluster.bug)
        let storeRestored = StoreRestoreHandler()
        member = ClusterMember(
            host.name, in: SimulatedCluster.keyspace,
            of: Set(cluster.applications.map { ExactString($0) }), by: link,
            for: Self.leaseDuration,
            savedFacts: SavedClusterFacts(
                lease: host.lease, identity: host.identity,
                saveLease: { if executor.state != .dead { host.lease = $0 } },
                saveIdentity: { if executor.state != .dead { host.identity = $0 } }),
            on: executor, clock: clock,
            report: { event in
                if event == .storeRestored { storeRestored.handle?() }
            })
        if cluster.bug == .ignoresRestoredStore { return }
        storeRestored.handle = { [self] in
            for application in applications.values { application.archive.replicateFullState() }
        }
    }

    /// Closure that is set after the member was created.
    private final class StoreRestoreHandler: @unchecked Sendable {
        var handle: (() -> Void)?
    }

    fileprivate func start() {
        running = Task(executorPreference: executor) { await self.member.run() }
        for name in cluster.applications {
            let application = HostedApplication(name, on: host.disk)
            applications[name] = application
            serving.append(
                Task(executorPreference: executor) { await self.serve(application) })
        }
    }

    /// Releases all applications, leaves the cluster and ends the process.
    func stop() {
        Task(executorPreference: executor) {
            await self.member.beginLeaving()
            for task in self.serving { await task.value }
            await self.member.leave()
            self.running?.cancel()
            if self.isAlive { self.host.kill(in: self.cluster.simulation) }
        }
    }

    /// Sets whether the host is draining, and retries until this succeeds.
    func setDraining(_ isDraining: Bool) async {
        while isAlive {
            do throws(StoreError) { return try await member.setDraining(isDraining) } catch {}
            do { try await clock.sleep(for: .milliseconds(200)) } catch { return }
        }
    }

    /// Whether the process has not ended. A job that is running when the process ends continues until it suspends.
    var isAlive: Bool { executor.state != .dead }

    /// Whether this process accepts changes to an application now.
    func serves(_ application: String) -> Bool {
        guard let ownership = applications[application]?.ownership else { return false }
        return ownership.isServed && ownership.isValid()
    }

    /// Changes in the archive of an application.
    func changes(of application: String) -> Changes {
        applications[application]?.changes ?? Changes()
    }

    /// Accepts a change, and reports when it is replicated.
    func change(_ application: String, client: Int, number: UInt64) async {
        guard serves(application), let hosted = applications[application],
            let writer = hosted.ownership?.writer
        else { return }
        checkOwners(of: application)
        let restoreCount = cluster.checker.restoreCount
        hosted.append(number, from: client)
        if cluster.simulation.numbers.happens(percent: 20) { hosted.synchronize() }
        let changes = hosted.changes
        let accepted = writer.progress.acceptedCount
        while writer.progress.replicatedCount < accepted {
            guard isAlive, hosted.ownership?.writer === writer else { return }
            await hosted.waitForProgress()
        }
        cluster.checker.recordAcknowledgment(application, changes, acceptedAfter: restoreCount)
    }

    private func checkOwners(of application: String) {
        let others = cluster.hosts.filter {
            $0 !== host && $0.process?.serves(application) == true
        }
        cluster.checker.checkSingleOwner(application, on: host.name, others: others.map(\.name))
    }

    // MARK: Serving

    private func serve(_ application: HostedApplication) async {
        while let epoch = await member.acquire(application.name) {
            guard await serve(application, in: epoch) else {
                await member.releaseWhileLeaseIsValid(application.name, in: epoch)
                await member.waitForOtherHosts(for: .seconds(5), of: application.name)
                continue
            }
        }
    }

    private func serve(_ application: HostedApplication, in epoch: UInt64) async -> Bool {
        let name = application.name
        let state: ReplicatedState?
        do { state = try await read(name) } catch { return false }
        let writer = writer(of: application, in: epoch)
        let isValid = { [member] in
            member.owns(name, in: epoch)
        }
        let writing = Task(executorPreference: executor) { [member] in
            let end = await writer.run(after: state)
            if end != .cancelled { await member.recordLostOwnership(name, in: epoch) }
            return end
        }
        guard isValid() else {
            writer.cancel()
            return await writing.value == .lost
        }
        begin(application, with: state, writer: writer, isValid: isValid)
        let reporting = Task(executorPreference: executor) {
            do {
                try await self.member.retryWhileLeaseIsValid {
                    try await self.member.reportRunning(name, in: epoch)
                }
            } catch {}  // The move then fails.
        }
        defer { reporting.cancel() }
        while true {
            let end = await member.waitForEndOfOwnership(epoch, of: name)
            if end == .lost {
                writer.cancel()
                application.loseOwnership()
                if case .denied = await writing.value { return false }
                return true
            }
            if await handOver(application, end, in: epoch, writer, writing) { return true }
        }
    }

    private func writer(
        of application: HostedApplication, in epoch: UInt64
    ) -> ReplicaWriter {
        ReplicaWriter(
            ReplicaWriter.Epoch(bundleIdentifier: application.name, host: host.name, number: epoch),
            in: SimulatedCluster.keyspace, sealedBy: .none, by: link, interval: { .zero },
            denialTimeout: Self.leaseDuration / 2, clock: clock,
            onProgress: { application.resumeWaiters() },
            requestState: { [executor] _ in
                Task(executorPreference: executor) {
                    if application.ownership != nil { application.archive.replicateFullState() }
                }
            })
    }

    private func begin(
        _ application: HostedApplication, with state: ReplicatedState?, writer: ReplicaWriter,
        isValid: @escaping () -> Bool
    ) {
        let name = application.name
        do {
            try application.adopt(
                state?.contents, writer: writer, comparesLineage: cluster.bug != .noLineage
            ) { superseded in
                guard isAlive, cluster.bug != .discardsSuperseded else { return }
                host.addToHistory(superseded, of: name)
            }
            guard isAlive else { return }
            cluster.checker.checkInitialState(name, on: host.name, with: application.changes)
            try application.launch(writer: writer, isValid: isValid)
            if isAlive, isValid() { checkOwners(of: name) }
        } catch {
            cluster.checker.report(.readable, "\(host.name) cannot run \(name): \(error)")
        }
    }

    private func handOver(
        _ application: HostedApplication, _ end: ClusterMember.OwnershipEnd?, in epoch: UInt64,
        _ writer: ReplicaWriter, _ writing: Task<ReplicaWriter.StopReason, Never>
    ) async -> Bool {
        application.ownership?.isServed = false
        do { try application.archive.close() } catch {}
        let isReplicated = await writer.waitUntilComplete(within: .seconds(10))
        if case .moves = end, !isReplicated {
            await member.abandonMove(of: application.name, because: "not replicated")
            if member.leaseDeadline.isValid {
                do { try application.archive.markOpened() } catch {}
                application.ownership?.isServed = true
                return false
            }
        }
        application.endOwnership(isReplicated: application.archive.isReplicated)
        writer.cancel()
        _ = await writing.value
        var target: String?
        if case .moves(let host) = end, isReplicated { target = host }
        await member.releaseWhileLeaseIsValid(application.name, in: epoch, to: target)
        return true
    }

    /// Reads the replicated state, or returns `nil` if there is no state.
    ///
    /// - Throws: The error that prevented the read while the lease was valid.
    private func read(_ name: String) async throws -> ReplicatedState? {
        do {
            return try await member.retryWhileLeaseIsValid {
                try await ReplicatedState.read(
                    of: name, in: SimulatedCluster.keyspace, sealedBy: .none, by: link)
            }
        } catch {
            if !(error is StoreError) {
                cluster.checker.report(.readable, "\(host.name) cannot read \(name): \(error)")
            }
            throw error
        }
    }
}

/// Application on a host, with its archive.
final class HostedApplication: @unchecked Sendable {
    /// Right to run the application.
    struct Ownership {
        let writer: ReplicaWriter
        let isValid: () -> Bool
        var isServed = true
    }

    let name: String
    let archive: ApplicationArchive
    var ownership: Ownership?
    /// Changes in the archive since this host became the owner.
    private(set) var changes = Changes()
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ name: String, on disk: SimulatedDisk) {
        self.name = name
        archive = ApplicationArchive(bundleIdentifier: name, below: disk.root)
    }

    // MARK: Waiting for replication

    func waitForProgress() async { await withCheckedContinuation { waiters.append($0) } }

    func resumeWaiters() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.resume() }
    }

    // MARK: Owning

    /// Chooses the state from which this host continues.
    ///
    /// - Parameter saveSuperseded: Called with the state of this host before it is replaced, if the chosen state does not contain
    ///   the host's state.
    func adopt(
        _ replicated: ReplicatedContents?, writer: ReplicaWriter, comparesLineage: Bool,
        saveSuperseded: (Changes) -> Void
    ) throws {
        _ = try archive.load()
        let checkpoint = try archive.replicaCheckpoint()
        let turn = archive.sceneCount == 0 ? nil : archive.lastSequenceNumber
        var precedence = StatePrecedence(turn: turn, checkpoint: checkpoint, replicated: replicated)
        if !comparesLineage, let replicated {
            precedence =
                turn ?? 0 > replicated.turn ? .local : .replicated(supersedesLocalState: true)
        }
        if case .replicated(let supersedesLocalState) = precedence, let replicated {
            if supersedesLocalState { saveSuperseded(Changes(archive)) }
            try archive.adoptReplica(replicated.archive)
            _ = try archive.load()
        }
        let lineage = precedence.lineage(
            of: writer.writerID, checkpoint: checkpoint, turn: archive.lastSequenceNumber,
            replicated: replicated)
        try archive.writeReplicaCheckpoint(ReplicaCheckpoint(lineage: lineage))
        changes = Changes(archive)
        writer.setLineage(lineage)
    }

    func launch(writer: ReplicaWriter, isValid: @escaping () -> Bool) throws {
        archive.setReplica(to: writer)
        ownership = Ownership(writer: writer, isValid: isValid)
        try archive.markOpened()
        if archive.sceneCount == 0 {
            var turn = TurnRecords()
            turn.addName("class", number: 1)
            turn.addObject(Changes.header(1, below: 0), values: [])
            turn.endPass(PassEnd(scene: 1, timestamp: 1))
            try archive.append(turn)
        }
        if archive.needsFullReplication { archive.replicateFullState() }
    }

    func append(_ number: UInt64, from client: Int) {
        var turn = TurnRecords()
        turn.addObject(
            Changes.header(Changes.object(number, from: client), below: 1),
            values: withUnsafeBytes(of: number.littleEndian) { Array($0) })
        turn.endPass(PassEnd(scene: 1, timestamp: Int64(number)))
        do { try archive.append(turn) } catch { fatalError("\(error)") }
        changes.insert(number, from: client)
    }

    /// Makes all appended records durable.
    func synchronize() {
        do { try archive.synchronize() } catch { fatalError("\(error)") }
    }

    /// Stops the application, because another host may run it.
    func loseOwnership() {
        guard ownership != nil else { return }
        let wasReplicated = archive.isReplicated
        let turn = archive.lastSequenceNumber
        do { try archive.close() } catch {}
        endOwnership(isReplicated: wasReplicated && archive.isUnchanged(since: turn))
    }

    func endOwnership(isReplicated: Bool) {
        ownership = nil
        archive.setReplica(to: nil)
        resumeWaiters()
        guard isReplicated else { return }
        do {
            guard var checkpoint = try archive.replicaCheckpoint() else { return }
            checkpoint.replicatedTurn = archive.lastSequenceNumber
            try archive.writeReplicaCheckpoint(checkpoint)
        } catch {}
    }
}

extension Changes {
    /// Number of the object that a change adds. Object 1 is the scene.
    fileprivate static func object(_ number: UInt64, from client: Int) -> UInt32 {
        UInt32(number) * UInt32(clientCount) + UInt32(client)
    }

    fileprivate static func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        ObjectHeader(
            number: number, parent: parent, kind: 0, identifier: "\(number)", classToken: 1)
    }

    /// Creates the set of the changes in replicated state.
    init(_ replicated: ReplicatedContents, of application: String) throws {
        let archive = ApplicationArchive(
            bundleIdentifier: application, below: SimulatedDisk().root)
        _ = try archive.load()
        try archive.adoptReplica(replicated.archive)
        _ = try archive.load()
        self.init(archive)
    }

    /// Creates the set of the changes in an archive.
    init(_ archive: ApplicationArchive) {
        self.init()
        let first = Self.object(1, from: 0)
        for object in first..<max(first, archive.highestObjectNumber + 1)
        where archive.object(object) != nil {
            let (number, client) = object.quotientAndRemainder(
                dividingBy: UInt32(Self.clientCount))
            insert(UInt64(number), from: Int(client))
        }
    }
}
