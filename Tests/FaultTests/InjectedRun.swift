import DaemonHost
import Subprocess
import SystemPackage

/// One life of a daemon with one fault in it, and a look at what is left.
struct InjectedRun {
    /// Where the daemon lives; its state directory is as it is to begin with.
    let host: Host
    /// The fault.
    let injection: Injection
    /// The text that is saved at the start; 0 for none.
    let saved: Int

    /// Texts that are typed while the fault may strike.
    private static let texts = 4

    private var field: Field { Field(path: Field.child1.path, byteCount: 1_500) }

    /// Types everything as often as a plan needs it, without any fault.
    func rehearse() async throws {
        try await host.run(by: Injection.prefix(host)) { _ in
            let client = try ControlClient(host)
            for number in saved + 1...saved + Self.texts {
                _ = try client.type(number, into: field)
            }
            _ = try client.preserve()
        }
    }

    /// - Returns: Whether the fault struck.
    /// - Throws: ``Violation`` when the daemon did what it must not.
    func run() async throws -> Bool {
        if injection.effect == .kill { try await runToKill() } else { try await runThroughErrors() }
    }

    // MARK: Kill

    private func runToKill() async throws -> Bool {
        let ended = try await host.run(
            by: injection.prefix(host), isAwaited: false, endingBy: nil
        ) { daemon in
            var acknowledged = saved
            var sent = saved
            do {
                try await daemon.notifications.wait(for: "READY=1")
                let client = try ControlClient(host)
                for number in saved + 1...saved + Self.texts {
                    sent = number
                    let reply = try client.type(number, into: field)
                    try Violation.unless(reply.isSaved, "not saved: \(reply)")
                    acknowledged = number
                }
                _ = try client.preserve()
                try daemon.send(.terminate)
            } catch Errno.brokenPipe, Errno.connectionRefused, is DaemonEnded {
                // It was struck.
            }
            return (acknowledged, sent)
        }
        let (acknowledged, sent) = ended.value
        let struck = try injection.struck(host)
        try Violation.unless(
            struck ? ended.status == .signaled(9) : ended.status == .exited(0), "\(ended)")
        let reasons =
            struck
            ? (sent == 0 ? ["pristine", "recover"] : ["recover", "restore"]) : ["restore"]
        try await host.requireRestored(field, acknowledged...sent, reasons: reasons)
        try requireNoQuarantine()
        return struck
    }

    // MARK: Errors

    private func runThroughErrors() async throws -> Bool {
        guard let errno = injection.errno else { return false }
        let ended = try await host.run(by: injection.prefix(host), endingBy: .kill) { daemon in
            let client = try ControlClient(host)
            var isTold = try launch(client, daemon, errno)
            for number in saved + 1...saved + Self.texts {
                isTold = try type(number, client, errno) || isTold
            }
            let preserved = try client.preserve()
            isTold = try check(preserved, client, errno) || isTold
            if injection.lasts, isTraced(daemon) { try daemon.detachTracer() }
            let (last, isLate) = try saveAgain(client, errno)
            return (last, isTold || isLate)
        }
        let (last, isTold) = ended.value
        let struck = try injection.struck(host)
        try Violation.unless(
            !isTold || struck, "an error is told that did not happen: \(ended.log)")
        if struck { try requireTold(in: ended.log, errno) }
        try await host.requireRestored(field, last...last)
        try requireNoQuarantine()
        return struck
    }

    private func isTraced(_ daemon: Daemon) -> Bool {
        (try? FilePath("/proc/\(daemon.process)/status").text().contains("TracerPid:\t0\n"))
            == false
    }

    /// If the application could not be launched because of the error: that it is told, and launches
    /// when the fault is gone.
    private func launch(
        _ client: ControlClient, _ daemon: Daemon, _ errno: Errno
    ) throws -> Bool {
        let status = try client.status()
        guard status.phase == "failed" else { return status.saved == "no" }
        try Violation.unless(
            status.failure?.contains(errno.description) == true,
            "failed without a reason: \(status)")
        if injection.lasts { try daemon.detachTracer() }
        try client.launch()
        let content = try client.content(of: field)
        try Violation.unless(content.text == field.text(saved), "launched with \(content)")
        return true
    }

    /// Types; the live state has to go on in any case.
    ///
    /// - Returns: Whether it was told that something is not saved.
    private func type(
        _ number: Int, _ client: ControlClient, _ errno: Errno
    ) throws -> Bool {
        let reply = try client.type(number, into: field)
        let isTold = try check(reply, client, errno)
        let content = try client.content(of: field)
        try Violation.unless(content.text == field.text(number), "\(number) is not there")
        return isTold
    }

    /// A reply that tells of no save tells why, and so does the status.
    private func check(
        _ reply: SavedReply, _ client: ControlClient, _ errno: Errno
    ) throws -> Bool {
        if reply.isSaved { return false }
        try Violation.unless(
            reply.saved == "no" && reply.notSavedReason?.contains(errno.description) == true,
            "not saved without the reason: \(reply)")
        let status = try client.status()
        try Violation.unless(
            status.lastError?.contains(errno.description) == true
                || status.notSavedReason?.contains(errno.description) == true,
            "the status does not tell: \(status)")
        return true
    }

    /// Types until everything is durable. A fault that comes but once may come only now.
    ///
    /// - Returns: The number of the last text, and whether an error was told.
    private func saveAgain(
        _ client: ControlClient, _ errno: Errno
    ) throws -> (last: Int, isTold: Bool) {
        let first = saved + Self.texts + 1
        for number in first...first + 2 {
            try awaitSaved(client)
            let reply = try client.type(number, into: field)
            let preserved = try client.preserve()
            if reply.isSaved, preserved.saved == "durable" { return (number, number > first) }
            try Violation.unless(!injection.lasts, "not saved again: \(reply), \(preserved)")
            _ = try check(reply, client, errno)
            _ = try check(preserved, client, errno)
        }
        throw Violation("saving does not resume")
    }

    /// Saving resumes by itself; nobody commands anything.
    private func awaitSaved(_ client: ControlClient) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let status = try client.status()
            if status.saved != "no" { return }
            try Violation.unless(.now < deadline, "saving does not resume: \(status)")
        }
    }

    private func requireTold(in log: String, _ errno: Errno) throws {
        let isTold = log.split(separator: "\n").contains { line in
            line.contains(errno.description) && ["<3>", "<4>"].contains(line.prefix(3))
        }
        try Violation.unless(isTold, "the log does not tell of the error: \(log)")
    }

    private func requireNoQuarantine() throws {
        let names = host.quarantined()
        try Violation.unless(names.isEmpty, "in quarantine: \(names)")
    }
}
