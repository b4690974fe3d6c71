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

/// Machine of a cluster, with a disk that survives its processes.
final class SimulatedHost: @unchecked Sendable {
    let name: String
    let network = Network()
    let disk = SimulatedDisk()
    fileprivate let rate: Double
    /// Superseded states that the host has added to the history, by application.
    fileprivate(set) var history: [String: [Numbers]] = [:]
    fileprivate var lease: Int64?
    fileprivate var identity: String?
    /// The daemon, or `nil` if it was killed.
    private(set) var process: HostProcess?

    init(_ name: String, rate: Double) {
        self.name = name
        self.rate = rate
    }

    /// Starts the daemon, unless it is running.
    func start(in cluster: SimulatedCluster) {
        guard process == nil else { return }
        let process = HostProcess(of: self, in: cluster)
        self.process = process
        process.start()
    }

    /// Kills the daemon. Requests that it has sent may still be executed.
    func kill(in simulation: Simulation) {
        if let process { simulation.kill(process.executor) }
        process = nil
    }

    /// State of an application on the disk.
    func saved(_ application: String) -> Numbers {
        let archive = ApplicationArchive(bundleIdentifier: application, below: disk.root)
        do { _ = try archive.load() } catch { return Numbers() }
        return Numbers(archive)
    }
}

/// One process of a daemon, which runs each application that its host owns, in the steps of `ClusterService` and
/// `Application`.
final class HostProcess: @unchecked Sendable {
    private static let leaseLength = Duration.seconds(5)

    let executor: SimulatedExecutor
    let member: ClusterMember
    private let host: SimulatedHost
    private let cluster: SimulatedCluster
    private let clock: SimulatedClock
    private let link: Link
    private var applications: [String: HostedApplication] = [:]

    fileprivate init(of host: SimulatedHost, in cluster: SimulatedCluster) {
        self.host = host
        self.cluster = cluster
        let executor = cluster.simulation.makeExecutor()
        self.executor = executor
        clock = SimulatedClock(simulation: cluster.simulation, rate: host.rate)
        link = Link(
            to: cluster.store, over: host.network, in: cluster.simulation, on: executor,
            control: cluster.control)
        let setBack = SetBackHandler()
        member = ClusterMember(
            host.name, in: SimulatedCluster.keyspace,
            of: Set(cluster.applications.map { ExactString($0) }), by: link,
            for: Self.leaseLength,
            memory: HostMemory(
                lease: host.lease, identity: host.identity, keepLease: { host.lease = $0 },
                keepIdentity: { host.identity = $0 }),
            on: executor, clock: clock,
            tell: { incident in
                if incident == .storeRestored { setBack.handle?() }
            })
        setBack.handle = { [self] in
            for application in applications.values { application.archive.replicateWhole() }
        }
    }

    /// Closure that is set after the member was created.
    private final class SetBackHandler: @unchecked Sendable {
        var handle: (() -> Void)?
    }

    fileprivate func start() {
        Task(executorPreference: executor) { await self.member.run() }
        for name in cluster.applications {
            let application = HostedApplication(name, on: host.disk)
            applications[name] = application
            Task(executorPreference: executor) { await self.serve(application) }
        }
    }

    /// Whether this process accepts changes to an application now.
    func serves(_ application: String) -> Bool {
        guard let owned = applications[application]?.owned else { return false }
        return owned.isServed && owned.isValid()
    }

    /// Accepts a change, and reports when it is replicated.
    func change(_ application: String, client: Int, to number: UInt64) async {
        guard serves(application), let hosted = applications[application],
            let writer = hosted.owned?.writer
        else { return }
        cluster.checker.accepted(
            application, on: host.name,
            others: cluster.hosts.filter { $0 !== host && $0.process?.serves(application) == true }
                .map(\.name))
        let setBackCount = cluster.checker.setBackCount
        hosted.append(number, from: client)
        let taken = writer.progress.taken
        while writer.progress.replicated < taken {
            guard hosted.owned?.writer === writer else { return }
            await hosted.progress()
        }
        cluster.checker.acknowledged(
            application, client: client, number, acceptedAfter: setBackCount)
    }

    // MARK: Serving

    private func serve(_ application: HostedApplication) async {
        while let term = await member.acquire(application.name) {
            guard await serve(application, in: term) else {
                await member.releaseWhileLeaseIsValid(application.name, in: term)
                await member.pause(for: .seconds(5), of: application.name)
                continue
            }
        }
    }

    private func serve(_ application: HostedApplication, in term: UInt64) async -> Bool {
        let name = application.name
        let state: ReplicatedState?
        do { state = try await read(name) } catch { return false }
        let writer = ReplicaWriter(
            ReplicaWriter.Term(bundleIdentifier: name, host: host.name, number: term),
            in: SimulatedCluster.keyspace, sealedBy: .none, by: link, interval: { .zero },
            patience: Self.leaseLength / 2, clock: clock,
            onProgress: { application.wake() },
            requestWhole: { [executor] _ in
                Task(executorPreference: executor) {
                    if application.owned != nil { application.archive.replicateWhole() }
                }
            })
        let isValid = { [member] in
            member.owns(name, in: term)
        }
        let writing = Task(executorPreference: executor) { [member] in
            let end = await writer.run(after: state)
            if end != .cancelled { await member.noteLost(name, in: term) }
            return end
        }
        guard isValid() else {
            writer.cancel()
            return await writing.value == .lost
        }
        begin(application, with: state, writer: writer, isValid: isValid)
        let noting = Task(executorPreference: executor) {
            do {
                try await self.member.retryWhileLeaseIsValid {
                    try await self.member.noteRunning(name, in: term)
                }
            } catch {}  // The move then fails.
        }
        defer { noting.cancel() }
        while true {
            let end = await member.endOfTerm(term, of: name)
            if case .moves = end {
                if await handOver(application, end, in: term, writer, writing) { return true }
                continue
            }
            writer.cancel()
            application.lose()
            if case .denied = await writing.value { return false }
            return true
        }
    }

    private func begin(
        _ application: HostedApplication, with state: ReplicatedState?, writer: ReplicaWriter,
        isValid: @escaping () -> Bool
    ) {
        let replicated = state?.contents
        do {
            let superseded = try application.adopt(
                replicated, writer: writer, comparesLineage: cluster.control != .noLineage)
            if let superseded { host.history[application.name, default: []].append(superseded) }
            cluster.checker.began(
                application.name, on: host.name, with: Numbers(application.archive))
            try application.launch(writer: writer, isValid: isValid)
        } catch {
            cluster.checker.report("\(host.name) cannot run \(application.name): \(error)")
        }
    }

    private func handOver(
        _ application: HostedApplication, _ end: ClusterMember.End?, in term: UInt64,
        _ writer: ReplicaWriter, _ writing: Task<ReplicaWriter.End, Never>
    ) async -> Bool {
        application.owned?.isServed = false
        do { try application.archive.close() } catch {}
        let isReplicated = await writer.waitUntilComplete(within: .seconds(10))
        if !isReplicated {
            await member.abandonMove(of: application.name, because: "not replicated")
            if member.tenure.isValid {
                do { try application.archive.markOpened() } catch {}
                application.owned?.isServed = true
                return false
            }
        }
        application.leave(isReplicated: application.archive.isReplicated)
        writer.cancel()
        _ = await writing.value
        var target: String?
        if case .moves(let host) = end, isReplicated { target = host }
        await member.releaseWhileLeaseIsValid(application.name, in: term, to: target)
        return true
    }

    /// Reads the replicated state, or returns `nil` if there is none.
    ///
    /// - Throws: The reason why the state could not be read while the lease was valid.
    private func read(_ name: String) async throws -> ReplicatedState? {
        do {
            return try await member.retryWhileLeaseIsValid {
                try await ReplicatedState.read(
                    of: name, in: SimulatedCluster.keyspace, sealedBy: .none, by: link)
            }
        } catch {
            if !(error is StoreError) {
                cluster.checker.report("\(host.name) cannot read \(name): \(error)")
            }
            throw error
        }
    }
}

/// An application on a host, with its archive.
final class HostedApplication: @unchecked Sendable {
    /// Right to run the application.
    struct Owned {
        let writer: ReplicaWriter
        let isValid: () -> Bool
        var isServed = true
    }

    let name: String
    let archive: ApplicationArchive
    var owned: Owned?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ name: String, on disk: SimulatedDisk) {
        self.name = name
        archive = ApplicationArchive(bundleIdentifier: name, below: disk.root)
    }

    // MARK: Waiting for replication

    func progress() async { await withCheckedContinuation { waiters.append($0) } }

    func wake() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.resume() }
    }

    // MARK: Owning

    /// Chooses the state from which this host continues.
    ///
    /// - Returns: State of this host that the chosen state does not contain, or `nil` if there is none.
    func adopt(
        _ replicated: ReplicatedContents?, writer: ReplicaWriter, comparesLineage: Bool
    ) throws -> Numbers? {
        _ = try archive.load()
        let mark = try archive.replicaMark()
        let turn = archive.sceneCount == 0 ? nil : archive.turn
        var precedence = Precedence(turn: turn, mark: mark, replicated: replicated)
        if !comparesLineage, let replicated {
            precedence =
                turn ?? 0 > replicated.turn ? .local : .replicated(passesLocalBy: false)
        }
        var superseded: Numbers?
        if case .replicated(let passesLocalBy) = precedence, let replicated {
            if passesLocalBy { superseded = Numbers(archive) }
            try archive.adopt(replicated.archive)
            _ = try archive.load()
        }
        let lineage = precedence.lineage(
            of: writer.writer, mark: mark, turn: archive.turn, replicated: replicated)
        try archive.note(ReplicaMark(lineage: lineage))
        writer.begin(lineage)
        return superseded
    }

    func launch(writer: ReplicaWriter, isValid: @escaping () -> Bool) throws {
        archive.replicate(to: writer)
        owned = Owned(writer: writer, isValid: isValid)
        try archive.markOpened()
        if archive.sceneCount == 0 {
            var turn = TurnRecords()
            turn.addName("class", number: 1)
            turn.addObject(Numbers.header(1, below: 0), values: [])
            turn.endPass(PassEnd(scene: 1, timestamp: 1))
            try archive.append(turn)
        }
        if archive.lacksReplica { archive.replicateWhole() }
    }

    func append(_ number: UInt64, from client: Int) {
        let slot = Numbers.slot(of: number, from: client)
        var turn = TurnRecords()
        turn.addObject(
            Numbers.header(UInt32(slot) + 2, below: 1),
            values: withUnsafeBytes(of: number.littleEndian) { Array($0) })
        turn.endPass(PassEnd(scene: 1, timestamp: Int64(number)))
        do { try archive.append(turn) } catch { fatalError("\(error)") }
    }

    /// Stops the application, because another host may run it.
    func lose() {
        guard owned != nil else { return }
        let wasReplicated = archive.isReplicated
        let turn = archive.turn
        do { try archive.close() } catch {}
        leave(isReplicated: wasReplicated && archive.holdsNoMore(than: turn))
    }

    func leave(isReplicated: Bool) {
        owned = nil
        archive.replicate(to: nil)
        wake()
        guard isReplicated else { return }
        do {
            guard var mark = try archive.replicaMark() else { return }
            mark.replicated = archive.turn
            try archive.note(mark)
        } catch {}
    }
}

extension Numbers {
    static func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        ObjectHeader(
            number: number, parent: parent, kind: 0, identifier: "\(number)", classToken: 1)
    }

    /// Numbers that an archive contains.
    init(_ archive: ApplicationArchive) {
        self.init()
        for slot in slots.indices {
            guard let values = archive.object(UInt32(slot) + 2)?.values, values.count == 8 else {
                continue
            }
            self[slot] = values.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
