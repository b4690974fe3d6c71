import DaemonHost
import Testing

/// Behavior of a daemon for each kind of damaged, foreign or unreadable archive (L5).
struct DamagedArchiveTests {
    @Test
    func `L5: a damaged archive is quarantined, and an unreadable or newer one is left unchanged`()
        async throws
    {
        try requireRoot()
        var violations: [String] = []
        for archive in DamagedArchive.allCases {
            do {
                try await Host.with { try await archive.run($0) }
            } catch {
                violations.append("\(archive.rawValue): \(error)")
            }
        }
        for violation in violations { report(violation) }
        report(
            "damaged archives: \(DamagedArchive.allCases.count), violations: \(violations.count)")
        try #require(violations.isEmpty)
    }
}
