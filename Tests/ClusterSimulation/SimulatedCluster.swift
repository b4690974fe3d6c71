import ExactText
import Replication
import SimulatedStore
import TestSupport

/// Three hosts, two applications and a store, with clients and with everything that can happen to them.
final class SimulatedCluster: @unchecked Sendable {
    static let keyspace = Keyspace(cluster: "simulation")

    let simulation: Simulation
    let checker: Checker
    let store: MemoryStore
    let control: Control?
    let applications = ["org.example.Jobs", "org.example.Notes"]
    private(set) var hosts: [SimulatedHost] = []
    private let executor: SimulatedExecutor
    private var backup: StoreContents?
    private(set) var faultCount = 0
    /// Whether the clients change anything.
    private var areClientsActive = true
    /// Last number that each client of each application has sent.
    private var sent: [UInt64]

    init(seed: UInt64, control: Control?) {
        simulation = Simulation(seed: seed)
        self.control = control
        checker = Checker(in: simulation)
        executor = simulation.makeExecutor()
        store = MemoryStore(
            on: simulation.makeExecutor(), clock: SimulatedClock(simulation: simulation))
        sent = [UInt64](repeating: 0, count: applications.count * Numbers.clientCount)
        for name in ["a", "b", "c"] {
            let rate = 0.95 + 0.01 * Double(simulation.numbers.below(11))
            hosts.append(SimulatedHost(name, rate: rate))
        }
    }

    /// Runs the cluster with faults, then without, and checks what it promises.
    func run() {
        inBackground { await self.store.run() }
        for host in hosts { host.start(in: self) }
        for client in sent.indices { inBackground { await self.runClient(client) } }
        let end = simulation.elapsed + simulation.milliseconds(30_000...60_000)
        while simulation.elapsed < end {
            simulation.run(for: simulation.milliseconds(200...4_000))
            injectFault()
        }
        repair()
        waitForService("after all faults were repaired")
        if simulation.numbers.happens(percent: 50) { loseOwner() }
        stopClients()
        for application in applications {
            var kept = hosts.flatMap { $0.history[application] ?? [] }
            kept += hosts.map { $0.saved(application) }
            checker.checkKept(application, in: kept)
        }
    }

    private func inBackground(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) { await body() }
    }

    // MARK: Clients

    private func runClient(_ index: Int) async {
        let application = applications[index / Numbers.clientCount]
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
                    application, client: index % Numbers.clientCount, to: number)
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
                checker.report("\(application) is not served \(when)")
            }
        }
    }

    // MARK: Faults

    private func injectFault() {
        faultCount += 1
        let host = hosts[simulation.numbers.below(hosts.count)]
        switch simulation.numbers.below(13) {
        case 0, 1: kill(host)
        case 2: pause(host)
        case 3, 4:
            host.network.isCut = true
            later(500...15_000) { host.network.isCut = false }
        case 5:
            for host in hosts { host.network.isCut = true }
            later(500...8_000) { for host in self.hosts { host.network.isCut = false } }
        case 6:
            (host.network.loss, host.network.lateness) = (20, 10)
            later(1_000...10_000) { (host.network.loss, host.network.lateness) = (0, 0) }
        case 7: host.network.silenceWatches()
        case 8:
            host.network.isDenied = true
            later(500...10_000) { host.network.isDenied = false }
        case 9:
            inBackground { await self.store.setFull(true) }
            later(500...8_000) { Task { await self.store.setFull(false) } }
        case 10: inBackground { self.backup = await self.store.backup }
        case 11: restoreBackup()
        default: move(from: host)
        }
    }

    private func kill(_ host: SimulatedHost) {
        host.kill(in: simulation)
        later(0...20_000) { host.start(in: self) }
    }

    private func pause(_ host: SimulatedHost) {
        guard let executor = host.process?.executor else { return }
        executor.state = .paused
        later(500...12_000) { if executor.state == .paused { executor.state = .running } }
    }

    private func restoreBackup() {
        guard let backup, simulation.numbers.happens(percent: 50) else { return }
        inBackground {
            self.checker.wasSetBack()
            await self.store.restore(backup)
        }
    }

    /// Moves an application from a host to another one, as an operator does.
    private func move(from host: SimulatedHost) {
        let application = applications[simulation.numbers.below(applications.count)]
        let target = hosts[simulation.numbers.below(hosts.count)].name
        guard let owner = host.process, owner.serves(application), target != host.name else {
            return
        }
        Task(executorPreference: owner.executor) {
            _ = await owner.member.move(application, to: target, within: .seconds(60))
        }
    }

    private func later(
        _ range: ClosedRange<Int>, _ body: @escaping @Sendable () -> Void
    ) {
        let delay = simulation.milliseconds(range)
        inBackground {
            await self.simulation.sleep(for: delay)
            body()
        }
    }

    /// Ends all faults. Watches that were silenced remain silent.
    private func repair() {
        inBackground { await self.store.setFull(false) }
        for host in hosts {
            host.network.repair()
            if host.process?.executor.state == .paused { host.process?.executor.state = .running }
            host.start(in: self)
        }
    }

    /// Kills the owner of an application while the watches of the other hosts are silent.
    private func loseOwner() {
        guard
            let owner = hosts.first(where: { $0.process?.serves(applications[0]) == true })
        else { return }
        for host in hosts where host !== owner { host.network.silenceWatches() }
        owner.kill(in: simulation)
        waitForService("after its owner was killed")
        owner.start(in: self)
        waitForService("after its former owner has returned")
    }
}
