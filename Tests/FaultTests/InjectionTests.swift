import DaemonHost
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// Behavior of a daemon when a system call fails or the daemon is killed during the call, for every call.
struct InjectionTests {
    /// Number of daemons that run at the same time.
    private static let width = 4

    /// A fault with the state that is saved before it.
    private struct Item: Sendable {
        var injection: Injection
        var initialState: InitialState
    }

    /// Remaining faults, and the outcomes of the other faults.
    private final class Tally: Sendable {
        struct State {
            var items: [Item] = []
            var faultCounts: [String: Int] = [:]
            var violations: [String] = []
        }

        let state = Mutex(State())
    }

    @Test(.serialized, arguments: Protection.allCases)
    func `a fault in any system call on the archive is reported and loses no acknowledged change`(
        protection: Protection
    ) async throws {
        let tally = Tally()
        for initialState in InitialState.allCases {
            try await Host.with { template in
                try template.configure(applications: Host.childViews)
                try protection.set(up: template)
                try await initialState.prepare(template)
                let items = try await plan(initialState, template, protection)
                tally.state.withLock { $0.items = items.reversed() }
                await withTaskGroup { group in
                    for _ in 0..<Self.width {
                        group.addTask { await work(template, tally) }
                    }
                }
            }
        }
        let (faultCounts, violations) = tally.state.withLock { ($0.faultCounts, $0.violations) }
        for violation in violations { report(violation) }
        report(
            faultCounts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(
                separator: ", "))
        report(
            "\(protection): faults injected: \(faultCounts.values.reduce(0, +)), violations: \(violations.count)"
        )
        try #require(violations.isEmpty)
        // A plan without faults would prove nothing.
        for call in ["openat", "write", "fsync", "fdatasync", "renameat2"] {
            try #require(faultCounts[call] != nil, "\(call): \(faultCounts)")
        }
    }

    /// Returns each fault for each call, as often as the daemon makes the call.
    private func plan(
        _ initialState: InitialState, _ template: Host, _ protection: Protection
    ) async throws -> [Item] {
        let none = Injection(call: "", number: 0, effect: .kill)
        let counts = try await Host.with { host in
            try await copyState(of: template, to: host)
            try await InjectedRun(host: host, injection: none, initialState: initialState)
                .rehearse()
            return Self.counts(in: try Injection.trace(of: host).text())
        }
        var items: [Item] = []
        for (call, count) in counts.sorted(by: { $0.key < $1.key }) {
            for number in 1...count {
                for effect in Self.effects(of: call, number, protection) {
                    let injection = Injection(call: call, number: number, effect: effect)
                    items.append(Item(injection: injection, initialState: initialState))
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
        // Most files and directories are only opened. Other tests cover files that are created on a full disk.
        let makesSomething = ["write", "renameat", "renameat2", "mkdirat", "fsync"]
            .contains(call)
        return makesSomething ? common + [.error(.noSpace), .errors(.noSpace)] : common
    }

    /// Returns the maximum number of calls of each kind in one thread, because strace(1) counts calls for each thread.
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
        if template.directory.entries.contains("credentials") { try host.encrypt() }
        guard !template.state.entries.isEmpty else { return }
        try await host.run(command: ["cp", "-a", template.state.string, host.directory.string])
    }

    private func work(_ template: Host, _ tally: Tally) async {
        while let item = tally.state.withLock({ $0.items.popLast() }) {
            do {
                let occurred = try await Host.with { host in
                    try await copyState(of: template, to: host)
                    return try await InjectedRun(
                        host: host, injection: item.injection, initialState: item.initialState
                    ).run()
                }
                if occurred {
                    tally.state.withLock { $0.faultCounts[item.injection.call, default: 0] += 1 }
                }
            } catch {
                tally.state.withLock {
                    $0.faultCounts[item.injection.call, default: 0] += 1
                    $0.violations.append("\(item.injection), \(item.initialState): \(error)")
                }
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(drop(while: \.isWhitespace)) }
}
