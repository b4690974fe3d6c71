import DaemonHost
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// What a daemon does when the kernel refuses a call, or it is killed in one, at every call there is.
struct InjectionTests {
    /// So many daemons run at once.
    private static let width = 4

    /// A fault, and what is saved before.
    private struct Item: Sendable {
        var injection: Injection
        var start: InjectedStart
    }

    /// The faults that are left, and what came of the others.
    private final class Tally: Sendable {
        struct State {
            var items: [Item] = []
            var struck: [String: Int] = [:]
            var violations: [String] = []
        }

        let state = Mutex(State())
    }

    @Test(.serialized, arguments: Protection.allCases)
    func `a fault in any call on the archive is told, and loses nothing acknowledged`(
        protection: Protection
    ) async throws {
        let tally = Tally()
        for start in InjectedStart.allCases {
            try await Host.with { template in
                try template.configure(applications: Host.childViews)
                try protection.set(up: template)
                try await start.prepare(template)
                let items = try await plan(start, template, protection)
                tally.state.withLock { $0.items = items.reversed() }
                await withTaskGroup { group in
                    for _ in 0..<Self.width {
                        group.addTask { await work(template, tally) }
                    }
                }
            }
        }
        let (struck, violations) = tally.state.withLock { ($0.struck, $0.violations) }
        for violation in violations { report(violation) }
        report(
            struck.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(
                separator: ", "))
        report(
            "\(protection): faults injected: \(struck.values.reduce(0, +)), violations: \(violations.count)"
        )
        try #require(violations.isEmpty)
        // A plan that meets nothing would prove nothing.
        for call in ["openat", "write", "fsync", "fdatasync", "renameat2"] {
            try #require(struck[call] != nil, "\(call): \(struck)")
        }
    }

    /// Every fault at every call, as often as the daemon makes it.
    private func plan(
        _ start: InjectedStart, _ template: Host, _ protection: Protection
    ) async throws -> [Item] {
        let none = Injection(call: "", number: 0, effect: .kill)
        let counts = try await Host.with { host in
            try await copyState(of: template, to: host)
            try await InjectedRun(host: host, injection: none, start: start).rehearse()
            return Self.counts(in: try Injection.trace(of: host).text())
        }
        var items: [Item] = []
        for (call, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in 1...count {
                for effect in Self.effects(of: call, number, protection) {
                    let injection = Injection(call: call, number: number, effect: effect)
                    items.append(Item(injection: injection, start: start))
                }
            }
        }
        return items
    }

    /// Effects to inject into a call. With encryption, all errors have the same result. Calls that only open or read
    /// get one of the effects in turn, because the code above the encryption handles the effects.
    private static func effects(
        of call: String, _ number: Int, _ protection: Protection
    ) -> [Injection.Effect] {
        let common: [Injection.Effect] = [.kill, .error(.ioError), .errors(.ioError)]
        if protection == .encrypted {
            return ["openat", "pread64"].contains(call) ? [common[number % common.count]] : common
        }
        // Most files and directories are only opened; those that are made meet a full disk in other tests.
        let makesSomething = ["write", "renameat", "renameat2", "mkdirat", "fsync"]
            .contains(call)
        return makesSomething ? common + [.error(.noSpace), .errors(.noSpace)] : common
    }

    /// The most calls of each kind that one thread made, because strace(1) counts by thread.
    private static func counts(in trace: String) -> [String: Int] {
        var counts: [Substring: [Substring: Int]] = [:]
        for line in trace.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2, let end = parts[1].firstIndex(of: "("),
                Injection.calls.contains(String(parts[1][..<end]).trimmed)
            else { continue }
            counts[parts[1][..<end], default: [:]][parts[0], default: 0] += 1
        }
        return Dictionary(
            counts.map { (String($0.key).trimmed, $0.value.values.max() ?? 0) },
            uniquingKeysWith: max)
    }

    private func copyState(of template: Host, to host: Host) async throws {
        try host.configure(applications: Host.childViews)
        if template.folder.entries.contains("credentials") { try host.encrypt() }
        guard !template.state.entries.isEmpty else { return }
        try await host.run(command: ["cp", "-a", template.state.string, host.folder.string])
    }

    private func work(_ template: Host, _ tally: Tally) async {
        while let item = tally.state.withLock({ $0.items.popLast() }) {
            do {
                let struck = try await Host.with { host in
                    try await copyState(of: template, to: host)
                    return try await InjectedRun(
                        host: host, injection: item.injection, start: item.start
                    ).run()
                }
                if struck {
                    tally.state.withLock { $0.struck[item.injection.call, default: 0] += 1 }
                }
            } catch {
                tally.state.withLock {
                    $0.struck[item.injection.call, default: 0] += 1
                    $0.violations.append("\(item.injection), \(item.start): \(error)")
                }
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(drop(while: \.isWhitespace)) }
}
