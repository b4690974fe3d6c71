import Encryption
import ExactText
import Replication
import SavedState
import SimulatedDisk
import SimulatedStore
import TestSupport

/// Cluster of three hosts, two applications and a store, with clients, operators and faults.
final class SimulatedCluster: @unchecked Sendable {
    /// Contents of the store at one time, with the changes that they must contain.
    private struct Backup {
        let contents: StoreContents
        let changes: Checker.Backup
    }

    /// Operation for which the simulation waits.
    private final class Operation<Success: Sendable>: @unchecked Sendable {
        /// The result, or `nil` while the operation is running.
        var end: Result<Success, any Error>?
    }

    /// Reason why a move failed.
    private struct MoveFailure: Error, CustomStringConvertible {
        let description: String
    }

    static let keyspace = Keyspace(cluster: "simulation")

    let simulation: Simulation
    let checker: Checker
    let store: MemoryStore
    let bug: DeliberateBug?
    let applications = ["org.example.Jobs", "org.example.Notes"]
    private(set) var hosts: [SimulatedHost] = []
    private let executor: SimulatedExecutor
    private var backups: [Backup] = []
    /// Number of faults that had an effect.
    private(set) var faultCount = 0
    /// Whether the clients send changes.
    private var areClientsActive = true
    /// Last number that each client of each application has sent.
    private var sent: [UInt64]

    init(seed: UInt64, bug: DeliberateBug?) {
        simulation = Simulation(seed: seed)
        self.bug = bug
        checker = Checker(in: simulation)
        executor = simulation.makeExecutor()
        store = MemoryStore(
            on: simulation.makeExecutor(), clock: SimulatedClock(simulation: simulation))
        sent = [UInt64](repeating: 0, count: applications.count * Changes.clientCount)
        for name in ["a", "b", "c"] {
            let rate = 0.95 + 0.01 * Double(simulation.numbers.below(11))
            hosts.append(SimulatedHost(name, rate: rate))
        }
    }

    /// Runs the cluster with faults and then without faults, and checks its guarantees.
    func run() {
        inBackground { await self.store.run() }
        for host in hosts { host.start(in: self) }
        for client in sent.indices { inBackground { await self.runClient(client) } }
        let end = simulation.elapsed + simulation.milliseconds(30_000...60_000)
        while simulation.elapsed < end {
            simulation.run(for: simulation.milliseconds(200...4_000))
            // The fault interrupts the hosts' current work instead of following it.
            simulation.run(steps: simulation.numbers.below(60))
            injectFault()
        }
        repair()
        waitForService("after all faults were repaired")
        if simulation.numbers.happens(percent: 50) { killOwner() }
        if simulation.numbers.happens(percent: 50) { makePlannedChanges() }
        if simulation.numbers.happens(percent: 50) { restoreWhileIdle() }
        stopClients()
        checkReplicas()
        for application in applications {
            checker.checkSaved(application, in: saved(application))
        }
    }

    private func inBackground(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
    }

    private func runAfterMilliseconds(
        _ range: ClosedRange<Int>, _ body: @escaping @Sendable () -> Void
    ) {
        let delay = simulation.milliseconds(range)
        inBackground {
            await self.simulation.sleep(for: delay)
            body()
        }
    }

    /// Changes of an application on the disks of all hosts.
    private func saved(_ application: String) -> Changes {
        hosts.reduce(into: Changes()) { $0.formUnion($1.saved(application)) }
    }

    private func host(serving application: String) -> SimulatedHost? {
        hosts.first { $0.process?.serves(application) == true }
    }

    // MARK: Clients

    private func runClient(_ index: Int) async {
        let application = applications[index / Changes.clientCount]
        while true {
            await simulation.sleep(for: simulation.milliseconds(20...300))
            let serving = hosts.compactMap(\.process).filter {
                $0.serves(application) && $0.executor.state == .running
            }
            guard areClientsActive, let process = serving.first else { continue }
            sent[index] += 1
            let number = sent[index]
            Task(executorPreference: process.executor) {
                await process.change(
                    application, client: index % Changes.clientCount, number: number)
            }
        }
    }

    private func stopClients() {
        areClientsActive = false
        simulation.run(for: .seconds(5))
    }

    /// Waits until each application acknowledges changes again.
    private func waitForService(_ when: String) {
        for application in applications {
            let count = checker.acknowledgedCount(of: application)
            simulation.run(for: .seconds(90)) {
                checker.acknowledgedCount(of: application) > count + 3
            }
            if checker.acknowledgedCount(of: application) <= count + 3 {
                checker.report(.service, "\(application) is not served \(when)")
            }
        }
    }

    // MARK: Faults

    private func injectFault() {
        let host = hosts[simulation.numbers.below(hosts.count)]
        let hasEffect =
            switch simulation.numbers.below(4) {
            case 0: endProcess(of: host)
            case 1: breakNetwork(of: host)
            case 2: breakStore()
            default: performOperatorAction(host)
            }
        if hasEffect { faultCount += 1 }
    }

    /// Kills or pauses the process of a host.
    private func endProcess(of host: SimulatedHost) -> Bool {
        guard let process = host.process else { return false }
        switch simulation.numbers.below(6) {
        case 0: kill(host)
        case 1:
            host.beforeDiskOperation(1 + simulation.numbers.below(12)) {
                self.faultCount += 1
                self.kill(host)
                host.detachDisk()
            }
            return false
        case 2: loseChanges(of: host) { host.cutPower(seed: self.simulation.numbers.next()) }
        case 3: loseChanges(of: host) { host.replaceDisk() }
        case 4: pause(process, for: 500...12_000)
        default:
            host.network.willRenew = {
                self.faultCount += 1
                self.pause(process, for: 5_000...12_000)
            }
            return false
        }
        return true
    }

    private func pause(_ process: HostProcess, for range: ClosedRange<Int>) {
        guard process.isAlive else { return }
        process.executor.state = .paused
        runAfterMilliseconds(range) {
            if process.executor.state == .paused { process.executor.state = .running }
        }
    }

    private func kill(_ host: SimulatedHost) {
        host.kill(in: simulation)
        restart(host)
    }

    /// Kills a host and changes its disk.
    private func loseChanges(of host: SimulatedHost, _ change: () -> Void) {
        kill(host)
        let before = applications.map { host.saved($0) }
        change()
        for (application, before) in zip(applications, before) {
            checker.recordDiskLoss(
                application, before.subtracting(host.saved(application)),
                saved: saved(application))
        }
    }

    /// Starts a host later, unless it has been started and has ended again by then.
    private func restart(_ host: SimulatedHost) {
        let count = host.endCount
        runAfterMilliseconds(0...20_000) { if host.endCount == count { host.start(in: self) } }
    }

    private func breakNetwork(of host: SimulatedHost) -> Bool {
        let network = host.network
        switch simulation.numbers.below(7) {
        case 0: cut(network, for: 500...15_000)
        case 1:
            for host in hosts { host.network.isCut = true }
            runAfterMilliseconds(500...8_000) {
                for host in self.hosts { host.network.isCut = false }
            }
        case 2:
            (network.lostPercent, network.delayedPercent) = (20, 10)
            runAfterMilliseconds(1_000...10_000) {
                (network.lostPercent, network.delayedPercent) = (0, 0)
            }
        case 3:
            network.latency = 1_200
            runAfterMilliseconds(2_000...10_000) { network.latency = Network.usualLatency }
        case 4:
            network.willReplaceState = {
                self.faultCount += 1
                self.cut(network, for: 6_000...15_000)
            }
            return false
        case 5:
            network.isDenied = true
            runAfterMilliseconds(500...10_000) { network.isDenied = false }
        default:
            guard network.watchCount > 0 else { return false }
            network.silenceWatches()
        }
        return true
    }

    private func cut(_ network: Network, for range: ClosedRange<Int>) {
        network.isCut = true
        runAfterMilliseconds(range) { network.isCut = false }
    }

    private func breakStore() -> Bool {
        switch simulation.numbers.below(4) {
        case 0:
            inBackground { await self.store.setFull(true) }
            repairFullStore()
        case 1:
            // The identity of the cluster must be part of each backup.
            guard simulation.elapsed > .seconds(5) else { return false }
            backUp()
            return false
        case 2: inBackground { await self.store.compact() }
        default:
            guard !backups.isEmpty else { return false }
            restore(backups[simulation.numbers.below(backups.count)])
            repairFullStore()
        }
        return true
    }

    private func repairFullStore() {
        runAfterMilliseconds(500...8_000) { Task { await self.store.setFull(false) } }
    }

    private func backUp() {
        inBackground {
            self.backups.append(
                await self.store.perform {
                    Backup(contents: $0.backup, changes: self.checker.backup)
                })
        }
    }

    private func restore(_ backup: Backup) {
        inBackground {
            await self.store.perform { store in
                store.restore(backup.contents)
                self.checker.recordRestore(
                    from: backup.changes,
                    saved: Dictionary(
                        uniqueKeysWithValues: self.applications.map { ($0, self.saved($0)) }))
            }
        }
    }

    /// Performs a random action of an operator.
    private func performOperatorAction(_ host: SimulatedHost) -> Bool {
        guard let process = host.process else { return false }
        switch simulation.numbers.below(3) {
        case 0:
            process.stop()
            let count = host.endCount
            runAfterMilliseconds(5_000...20_000) {
                if host.endCount == count + 1 { host.start(in: self) }
            }
            return true
        case 1:
            Task(executorPreference: process.executor) { await process.setDraining(true) }
            runAfterMilliseconds(2_000...15_000) {
                Task(executorPreference: process.executor) { await process.setDraining(false) }
            }
            for application in applications where process.serves(application) {
                _ = move(application, from: process)
            }
            return true
        default:
            let application = applications[simulation.numbers.below(applications.count)]
            guard process.serves(application) else { return false }
            return move(application, from: process) != nil
        }
    }

    /// Moves an application from its owner to another host.
    ///
    /// - Returns: The move, or `nil` if the owner was chosen as the target.
    private func move(_ application: String, from owner: HostProcess) -> Operation<Void>? {
        let target = hosts[simulation.numbers.below(hosts.count)]
        guard target.process !== owner else { return nil }
        let operation = Operation<Void>()
        Task(executorPreference: owner.executor) {
            let failure = await owner.member.move(
                application, to: target.name, within: .seconds(60))
            operation.end = failure.map { .failure(MoveFailure(description: $0)) } ?? .success(())
        }
        return operation
    }

    /// Ends all faults. Silenced watches remain silent.
    private func repair() {
        inBackground { await self.store.setFull(false) }
        for host in hosts {
            host.disk.setGate(nil)
            host.network.repair()
            if host.process?.executor.state == .paused { host.process?.executor.state = .running }
            host.start(in: self)
            guard let process = host.process else { continue }
            Task(executorPreference: process.executor) { await process.setDraining(false) }
        }
    }

    // MARK: Without faults

    /// Kills the owner of an application while the watches of the other hosts are silent.
    private func killOwner() {
        guard let owner = host(serving: applications[0]) else { return }
        for host in hosts where host !== owner { host.network.silenceWatches() }
        owner.kill(in: simulation)
        waitForService("after its owner was killed")
        owner.start(in: self)
        waitForService("after its former owner has returned")
    }

    /// Returns whether a host knows that every host is present in the cluster.
    private func knowsAllHosts(_ host: SimulatedHost) -> Bool {
        host.process?.member.clusterState.hosts.count == hosts.count
    }

    /// Moves an application and then stops its owner, in the absence of faults.
    private func makePlannedChanges() {
        for host in hosts { host.start(in: self) }
        simulation.run(for: .seconds(60)) { hosts.allSatisfy { $0.isHealthy } }
        guard hosts.allSatisfy({ $0.isHealthy }) else {
            return checker.report(.service, "a host does not join the cluster again")
        }
        // The other hosts learn about the last host, or about the new lease of a host that has just returned.
        simulation.run(for: .seconds(2))
        simulation.run(for: .seconds(60)) { hosts.allSatisfy { knowsAllHosts($0) } }
        guard hosts.allSatisfy({ knowsAllHosts($0) }) else {
            return checker.report(.service, "a host does not learn about another host")
        }
        let application = applications[0]
        if let owner = host(serving: application)?.process,
            let operation = move(application, from: owner)
        {
            simulation.run(for: .seconds(75)) { operation.end != nil }
            do {
                try operation.end?.get() ?? { throw MoveFailure(description: "no result") }()
            } catch {
                checker.report(.plannedChange, "\(application) is not moved: \(error)")
            }
        }
        guard let owner = host(serving: application) else {
            return checker.report(.service, "\(application) is not served after a move")
        }
        owner.process?.stop()
        simulation.run(for: .seconds(30)) { owner.process == nil }
        if owner.process != nil {
            return checker.report(.plannedChange, "\(owner.name) does not stop")
        }
        checker.recordStop(application, with: owner.current(application))
        waitForService("after its owner has stopped")
        owner.start(in: self)
    }

    /// Restores the store from a backup while the clients send no changes.
    private func restoreWhileIdle() {
        let count = backups.count
        backUp()
        simulation.run(for: .seconds(3))
        stopClients()
        guard backups.count > count else { return }
        restore(backups[count])
        simulation.run(for: .seconds(20))
    }

    /// Checks that the store has the state of the owner of each application.
    private func checkReplicas() {
        for application in applications {
            guard let owner = host(serving: application)?.process else {
                checker.report(.service, "\(application) has no owner at the end")
                continue
            }
            let result = Operation<ReplicatedState?>()
            inBackground {
                do {
                    result.end = .success(
                        try await ReplicatedState.read(
                            of: application, in: Self.keyspace, sealedBy: .none, by: self.store))
                } catch {
                    result.end = .failure(error)
                }
            }
            simulation.run(for: .seconds(1)) { result.end != nil }
            do {
                let state = try result.end?.get() ?? nil
                let changes = try state.map { try Changes($0.contents, of: application) }
                checker.checkReplica(
                    application, changes ?? Changes(), of: owner.changes(of: application))
            } catch {
                checker.report(.readable, "\(application) cannot be read: \(error)")
            }
        }
    }
}

extension MemoryStore {
    /// Calls a body in one job of the store.
    fileprivate func perform<Result: Sendable>(
        _ body: @Sendable (isolated MemoryStore) -> Result
    ) -> Result {
        body(self)
    }
}
