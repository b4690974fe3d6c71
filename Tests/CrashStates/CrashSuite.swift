import Glibc
import LinuxIO
import SavedState
import SimulatedDisk

/// Crashes applications at every operation, in every way a seed can think of.
enum CrashSuite {
    /// Checks at least so many crash states.
    static func run(states: Int, firstSeed: UInt64 = 1) async -> Tally {
        let tally = Tally(wanted: states, firstSeed: firstSeed)
        await tally.run { seed, tally throws(Violation) in
            try rehearse(seed, powerCuts: 3, checked: { tally.add(1) })
        }
        return tally
    }

    /// Rehearses once, and crashes at each step.
    ///
    /// - Parameters:
    ///   - leavesOut: syncs that claim to succeed and do nothing.
    ///   - checksBefore: whether to crash before the first of them, too.
    ///   - checked: called for each crash state.
    static func rehearse(
        _ seed: UInt64, steps: Int = 40, powerCuts: Int,
        leavesOut: (@Sendable (SyncSite) -> Bool)? = nil, checksBefore: Bool = true,
        checked: () -> Void = {}
    ) throws(Violation) {
        var rehearsal = Rehearsal(seed: seed, leavesOut: leavesOut)
        try rehearsal.run { rehearsal throws(Violation) in
            for _ in 0..<steps { try rehearsal.step() }
        }
        var checks = checksBefore
        for episode in rehearsal.episodes {
            let first =
                checks ? 0 : episode.record.steps.first { $0.operation.failure == 0 }?.snapshot
            guard let first else { continue }
            checks = true
            try crash(
                CrashCheck(episode, leavesOut: leavesOut), seed, from: first,
                powerCuts: powerCuts, checked)
        }
    }

    /// Crashes at each step of what was recorded.
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

    /// Crashes what goes on after a power cut, at each step again.
    private static func recover(
        _ check: CrashCheck, _ cut: UInt64, _ snapshot: Int, _ found: Promises.Version,
        _ checked: () -> Void
    ) throws(Violation) {
        if check.episode.damaged != nil { return }
        var recovery = Rehearsal(
            seed: cut, disk: check.leftBy(.powerCut(cut), at: snapshot).disk, possible: [found])
        try recovery.run { recovery throws(Violation) in try recovery.saveTwice() }
        for episode in recovery.episodes {
            try crash(CrashCheck(episode), cut, powerCuts: 1, recovers: false, checked)
        }
    }
}

extension Rehearsal {
    /// What an application does soon after its start.
    mutating func saveTwice() throws(Violation) {
        try appendTurn()
        for _ in 0..<3 { try advanceSync() }
        try appendTurn()
    }
}
