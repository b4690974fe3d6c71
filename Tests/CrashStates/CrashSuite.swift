import Glibc
import LinuxIO
import SavedState
import SimulatedDisk

/// Suite that simulates crashes of applications after every operation.
enum CrashSuite {
    /// Checks at least a number of crash states.
    static func run(states: Int, firstSeed: UInt64 = 1) async -> Tally {
        let tally = Tally(requiredCount: states, firstSeed: firstSeed)
        await tally.run { seed, tally throws(Violation) in
            try simulate(seed, powerCuts: 3, checked: { tally.add(1) })
        }
        return tally
    }

    /// Runs an application once, and simulates crashes at each step.
    ///
    /// - Parameters:
    ///   - omitsSync: Syncs that claim to succeed and do nothing.
    ///   - checksBefore: Whether to simulate crashes before the first of these syncs.
    ///   - checked: Called for each crash state.
    static func simulate(
        _ seed: UInt64, steps: Int = 40, powerCuts: Int,
        omitsSync: (@Sendable (SyncSite) -> Bool)? = nil, checksBefore: Bool = true,
        checked: () -> Void = {}
    ) throws(Violation) {
        var simulation = ArchiveSimulation(seed: seed, omitsSync: omitsSync)
        try simulation.run { simulation throws(Violation) in
            for _ in 0..<steps { try simulation.step() }
        }
        var checks = checksBefore
        for episode in simulation.episodes {
            let first =
                checks ? 0 : episode.record.steps.first { $0.operation.failure == 0 }?.snapshot
            guard let first else { continue }
            checks = true
            try crash(
                CrashCheck(episode, omitsSync: omitsSync), seed, from: first,
                powerCuts: powerCuts, checked)
        }
    }

    /// Simulates crashes at each step of an episode.
    static func crash(
        _ check: CrashCheck, _ seed: UInt64, from first: Int = 0, powerCuts: Int,
        recovers: Bool = true, _ checked: () -> Void
    ) throws(Violation) {
        for snapshot in first..<check.snapshotCount {
            try check.check(.kill, at: snapshot)
            checked()
            if check.isDurable(snapshot) { continue }
            for cut in 0..<powerCuts {
                let cutSeed = seed &* 1_000_003 &+ UInt64(snapshot * 64 + cut)
                let found = try check.check(.powerCut(cutSeed), at: snapshot)
                checked()
                if recovers, cutSeed % 61 == 0 {
                    try recover(check, cutSeed, snapshot, found, checked)
                }
            }
        }
    }

    /// Simulates crashes at each step of a recovery after a power cut.
    private static func recover(
        _ check: CrashCheck, _ cut: UInt64, _ snapshot: Int, _ found: Promises.Version,
        _ checked: () -> Void
    ) throws(Violation) {
        if check.episode.damagedFile != nil { return }
        var recovery = ArchiveSimulation(
            seed: cut, disk: check.stateAfter(.powerCut(cut), at: snapshot).disk, possible: [found])
        try recovery.run { recovery throws(Violation) in try recovery.saveTwice() }
        for episode in recovery.episodes {
            try crash(CrashCheck(episode), cut, powerCuts: 1, recovers: false, checked)
        }
    }
}

extension ArchiveSimulation {
    /// Saves twice, like an application soon after its start.
    mutating func saveTwice() throws(Violation) {
        try appendTurn()
        for _ in 0..<3 { try advanceSync() }
        try appendTurn()
    }
}
