import ArgumentParser
import RepriseControl
import Varlink

/// Health of the daemon and its applications, for a monitoring system.
///
/// The check prints one line of output, and its exit status shows the severity.
struct HealthCheck: Equatable {
    /// Severity, with its exit status as in the Monitoring Plugins guidelines.
    enum Severity: Int32, Comparable {
        /// There are no problems.
        case ok = 0
        /// An operator should check the problem, but no data is at risk.
        case warning = 1
        /// Changes are not saved, an application is not running, or the daemon is not running or does not reply.
        case critical = 2
        /// The state of the daemon is unknown, because it could not be called.
        case unknown = 3

        /// Compares severities. A critical problem is more severe than an unknown state.
        static func < (left: Severity, right: Severity) -> Bool {
            left != right
                && (right == .critical || left != .critical && left.rawValue < right.rawValue)
        }
    }

    /// Problem with the daemon or an application.
    struct Problem: Equatable {
        var severity: Severity
        /// Bundle identifier of the application, or `nil` if the problem concerns the daemon.
        var bundleIdentifier: String?
        /// Phrase that describes the problem.
        var reason: String
    }

    /// Problems, most severe first.
    let problems: [Problem]
    /// Short summary of the applications and scenes.
    let summary: String

    /// Severity of the most severe problem.
    var severity: Severity { problems.first?.severity ?? .ok }

    /// Creates the result from the status of a daemon.
    init(_ status: StatusCall.Reply) {
        problems =
            (Self.problems(status)
            + status.applications.flatMap {
                Self.problems($0, in: status.cluster)
            })
            .sorted { $0.severity > $1.severity }
        // The numbers come from a reply, so their sum may overflow.
        let scenes = status.applications.reduce(0) { $0 &+ $1.launchedScenes }
        summary =
            "\(countPhrase(status.applications.count, "application")), \(countPhrase(scenes, "scene")), "
            + Self.durabilitySummary(of: status.applications)
    }

    private static func durabilitySummary(of applications: [ApplicationDescription]) -> String {
        if applications.contains(where: { $0.saved == .no }) {
            return "everything is saved except state that an application does not save"
        }
        let isDurable = applications.allSatisfy { $0.saved == .durable || $0.saved == .replicated }
        return isDurable ? "everything is durable" : "everything is saved"
    }

    /// Default timeout for the daemon's reply. Monitoring systems give up after ten seconds.
    static let replyTimeout = Duration.seconds(4)

    /// Creates the result for a daemon that did not reply.
    ///
    /// - Parameter isRemote: Whether the daemon is on another host. If that host cannot be reached, the state of its
    ///   daemon is unknown.
    init(_ failure: Failure, isRemote: Bool) {
        let line = failure.description.split(separator: "\n").first.map(String.init) ?? ""
        let severity: Severity =
            switch failure.status {
            case .noDaemon, .timedOut: isRemote ? .unknown : .critical
            case .refused: failure.isStartFailure ? .critical : .unknown
            case .usage, .notPermitted, .notPrinted: .unknown
            }
        problems = [Problem(severity: severity, reason: line)]
        summary = ""
    }

    private static func problems(_ status: StatusCall.Reply) -> [Problem] {
        var reasons: [String] = []
        if let error = status.configurationError {
            let line = error.split(separator: "\n").first.map(String.init) ?? error
            reasons.append("a changed configuration was not applied: \(line)")
        }
        reasons += status.waitingForRestart.map { "takes effect at the next restart: \($0)" }
        reasons += [status.cluster?.problem, status.cluster?.pause?.line].compactMap(\.self)
        reasons += status.cluster?.warnings ?? []
        reasons += status.notWatched.map { "watching is off for \($0.path): \($0.reason)" }
        return reasons.map { Problem(severity: .warning, reason: $0) }
    }

    /// Returns the problems with an application.
    ///
    /// - Parameter cluster: The daemon's cluster. If there is a problem with the cluster, the applications' owners are
    ///   unknown.
    private static func problems(
        _ application: ApplicationDescription, in cluster: ClusterDescription?
    ) -> [Problem] {
        let findings =
            savingFindings(application, in: cluster) + sceneFindings(application)
            + historyFindings(application)
        return findings.map {
            Problem(
                severity: $0.severity, bundleIdentifier: application.bundleIdentifier,
                reason: $0.reason)
        }
    }

    private typealias Finding = (severity: Severity, reason: String)

    private static func savingFindings(
        _ application: ApplicationDescription, in cluster: ClusterDescription?
    ) -> [Finding] {
        var findings: [Finding] = []
        if application.phase == .failed {
            let reason = application.failure ?? "reason unknown"
            findings.append((.critical, "could not be launched: \(reason)"))
        } else if application.saved == .no, !application.unwanted {
            let reason = application.notSavedReason ?? "reason unknown"
            findings.append((.critical, "not saved: \(reason)"))
        }
        if let finding = ownershipFinding(application, in: cluster) { findings.append(finding) }
        if let seconds = application.notDurableSeconds, isOverdue(seconds, of: application) {
            let writeCount = countPhrase(application.notDurableWrites, "write")
            findings.append(
                (.warning, "\(writeCount) not durable for \(countPhrase(seconds, "second"))"))
        }
        return findings
    }

    private static func sceneFindings(_ application: ApplicationDescription) -> [Finding] {
        var findings: [Finding] = []
        for scene in application.scenes where scene.phase == .failed {
            let reason = scene.failure ?? "reason unknown"
            findings.append((.warning, "the scene \(scene.name) could not be launched: \(reason)"))
        }
        for case (let name, let omission?) in application.scenes.map({ ($0.name, $0.omission) }) {
            findings.append((.warning, "in the scene \(name) \(omission)"))
        }
        let furtherFailureCount =
            max(0, application.failedScenes) - application.scenes.count { $0.phase == .failed }
        if furtherFailureCount > 0 {
            let sceneCount = countPhrase(furtherFailureCount, "further scene")
            findings.append((.warning, "\(sceneCount) could not be launched"))
        }
        return findings
    }

    /// Returns the problems with an application's history and quarantine.
    private static func historyFindings(_ application: ApplicationDescription) -> [Finding] {
        var findings: [Finding] = []
        if let reason = application.notKept {
            findings.append((.warning, "no generation can be added to the history: \(reason)"))
        }
        if let name = application.lastQuarantined {
            let fileCount = countPhrase(application.quarantinedSinceStart, "file")
            let command = "reprisectl --app \(application.bundleIdentifier) quarantine"
            let reason =
                "\(fileCount) in quarantine since the start, the last one \(name) (`\(command)` lists them, and "
                + "`\(command) acknowledge` ends this warning)"
            findings.append((.warning, reason))
        }
        if let reason = application.quarantineProblem {
            findings.append((.warning, "its quarantine cannot be read: \(reason)"))
        }
        return findings
    }

    /// Returns the severity and a description of the problem with an application's ownership, or `nil` if there is no
    /// problem.
    private static func ownershipFinding(
        _ application: ApplicationDescription, in cluster: ClusterDescription?
    ) -> Finding? {
        guard let ownership = application.ownership else { return nil }
        let reason = ownership.problem.map { ": \($0)" } ?? ""
        if ownership.host == nil {
            if cluster?.problem == nil {
                return (.critical, "runs on no host of the cluster\(reason)")
            }
            // A problem with the ownership means that the application cannot run on this host.
            return (
                ownership.problem == nil ? .warning : .critical, "its host is unknown\(reason)"
            )
        }
        guard let reason = ownership.problem else { return nil }
        if let unreplicatedChangeCount = ownership.notReplicated, unreplicatedChangeCount > 0 {
            return (
                .critical,
                "\(countPhrase(unreplicatedChangeCount, "change")) not replicated: \(reason)"
            )
        }
        let isStopped =
            application.phase == .stopped && ownership.host == cluster?.host
            && ownership.notReplicated == nil
        return (isStopped ? .critical : .warning, reason)
    }

    /// Returns whether a change has not become durable for too long. Normally, a change becomes durable after the
    /// preservation interval and a sync.
    private static func isOverdue(_ seconds: Int, of application: ApplicationDescription) -> Bool {
        seconds > 60 && Double(seconds) > 2 * application.preservationInterval
    }

    /// Prints the result as a line or as JSON.
    ///
    /// - Returns: Exit code of the command, which shows the severity.
    func print(asJSON: Bool) throws -> ExitCode {
        if asJSON {
            try Terminal.write(asJSON: members)
        } else {
            let reasons = problems.map { problem in
                (problem.bundleIdentifier.map { "\($0): " } ?? "") + problem.reason
            }
            Terminal.print(
                "\(severity)".uppercased() + ": "
                    + (reasons.isEmpty ? summary : reasons.joined(separator: "; ")))
        }
        return ExitCode(severity.rawValue)
    }

    private var members: [String: StateJSON] {
        let problemMembers = problems.map { problem in
            var members: [String: StateJSON] = [
                "level": .string("\(problem.severity)"), "reason": .string(problem.reason),
            ]
            members["application"] = problem.bundleIdentifier.map(StateJSON.string)
            return StateJSON.object(members)
        }
        return [
            "health": .string("\(severity)"), "problems": .array(problemMembers),
            "summary": .string(summary),
        ]
    }
}
