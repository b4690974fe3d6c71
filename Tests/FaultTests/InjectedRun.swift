import DaemonHost
import Subprocess
import SystemPackage

/// Run of a daemon with one fault, followed by a check of its state.
struct InjectedRun {
    /// Host of the daemon, with a prepared state directory.
    let host: Host
    /// The fault to inject.
    let injection: Injection
    /// The initial state.
    let initialState: InitialState
    /// The archive at the beginning, if it is damaged.
    private let damagedArchive: [UInt8]?

    init(host: Host, injection: Injection, initialState: InitialState) throws {
        self.host = host
        self.injection = injection
        self.initialState = initialState
        damagedArchive = initialState.isDamaged ? try host.content(of: host.archive) : nil
    }

    /// Number of strings that are typed while the fault may occur.
    static let textCount = 4

    var saved: Int { initialState.number }
    var field: Field { InitialState.field }

    /// Requires the expected state after a restart.
    func requireRestored(
        _ numbers: ClosedRange<Int>, bulk: ClosedRange<Int>, reasons: [String] = ["recover"]
    ) async throws {
        try await host.requireRestored(
            (field, numbers), (InitialState.bulk, bulk), reasons: reasons)
        if let damagedArchive { return try requireQuarantined(damagedArchive) }
        let names = try host.quarantined()
        try Violation.unless(names.isEmpty, "in quarantine: \(names)")
    }

    /// Requires that the damaged archive is in quarantine unchanged, and that nothing else is in quarantine.
    private func requireQuarantined(_ bytes: [UInt8]) throws {
        let quarantine = host.savedState.appending("quarantine")
        let names = quarantine.entries.filter { !$0.hasSuffix(".reason") }
        let copies = try names.filter { try host.content(of: quarantine.appending($0)) == bytes }
        try Violation.unless(!copies.isEmpty, "what was spoiled is gone: \(names)")
        let others = try host.quarantined().filter { !copies.contains($0) }
        try Violation.unless(others.isEmpty, "in quarantine: \(others)")
    }

    /// Types everything without a fault, so that the system calls can be counted.
    func rehearse() async throws {
        try await host.run(by: Injection.prefix(host)) { _ in
            let client = try ControlClient(host)
            if initialState == .large {
                _ = try client.type(initialState.bulkNumber + 1, into: InitialState.bulk)
            }
            for number in saved + 1...saved + Self.textCount {
                _ = try client.type(number, into: field)
            }
            _ = try client.preserve()
            try awaitCompaction(client)
        }
    }

    /// Waits until the archive has been compacted, if it is large, or until the injected error was reported.
    ///
    /// - Throws: ``DaemonEnded`` if the daemon exits first.
    func awaitCompaction(_ client: ControlClient) throws {
        guard initialState == .large else { return }
        let deadline = ContinuousClock.now + .seconds(30)
        // An error between the exchange of the files and the end of a compaction is reported after the file is small.
        func isCompacting() throws -> Bool {
            try host.archive.byteCount > 3 * InitialState.bulk.byteCount
                || injection.call == "fsync"
                    && host.savedState.entries.contains("data.archive.compacted")
        }
        while try isCompacting() {
            let lastError = try client.status().lastError
            if let errno = injection.errno, lastError?.contains(errno.description) == true {
                return
            }
            try Violation.unless(.now < deadline, "the archive is not compacted")
        }
    }

    /// Runs the daemon with the fault.
    ///
    /// - Returns: Whether the fault occurred.
    /// - Throws: ``Violation`` if the daemon violated a rule.
    func run() async throws -> Bool {
        if injection.effect == .kill { try await runToKill() } else { try await runThroughErrors() }
    }

    private func runToKill() async throws -> Bool {
        let ended = try await host.run(
            by: injection.prefix(host), waitsUntilReady: false, endingBy: nil
        ) { daemon in
            var acknowledged = saved
            var sent = saved
            var bulk = initialState.bulkNumber
            do {
                try await daemon.notifications.wait(for: "READY=1")
                let client = try ControlClient(host)
                if initialState == .large,
                    try client.type(bulk + 1, into: InitialState.bulk).isSaved
                {
                    bulk += 1
                }
                for number in saved + 1...saved + Self.textCount {
                    sent = number
                    let reply = try client.type(number, into: field)
                    try Violation.unless(reply.isSaved, "not saved: \(reply)")
                    acknowledged = number
                }
                _ = try client.preserve()
                try awaitCompaction(client)
                try daemon.send(.terminate)
            } catch Errno.brokenPipe, Errno.connectionRefused, is DaemonEnded {
                // The daemon was killed.
            }
            return (daemon.process, acknowledged, sent, bulk)
        }
        let (process, acknowledged, sent, bulk) = ended.value
        let occurred = try injection.occurred(host, killing: process)
        try Violation.unless(
            occurred ? ended.status == .signaled(9) : ended.status == .exited(0), "\(ended)")
        let reasons =
            occurred
            ? (sent == 0 ? ["pristine", "recover"] : ["recover", "restore"]) : ["restore"]
        let maximumBulk = initialState.bulkNumber + (initialState == .large ? 1 : 0)
        try await requireRestored(
            acknowledged...sent, bulk: bulk...maximumBulk, reasons: reasons)
        return occurred
    }
}
