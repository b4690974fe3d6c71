import DaemonHost
import Glibc
import Subprocess
import SystemPackage

extension InjectedRun {
    /// Runs a daemon while errors occur. Requires that the errors are reported, that the live state is not affected,
    /// and that saving resumes.
    func runThroughErrors() async throws -> Bool {
        guard let errno = injection.errno else { return false }
        let ended = try await host.run(by: injection.prefix(host), endingBy: .kill) { daemon in
            let client = try ControlClient(host)
            var isLogged = try launch(client, daemon, errno)
            if initialState == .large {
                let reply = try client.type(initialState.bulkNumber + 1, into: InitialState.bulk)
                isLogged = try check(reply, client, errno) || isLogged
            }
            for number in saved + 1...saved + Self.textCount {
                isLogged = try type(number, client, errno) || isLogged
            }
            let preserved = try client.preserve()
            isLogged = try check(preserved, client, errno) || isLogged
            if injection.isPersistent, isTraced(daemon) { try daemon.detachTracer() }
            let (last, isLate) = try saveAgain(client, errno)
            // Compaction begins after the replies, and its errors are reported after them.
            try awaitCompaction(client)
            try awaitLogged(by: daemon, errno)
            return (last, isLogged || isLate)
        }
        let (last, isLogged) = ended.value
        let occurred = try injection.occurred(host)
        try Violation.unless(
            !isLogged || occurred, "an error is told that did not happen: \(ended.log)")
        let bulk = initialState.bulkNumber + (initialState == .large ? 1 : 0)
        try await requireRestored(last...last, bulk: bulk...bulk)
        return occurred
    }

    private func isTraced(_ daemon: Daemon) -> Bool {
        (try? FilePath("/proc/\(daemon.process)/status").text().contains("TracerPid:\t0\n"))
            == false
    }

    /// If the error prevented the launch of the application, requires that it is reported, and that the application can
    /// be launched after the fault has ended.
    private func launch(
        _ client: ControlClient, _ daemon: Daemon, _ errno: Errno
    ) throws -> Bool {
        let status = try client.status()
        guard status.phase == "failed" else { return status.saved == "no" }
        try Violation.unless(
            status.failure?.contains(errno.description) == true,
            "failed without a reason: \(status)")
        if injection.isPersistent { try daemon.detachTracer() }
        try client.launch()
        let content = try client.content(of: field)
        try Violation.unless(content.text == field.text(saved), "launched with \(content)")
        return true
    }

    /// Types a string, and requires that the live state is updated in any case.
    ///
    /// - Returns: Whether the reply reported that the change is not saved.
    private func type(
        _ number: Int, _ client: ControlClient, _ errno: Errno
    ) throws -> Bool {
        let reply = try client.type(number, into: field)
        let isLogged = try check(reply, client, errno)
        let content = try client.content(of: field)
        try Violation.unless(content.text == field.text(number), "\(number) is not there")
        return isLogged
    }

    /// Checks that a reply for an unsaved change contains the reason, and that the status contains it as well.
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

    /// Types until everything is durable. A fault that occurs only once may occur here.
    ///
    /// - Returns: The number of the last string, and whether an error was reported.
    private func saveAgain(
        _ client: ControlClient, _ errno: Errno
    ) throws -> (last: Int, isLogged: Bool) {
        let first = saved + Self.textCount + 1
        for number in first...first + 2 {
            try awaitSaved(client)
            let reply = try client.type(number, into: field)
            let preserved = try client.preserve()
            if reply.isSaved, preserved.saved == "durable" { return (number, number > first) }
            try Violation.unless(!injection.isPersistent, "not saved again: \(reply), \(preserved)")
            _ = try check(reply, client, errno)
            _ = try check(preserved, client, errno)
        }
        throw Violation("saving does not resume")
    }

    /// Waits until saving resumes without a command.
    private func awaitSaved(_ client: ControlClient) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let status = try client.status()
            if status.saved != "no" { return }
            try Violation.unless(.now < deadline, "saving does not resume: \(status)")
        }
    }

    /// Waits until the log contains the error, if a call failed whose error must be logged.
    ///
    /// The file watcher reads the archive after the replies, and its error is logged after that. A call that fails
    /// after this check is not expected in the log.
    private func awaitLogged(by daemon: Daemon, _ errno: Errno) throws {
        guard try injection.occurred(host), try !isHarmless() else { return }
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let log = try daemon.log()
            let isLogged = log.split(separator: "\n").contains { line in
                line.contains(errno.description) && ["<3>", "<4>"].contains(line.prefix(3))
            }
            if isLogged { return }
            try Violation.unless(.now < deadline, "the log does not contain the error: \(log)")
            sched_yield()
        }
    }

    /// Returns whether only the removal of unneeded files failed, which is harmless.
    private func isHarmless() throws -> Bool {
        try Injection.trace(of: host).text().split(separator: "\n")
            .filter { $0.contains("(INJECTED)") }
            .allSatisfy {
                $0.contains("unlinkat(") || ($0.contains("openat(") && $0.contains("O_DIRECTORY"))
            }
    }
}
