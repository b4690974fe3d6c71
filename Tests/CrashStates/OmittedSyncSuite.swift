import SimulatedDisk

/// Suite that omits one sync at a time. The checks must detect each omission.
enum OmittedSyncSuite {
    /// Outcome of omitting one sync.
    struct Omission: Sendable {
        var sync: String
        /// Seed that revealed the omission, with the broken promise, or `nil` if no seed revealed it.
        var detection: (seed: UInt64, violation: Violation)?
    }

    /// Omits each sync that occurs in any run, in the first runs in which it occurs.
    static func run(seeds: UInt64 = 600, firstSeed: UInt64 = 1) async -> [Omission] {
        let seedsBySync = await seedsBySync(firstSeed..<firstSeed + seeds)
        var pending = seedsBySync.filter { !redundantSyncs.contains($0.key) }.sorted {
            $0.key < $1.key
        }
        .makeIterator()
        return await withTaskGroup(of: Omission.self) { group in
            func startNext() {
                guard let (sync, seeds) = pending.next() else { return }
                group.addTask { @concurrent in simulateOmission(sync, seeds) }
            }
            for _ in 0..<2 { startNext() }
            var omissions: [Omission] = []
            for await omission in group {
                omissions.append(omission)
                startNext()
            }
            return omissions.sorted { $0.sync < $1.sync }
        }
    }

    private static let maximumSeeds = 100

    /// Syncs whose omission has no effect, because another sync replaces them.
    private static let redundantSyncs: Set = [
        // This sync is made while only the old file has the name, so that the sync before the exchange is short.
        "new file: data.archive.compacted",
        // The directory is synced again when it is certain to contain a quarantine.
        "directory: \(directory) after rename data.archive.new, in a load",
        // The directory is synced again when the salvaged file has the archive's name. If there is no salvaged file,
        // the moved file is found under its old name and moved again.
        "directory: \(directory) after rename data.archive, in a load",
        // Until the next write syncs the directory, the next load finds the file under its other name.
        "directory: \(directory) after rename data.archive.salvaged, in a load",
    ]

    private static let directory = "\(ArchiveSimulation.application).savedState"

    private static func simulateOmission(_ sync: String, _ seeds: [UInt64]) -> Omission {
        for seed in seeds.prefix(maximumSeeds) {
            do throws(Violation) {
                try CrashSuite.simulate(
                    seed, powerCuts: 4, omitsSync: { name(of: $0) == sync }, checksBefore: false)
            } catch {
                return Omission(sync: sync, detection: (seed, error))
            }
        }
        return Omission(sync: sync)
    }

    /// Returns the name of a sync, which does not depend on its caller.
    private static func name(of site: SyncSite) -> String {
        let change = site.previous.prefix { $0 != "," }
        let load = site.activity == "load" ? ", in a load" : ""
        switch site.kind {
        case .synchronizeDirectory where site.name == "state",
            .synchronizeDirectory where site.previous.contains("synchronizeDirectory state"):
            return "names: of \(site.name)"
        case .synchronizeDirectory:
            return "directory: \(site.name) after \(change)\(load)"
        case .synchronizeData where change.hasPrefix("write"):
            return "content: \(site.activity), after a write"
        case .synchronizeData:
            return "content: \(site.activity)"
        default:
            return "new file: \(site.name)\(load)"
        }
    }

    /// Returns the seeds of the runs in which each sync occurs.
    @concurrent private static func seedsBySync(
        _ seeds: Range<UInt64>
    ) async -> [String: [UInt64]] {
        var result: [String: [UInt64]] = [:]
        for seed in seeds {
            var simulation = ArchiveSimulation(seed: seed)
            do throws(Violation) {
                try simulation.run { simulation throws(Violation) in
                    for _ in 0..<40 { try simulation.step() }
                }
            } catch {
                // The crash suite reports this error.
            }
            let syncs = Set(simulation.episodes.flatMap { $0.record.sites.map(name) })
            for sync in syncs { result[sync, default: []].append(seed) }
        }
        return result
    }
}
