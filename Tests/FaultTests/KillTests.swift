import DaemonHost
import Glibc
import Subprocess
import TestSupport
import Testing

/// State that remains when the daemon is repeatedly killed at random times.
struct KillTests {
    /// Number of times that the daemon is killed.
    private static let killCount = number("REPRISE_KILLS") ?? 300

    /// Seed for the random times.
    private static let seed = UInt64(number("REPRISE_SEED") ?? 1)

    private static let applications = """
        [{ bundleIdentifier: org.reprise.ChildViews, scenes: [main, second, third] }, \
        { bundleIdentifier: org.reprise.Scrapbook }]
        """

    private static let fields = [
        Field.child1, Field.child2,
        Field(scene: "second", path: Field.child1.path, byteCount: 200),
        Field(scene: "third", path: Field.child2.path, byteCount: 6_000),
        Field(application: "org.reprise.Scrapbook", path: "tabs/notes/textView", byteCount: 500),
    ]

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }

    private struct Tally {
        var killCount = 0
        var lost = 0
        var half = 0
        var quarantined = 0
        var details: [String] = []
    }

    @Test(.serialized, arguments: Protection.allCases)
    func `L3: a kill at any time, even during a launch, loses no acknowledged change`(
        protection: Protection
    ) async throws {
        var tally = Tally()
        var outcome: Result<Void, any Error> = .success(())
        do {
            try await Host.with { host in
                try protection.set(up: host)
                try await killRepeatedly(host, &tally)
                try #require(tally.lost + tally.half + tally.quarantined == 0, "\(tally.details)")
            }
        } catch {
            outcome = .failure(error)
        }
        report(
            """
            \(protection): kills: \(tally.killCount), lost: \(tally.lost), half: \(tally.half), \
            quarantined: \(tally.quarantined)
            """)
        try outcome.get()
        try #require(tally.killCount == Self.killCount)
    }

    private func killRepeatedly(_ host: Host, _ tally: inout Tally) async throws {
        try host.configure(applications: Self.applications, interval: "10ms")
        var random = SeededNumbers(seed: Self.seed)
        var typists = Self.fields.map(Typist.init)
        var launchesInRow = 0
        var hasArchive = false
        while tally.killCount < Self.killCount {
            // After more than four in a row, the launches would count as failed (L2).
            if hasArchive, launchesInRow < 4, Int.random(in: 0..<3, using: &random) == 0 {
                launchesInRow += 1
                let delay = Duration.microseconds(Int.random(in: 0..<20_000, using: &random))
                try await host.run(waitsUntilReady: false, endingBy: nil) { daemon in
                    // The test depends on the time of the kill, so there is no condition to wait for.
                    try await Task.sleep(for: delay)
                    try daemon.send(.kill)
                }
            } else {
                launchesInRow = 0
                let known = typists
                let delay = Duration.microseconds(Int.random(in: 0..<40_000, using: &random))
                let ended = try await host.run(endingBy: nil) { daemon in
                    let result = try verify(known, host, isFirst: !hasArchive)
                    let typed = try await Self.type(result.typists, host, daemon, for: delay)
                    return (result.tally, typed)
                }
                hasArchive = true
                tally.lost += ended.value.0.lost
                tally.half += ended.value.0.half
                tally.details += ended.value.0.details
                typists = ended.value.1
            }
            tally.killCount += 1
        }
        let known = typists
        let last = try await host.run { _ in try verify(known, host, isFirst: false).tally }
        tally.lost += last.value.lost
        tally.half += last.value.half
        tally.details += last.value.details
        tally.quarantined =
            try host.quarantined().count
            + host.quarantined(of: "org.reprise.Scrapbook").count
        try #require(typists.allSatisfy { $0.acknowledged > 0 })
    }

    /// Checks every field and every launch reason after a restart.
    private func verify(
        _ known: [Typist], _ host: Host, isFirst: Bool
    ) throws -> (typists: [Typist], tally: Tally) {
        var typists = known
        var tally = Tally()
        let client = try ControlClient(host)
        for application in Set(known.map(\.field.application)) {
            let status = try client.status(of: application)
            for scene in status.scenes {
                try Violation.unless(
                    scene.launchReason == (isFirst ? "pristine" : "recover"), "\(status)")
            }
        }
        for index in typists.indices {
            let before = typists[index]
            let content = try client.content(of: before.field)
            switch typists[index].verify(content) {
            case .whole: continue
            case .lost: tally.lost += 1
            case .half: tally.half += 1
            }
            tally.details.append("\(before) has \(content)")
        }
        return (typists, tally)
    }

    private static func type(
        _ typists: [Typist], _ host: Host, _ daemon: Daemon, for duration: Duration
    ) async throws -> [Typist] {
        try await runOnOwnThread {
            var load = try Load(typists, to: host.socket)
            try load.run(until: .now + duration) { try daemon.send(.kill) }
            return load.typists
        }
    }
}
