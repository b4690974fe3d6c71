import SimulatedDisk

/// Leaves out one sync after the other: the checks must notice each time.
enum ControlSuite {
    /// One sync that was left out.
    struct Control: Sendable {
        var sync: String
        /// The seed that showed that it is missing, and what then was wrong; `nil`: none did.
        var found: (seed: UInt64, violation: Violation)?
    }

    /// Each sync that some runs make is left out in the first few of them that make it.
    static func run(seeds: UInt64 = 600, firstSeed: UInt64 = 1) async -> [Control] {
        let seedsBySync = await seedsBySync(firstSeed..<firstSeed + seeds)
        var waiting = seedsBySync.filter { !covered.contains($0.key) }.sorted { $0.key < $1.key }
            .makeIterator()
        return await withTaskGroup(of: Control.self) { group in
            func startNext() {
                guard let (sync, seeds) = waiting.next() else { return }
                group.addTask { @concurrent in leaveOut(sync, seeds) }
            }
            for _ in 0..<2 { startNext() }
            var controls: [Control] = []
            for await control in group {
                controls.append(control)
                startNext()
            }
            return controls.sorted { $0.sync < $1.sync }
        }
    }

    private static let maximumSeeds = 100

    /// Syncs that another one makes up for, so that nothing is lost without them.
    private static let covered: Set = [
        // Made while the old file alone has the name, so that the one before the exchange is short.
        "new file: data.archive.compacted",
        // The folder is synced again when it is certain to have a quarantine.
        "folder: \(folder) after rename data.archive.new, in a load",
        // It is synced again when what was salvaged has the name; without any, what was moved is found
        // under its old name and moved again.
        "folder: \(folder) after rename data.archive, in a load",
        // Until it is synced with the next write, the next load finds the file under its other name.
        "folder: \(folder) after rename data.archive.salvaged, in a load",
    ]

    private static let folder = "\(Rehearsal.application).savedState"

    private static func leaveOut(_ sync: String, _ seeds: [UInt64]) -> Control {
        for seed in seeds.prefix(maximumSeeds) {
            do throws(Violation) {
                try CrashSuite.rehearse(
                    seed, powerCuts: 4, leavesOut: { name(of: $0) == sync }, checksBefore: false)
            } catch {
                return Control(sync: sync, found: (seed, error))
            }
        }
        return Control(sync: sync)
    }

    /// The name of a sync in the code, whoever calls that.
    private static func name(of site: SyncSite) -> String {
        let change = site.previous.prefix { $0 != "," }
        let load = site.activity == "load" ? ", in a load" : ""
        switch site.kind {
        case .synchronizeFolder where site.name == "state",
            .synchronizeFolder where site.previous.contains("synchronizeFolder state"):
            return "names: of \(site.name)"
        case .synchronizeFolder:
            return "folder: \(site.name) after \(change)\(load)"
        case .synchronizeData where change.hasPrefix("write"):
            return "content: \(site.activity), after a write"
        case .synchronizeData:
            return "content: \(site.activity)"
        default:
            return "new file: \(site.name)\(load)"
        }
    }

    /// Which syncs are made in the runs of which seeds.
    @concurrent private static func seedsBySync(
        _ seeds: Range<UInt64>
    ) async -> [String: [UInt64]] {
        var found: [String: [UInt64]] = [:]
        for seed in seeds {
            var rehearsal = Rehearsal(seed: seed)
            do throws(Violation) {
                try rehearsal.run { rehearsal throws(Violation) in
                    for _ in 0..<40 { try rehearsal.step() }
                }
            } catch {
                // The crash suite tells of it.
            }
            let syncs = Set(rehearsal.episodes.flatMap { $0.record.sites.map(name) })
            for sync in syncs { found[sync, default: []].append(seed) }
        }
        return found
    }
}
