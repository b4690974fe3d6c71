import Glibc
import SimulatedDisk

/// Suite in which each operation fails, once or permanently, before the disk is repaired.
enum FaultSuite {
    /// Kinds of disk faults.
    private static let faults: [@Sendable (Int) -> SimulatedDisk.Fault] = [
        { SimulatedDisk.Fault(operation: $0, code: EIO, writtenPercent: 70) },
        {
            SimulatedDisk.Fault(
                operation: $0, code: ENOSPC, lasts: true, kinds: .refusedFull, writtenPercent: 40)
        },
        { SimulatedDisk.Fault(operation: $0, code: ENOSPC, kinds: .refusedFull) },
        {
            SimulatedDisk.Fault(
                operation: $0, code: EROFS, lasts: true, kinds: .refusedReadOnly,
                writtenPercent: 0)
        },
        { SimulatedDisk.Fault(operation: $0, code: EIO, lasts: true, writtenPercent: 99) },
    ]

    /// Injects at least a number of faults, each into a separate run.
    static func run(faults wanted: Int, firstSeed: UInt64 = 1) async -> Tally {
        let tally = Tally(wanted: wanted, firstSeed: firstSeed)
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
            let struck = try fail(
                Rehearsal(seed: seed), seed, fault(number)
            ) { rehearsal throws(Violation) in
                for _ in 0..<14 { try rehearsal.step() }
            }
            if !struck { return }
            injected()
        }
    }

    /// Runs an application after a power cut, once for each of its operations, which fails.
    private static func failEachOfRecovery(
        _ seed: UInt64, _ fault: @Sendable (Int) -> SimulatedDisk.Fault, injected: () -> Void
    ) throws(Violation) {
        var before = Rehearsal(seed: seed)
        try before.run { before throws(Violation) in
            for _ in 0..<20 { try before.step() }
        }
        guard let episode = before.episodes.last, episode.damaged == nil else { return }
        let check = CrashCheck(episode)
        let snapshot = check.snapshotCount - 1
        try check.check(.powerCut(seed), at: snapshot)
        for number in 1... {
            let (disk, possible) = check.leftBy(.powerCut(seed), at: snapshot)
            let rehearsal = Rehearsal(seed: seed, disk: disk, possible: Array(possible))
            let struck = try fail(rehearsal, seed, fault(number)) { recovery throws(Violation) in
                try recovery.saveTwice()
            }
            if !struck { return }
            injected()
        }
    }

    /// - Returns: Whether the fault occurred.
    private static func fail(
        _ rehearsal: Rehearsal, _ seed: UInt64, _ fault: SimulatedDisk.Fault,
        _ script: (inout Rehearsal) throws(Violation) -> Void
    ) throws(Violation) -> Bool {
        var rehearsal = rehearsal
        rehearsal.arm(fault)
        do throws(Violation) {
            try rehearsal.run { rehearsal throws(Violation) in
                try script(&rehearsal)
                try rehearsal.mend()
            }
            for episode in rehearsal.episodes {
                let check = CrashCheck(episode)
                for snapshot in 0..<check.snapshotCount where snapshot % 5 == Int(seed % 5) {
                    try check.check(.kill, at: snapshot)
                    try check.check(.powerCut(seed &+ UInt64(snapshot)), at: snapshot)
                }
            }
        } catch {
            throw error.adding(["\(fault)"])
        }
        return rehearsal.faultStruck
    }
}
