import ArgumentParser
import FoundationEssentials
import RepriseControl

struct StatusCommand: ControlCommand {
    static let abstract =
        "Shows the applications, their launch reasons and the durability of their state."

    static let discussion = """
        With --check, the command prints one line for a monitoring system. The exit status shows \
        the severity:
          0  all is well
          1  an operator should check the daemon
          2  changes are not being saved, an application is not running, or the daemon does not \
        reply within 4 seconds
          3  the state of the daemon is unknown, for example because an argument is wrong
        """

    @OptionGroup var options: CallOptions<StatusCall>

    @Flag(help: "Print one line for a monitoring system, and use the severity as the exit status.")
    var check = false

    func run(in context: CommandContext) throws {
        guard check else { return try callAndPrint(resolvedCall(in: context), in: context) }
        let health: HealthCheck
        do {
            health = HealthCheck(
                try Call.decode(
                    context.daemon.call(
                        Call(), isRepeatable: true, defaultTimeout: HealthCheck.replyTimeout)))
        } catch let failure as Failure {
            health = HealthCheck(failure, isRemote: context.daemon.hostName != nil)
        }
        throw try health.print(asJSON: context.printsJSON)
    }

    /// Returns whether a command line appears to request the health check, even if the command line is otherwise
    /// invalid.
    static func requestsCheck(_ words: some Sequence<String>) -> Bool {
        let words = words.prefix { $0 != "--" }
        return words.contains("status") && words.contains("--check")
    }

    func present(_ reply: StatusCall.Reply) {
        Terminal.print(
            "\(reply.program ?? "reprised") \(reply.version), process \(reply.processIdentifier), "
                + (TimeSpan(since: reply.started).map { "running for \($0), " } ?? "")
                + "state in \(reply.stateDirectory)"
                + (reply.encryptionKey.map { ", encrypted with the key \($0)" } ?? ""))
        printConfigurationProblems(reply)
        if let cluster = reply.cluster { printStatus(cluster) }
        let isOwnerKnown = reply.cluster?.problem == nil
        for application in reply.applications {
            printStatus(application, isOwnerKnown: isOwnerKnown)
        }
    }

    private func printConfigurationProblems(_ reply: StatusCall.Reply) {
        if let error = reply.configurationError {
            Terminal.print("changes in the configuration or a storyboard were not applied:")
            for line in error.split(separator: "\n") { Terminal.print("  \(line)") }
        }
        for clause in reply.waitingForRestart {
            Terminal.print("takes effect at the next restart: \(clause)")
        }
        for unwatched in reply.notWatched {
            Terminal.print("watching is off for \(unwatched.path): \(unwatched.reason)")
        }
    }

    private func printStatus(_ cluster: ClusterDescription) {
        let hosts = cluster.hosts.map { host in
            host + (cluster.draining.contains(host) ? " (draining)" : "")
        }
        Terminal.print(
            "host \(cluster.host) of the cluster \(cluster.name), with "
                + (hosts.isEmpty ? "no known hosts" : hosts.joined(separator: ", ")))
        if let problem = cluster.problem { Terminal.print("  \(problem)", .red) }
        for warning in cluster.warnings { Terminal.print("  \(warning)", .yellow) }
        if let pause = cluster.pause { Terminal.print("  \(pause.line)") }
    }

    /// Prints the status of an application.
    ///
    /// - Parameter isOwnerKnown: Whether the daemon knows the owners of all applications in its cluster.
    private func printStatus(_ application: ApplicationDescription, isOwnerKnown: Bool) {
        if let ownership = application.ownership, application.phase == .stopped,
            ownership.notReplicated == nil
        {
            Terminal.print(
                "\(application.bundleIdentifier) \(application.bundleVersion): "
                    + (ownership.host.map { "runs on \($0)" }
                        ?? (isOwnerKnown ? "runs on no host now" : "its host is currently unknown"))
            )
            if let problem = ownership.problem { Terminal.print("  \(problem)", .red) }
            return
        }
        var line = "\(application.bundleIdentifier) \(application.bundleVersion): "
        line += application.phase.rawValue
        if let failure = application.failure { line += ": \(failure)" }
        if application.phase != .failed, application.saved == .no {
            let reason = application.notSavedReason ?? "reason unknown"
            line += ", NOT SAVED: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)"
        }
        if application.phase == .running {
            switch application.saved {
            case .durable where application.lastPass == nil: line += ", nothing is saved"
            case .replicated: line += ", everything is replicated"
            case .durable: line += ", everything is durable"
            case .written:
                line += ", everything is written, \(Self.nondurableWritesText(application))"
            case .no: break
            }
            if let lastPass = application.lastPass { line += ", last saved \(lastPass)" }
        }
        let isProblem = application.phase == .failed || application.saved == .no
        Terminal.print(line, isProblem && application.phase != .stopped ? .red : nil)
        if let count = application.ownership?.notReplicated, count > 0 {
            Terminal.print("  \(countPhrase(count, "change")) not yet replicated")
        }
        if let problem = application.ownership?.problem { Terminal.print("  \(problem)", .red) }
        for scene in application.scenes { scene.print(of: application.bundleIdentifier) }
        if application.phase == .running { printSceneCounts(of: application) }
        if let reason = application.notKept {
            Terminal.print("  no generation can be added to the history: \(reason)")
        }
        if let error = application.lastError, application.failure == nil {
            Terminal.print("  last error\(Self.errorTimeText(of: application)): \(error)")
        }
    }
}

extension StatusCommand {
    /// Prints the numbers of launched and saved scenes if no scene is open or some saved scenes are not launched.
    private func printSceneCounts(of application: ApplicationDescription) {
        if application.launchedScenes == 0 {
            Terminal.print(
                "  no scene is open, \(application.savedScenes) saved: `reprisectl --app "
                    + "\(application.bundleIdentifier) open NAME` opens one")
        } else if application.launchedScenes < application.savedScenes {
            Terminal.print(
                "  \(countPhrase(application.launchedScenes, "scene")) launched, "
                    + "\(application.savedScenes) saved; a command for a saved scene launches it")
        }
    }

    /// Returns the time of the last error, and whether saving has succeeded since then.
    private static func errorTimeText(of application: ApplicationDescription) -> String {
        guard let time = application.lastErrorTime else { return "" }
        var description = time
        if let age = TimeSpan(since: time) { description += ", \(age) ago" }
        // The strings have the same format and a precision of one second, so string order is chronological order.
        if application.saved != .no, let lastPass = application.lastPass, lastPass > time {
            description += "; saved successfully since"
        }
        return " (\(description))"
    }

    /// Returns a description of the writes that a power cut would lose.
    private static func nondurableWritesText(_ application: ApplicationDescription) -> String {
        let writes = countPhrase(application.notDurableWrites, "write")
        let sinceSuffix = application.notDurableSince.map { " since \($0)" } ?? ""
        return "\(writes)\(sinceSuffix) not yet durable"
    }
}

extension SceneDescription {
    /// Prints the lines that `status` and `launch` show for the scene.
    ///
    /// - Parameter application: Bundle identifier of the application, or `nil` for the first configured application.
    func print(of application: String?) {
        Terminal.print("  scene \(name): \(stateText)")
        if unrestored > 0 { printUnrestored(of: application) }
        if let omission { Terminal.print("    \(omission)") }
        if timedOut { Terminal.print("    its restoration was extended for too long") }
        if superfluousCompletions > 0 {
            Terminal.print(
                "    its restoration was completed \(countPhrase(superfluousCompletions, "time")) without "
                    + "having been extended")
        }
    }

    /// Prints the first object that was not restored, its remedy, and the command that lists the remaining objects.
    private func printUnrestored(of application: String?) {
        if let firstObject = firstUnrestored {
            firstObject.print("not restored", indent: "    ")
            if unrestored == 1 { return }
        }
        Terminal.print(
            "    \(countPhrase(unrestored, "object")) not restored: `reprisectl "
                + (application.map { "--app \($0) " } ?? "")
                + "--scene \(name) report` lists them")
    }

    private var stateText: String {
        switch phase {
        case .saved: return "saved, not launched"
        case .failed: return "could not be launched: \(failure ?? "reason unknown")"
        case .restoring, .running: break
        }
        guard let reason = launchReason else { return "waiting to be launched" }
        var line =
            phase == .restoring
            ? "in restoration, reason \(reason)" : "launched with reason \(reason)"
        if recorded > 0 {
            line += ", \(restored) of \(recorded) objects restored"
        }
        return line
    }
}

/// Elapsed time in its largest whole unit, such as `3 hours`.
struct TimeSpan: CustomStringConvertible {
    let description: String

    /// Creates the time that has elapsed since a point in time.
    ///
    /// - Parameter time: The point in time, in RFC 3339 format and UTC. The result is `nil` if the format is different
    ///   or the time is in the future.
    init?(since time: String, now: Date = Date()) {
        let date: Date
        do {
            date = try Date.ISO8601FormatStyle().parse(time)
        } catch {
            return nil
        }
        let elapsedSeconds = now.timeIntervalSince(date)
        guard elapsedSeconds >= 0, let seconds = Int(exactly: elapsedSeconds.rounded(.down)) else {
            return nil
        }
        let units = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        let unit = units.first { seconds >= $0.0 } ?? (1, "second")
        description = countPhrase(seconds / unit.0, unit.1)
    }
}
