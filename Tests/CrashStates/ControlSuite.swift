import SimulatedDisk

/// Leaves out one sync after the other: the checks must notice each time.
enum ControlSuite {
    /// One sync that was left out.
    struct Control: Sendable {
        var site: SyncSite
        /// The seed that showed that it is missing, and what then was wrong; `nil`: none did.
        var found: (seed: UInt64, what: String)?
    }

    /// The syncs of some runs, each left out in up to so many runs.
    static func run(seeds: UInt64 = 60, firstSeed: UInt64 = 1) async -> [Control] {
        let range = firstSeed..<firstSeed + seeds
        let sites = await sites(of: range)
        return await withTaskGroup(of: Control.self) { group in
            var waiting = sites.makeIterator()
            func startNext() {
                guard let site = waiting.next() else { return }
                group.addTask { @concurrent in leaveOut(site, range) }
            }
            for _ in 0..<2 { startNext() }
            var controls: [Control] = []
            for await control in group {
                controls.append(control)
                startNext()
            }
            return controls.sorted { $0.site.description < $1.site.description }
        }
    }

    private static func leaveOut(_ site: SyncSite, _ seeds: Range<UInt64>) -> Control {
        for seed in seeds {
            do throws(Violation) {
                try CrashSuite.rehearse(seed, powerCuts: 4, leavesOut: { $0 == site })
            } catch {
                return Control(site: site, found: (seed, error.what))
            }
        }
        return Control(site: site)
    }

    @concurrent private static func sites(of seeds: Range<UInt64>) async -> [SyncSite] {
        var sites: Set<SyncSite> = []
        for seed in seeds {
            var rehearsal = Rehearsal(seed: seed)
            do throws(Violation) {
                try rehearsal.run { rehearsal throws(Violation) in
                    for _ in 0..<40 { try rehearsal.step() }
                }
            } catch {
                // The crash suite tells of it.
            }
            for episode in rehearsal.episodes { sites.formUnion(episode.record.sites) }
        }
        return sites.sorted { $0.description < $1.description }
    }
}
