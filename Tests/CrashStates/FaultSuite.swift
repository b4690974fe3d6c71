import Glibc
import SimulatedDisk

/// Suite in which each operation fails, once or permanently, before the disk is repaired.
enum FaultSuite {
    /// Kinds of disk faults.
    private static let faults: [@Sendable (Int) -> SimulatedDisk.Fault] = [
        { SimulatedDisk.Fault(operation: $0, code: EIO, writtenPercent: 70) },
        {
            SimulatedDisk.Fault(
                operation: $0, code: ENOSPC, isPermanent: true, kinds: .refusedWhenFull,
                writtenPercent: 40)
        },
        { SimulatedDisk.Fault(operation: $0, code: ENOSPC, kinds: .refusedWhenFull) },
        {
            SimulatedDisk.Fault(
                operation: $0, code: EROFS, isPermanent: true, kinds: .refusedWhenReadOnly,
                writtenPercent: 0)
        },
        { SimulatedDisk.Fault(operation: $0, code: EIO, isPermanent: true, writtenPercent: 99) },
    ]

    /// Injects at least a number of faults, each into a separate run.
    static func run(faults requiredCount: Int, firstSeed: UInt64 = 1) async -> Tally {
        let tally = Tally(requiredCount: requiredCount, firstSeed: firstSeed)
        await tally.run { seed, tally throws(Violation) in
            let fault = faults[Int(seed % UInt64(faults.count))]
            try failEach(seed, fault) { tally.add(1) }
            try failEachOfRecovery(seed, fault) { tally.add(1) }
        }
        return tally
    }

    /// Runs an application once for each of its operations, which fails.
    private static func failEach(
        _ seed: UInt64, _ fault: @Sendable (Int) -> SimulatedDisk.Fault, injected: () -> Void
    ) throws(Violation) {
        for number in 1... {
            let hasOccurred = try fail(
                ArchiveSimulation(seed: seed), seed, fault(number)
            ) { simulation throws(Violation) in
                for _ in 0..<14 { try simulation.step() }
            }
            if !hasOccurred { return }
            injected()
        }
    }

    /// Runs an application after a power cut, once for each of its operations, which fails.
    private static func failEachOfRecovery(
        _ seed: UInt64, _ fault: @Sendable (Int) -> SimulatedDisk.Fault, injected: () -> Void
    ) throws(Violation) {
        var simulation = ArchiveSimulation(seed: seed)
        try simulation.run { simulation throws(Violation) in
            for _ in 0..<20 { try simulation.step() }
        }
        guard let episode = simulation.episodes.last, episode.damagedFile == nil else { return }
        let check = CrashCheck(episode)
        let snapshot = check.snapshotCount - 1
        try check.check(.powerCut(seed), at: snapshot)
        for number in 1... {
            let (disk, possible) = check.stateAfter(.powerCut(seed), at: snapshot)
            let simulation = ArchiveSimulation(seed: seed, disk: disk, possible: Array(possible))
            let hasOccurred = try fail(simulation, seed, fault(number)) {
                recovery throws(Violation) in
                try recovery.saveTwice()
            }
            if !hasOccurred { return }
            injected()
        }
    }

    /// - Returns: Whether the fault occurred.
    private static func fail(
        _ simulation: ArchiveSimulation, _ seed: UInt64, _ fault: SimulatedDisk.Fault,
        _ script: (inout ArchiveSimulation) throws(Violation) -> Void
    ) throws(Violation) -> Bool {
        var simulation = simulation
        simulation.injectFault(fault)
        do throws(Violation) {
            try simulation.run { simulation throws(Violation) in
                try script(&simulation)
                try simulation.repairDisk()
            }
            for episode in simulation.episodes {
                let check = CrashCheck(episode)
                for snapshot in 0..<check.snapshotCount where snapshot % 5 == Int(seed % 5) {
                    try check.check(.kill, at: snapshot)
                    try check.check(.powerCut(seed &+ UInt64(snapshot)), at: snapshot)
                }
            }
        } catch {
            throw error.addingDetails(["\(fault)"])
        }
        return simulation.hasFaultOccurred
    }
}
