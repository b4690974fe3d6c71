import ArgumentParser
import RepriseControl
import Varlink

/// Whether the daemon and its applications are well, as a monitoring system asks: one line, and an exit
/// status that says how grave it is.
struct HealthCheck: Equatable {
    /// How grave it is, with the exit statuses of the Monitoring Plugins' guidelines.
    enum Level: Int32, Comparable {
        /// All is well.
        case ok = 0
        /// Somebody should look, and nothing is lost meanwhile.
        case warning = 1
        /// Changes are not saved, an application does not run, or the daemon does not run or answer.
        case critical = 2
        /// Nobody could ask the daemon.
        case unknown = 3

        /// How grave it is among the others: what is known to be lost weighs more than what is not
        /// known.
        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .unknown: 2
            case .critical: 3
            }
        }

        static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }
    }

    /// Something that is not well.
    struct Problem: Equatable {
        var level: Level
        /// Nil: it is about the daemon.
        var application: String?
        /// A clause.
        var reason: String
    }

    /// What is not well, the gravest first.
    let problems: [Problem]
    /// What is there, in a few words.
    let summary: String

    /// How grave it is all in all.
    var level: Level { problems.first?.level ?? .ok }

    /// What a daemon told is judged.
    init(_ status: StatusCall.Reply) {
        problems = (Self.problems(status) + status.applications.flatMap(Self.problems))
            .sorted { $0.level > $1.level }
        let scenes = status.applications.reduce(0) { $0 + $1.launchedScenes }
        summary =
            "\(count(status.applications.count, "application")), \(count(scenes, "scene")), "
            + Self.safety(of: status.applications)
    }

    private static func safety(of applications: [ApplicationDescription]) -> String {
        if applications.contains(where: { $0.saved == .no }) {
            return "everything is saved except state that an application does not save"
        }
        let isDurable = applications.allSatisfy { $0.saved == .durable || $0.saved == .replicated }
        return isDurable ? "everything is durable" : "everything is saved"
    }

    /// Timeout for the daemon's reply if the command line states none. Monitoring systems give up after ten seconds.
    static let timeout = Duration.seconds(4)

    /// The result if the daemon did not reply.
    ///
    /// - Parameter isRemote: Whether the daemon of another host was asked. If that host cannot be reached, nothing is
    ///   known about its daemon.
    init(_ failure: Failure, isRemote: Bool) {
        let line = failure.description.split(separator: "\n").first.map(String.init) ?? ""
        let level: Level =
            switch failure.status {
            case .noDaemon, .timedOut: isRemote ? .unknown : .critical
            case .refused: failure.isOfStart ? .critical : .unknown
            case .usage, .notPermitted, .notPrinted: .unknown
            }
        problems = [Problem(level: level, reason: line)]
        summary = ""
    }

    private static func problems(_ status: StatusCall.Reply) -> [Problem] {
        var reasons: [String] = []
        if let error = status.configurationError {
            let line = error.split(separator: "\n").first.map(String.init) ?? error
            reasons.append("a changed configuration was not applied: \(line)")
        }
        reasons += status.waitingForRestart.map { "waits for the next restart: \($0)" }
        reasons += [status.cluster?.problem].compactMap(\.self)
        reasons += status.notWatched.map { "watching is off for \($0.path): \($0.reason)" }
        return reasons.map { Problem(level: .warning, reason: $0) }
    }

    private static func problems(_ application: ApplicationDescription) -> [Problem] {
        var problems: [Problem] = []
        func note(_ level: Level, _ reason: String) {
            problems.append(
                Problem(level: level, application: application.bundleIdentifier, reason: reason))
        }
        switch application.phase {
        case .failed:
            note(.critical, "could not be launched: \(application.failure ?? "reason unknown")")
        case .running, .launching, .stopped:
            if application.saved == .no, !application.unwanted {
                note(.critical, "not saved: \(application.notSavedReason ?? "reason unknown")")
            }
        }
        if let ownership = application.ownership {
            if ownership.host == nil { note(.critical, "runs on no host of the cluster now") }
            if let reason = ownership.problem { note(.warning, reason) }
        }
        if let seconds = application.notDurableSeconds, isLong(seconds, of: application) {
            let writes = count(application.notDurableWrites, "write")
            note(.warning, "\(writes) not durable for \(count(seconds, "second"))")
        }
        for scene in application.scenes where scene.phase == .failed {
            let reason = scene.failure ?? "reason unknown"
            note(.warning, "the scene \(scene.name) could not be launched: \(reason)")
        }
        for scene in application.scenes {
            if let omission = scene.omission {
                note(.warning, "in the scene \(scene.name) \(omission)")
            }
        }
        let others = application.failedScenes - application.scenes.count { $0.phase == .failed }
        if others > 0 { note(.warning, "\(count(others, "further scene")) could not be launched") }
        if let reason = application.notKept {
            note(.warning, "no generation can be added to the history: \(reason)")
        }
        if let name = application.lastQuarantined {
            let files = count(application.quarantinedSinceStart, "file")
            note(
                .warning,
                "\(files) in quarantine since the start, the last one \(name) (`reprisectl --app "
                    + "\(application.bundleIdentifier) quarantine` lists them, and `quarantine acknowledge` ends this "
                    + "warning)")
        }
        if let reason = application.quarantineProblem {
            note(.warning, "its quarantine cannot be read: \(reason)")
        }
        return problems
    }

    /// Whether a change has not been durable for longer than one that only waits for its interval, which
    /// may just be over, and for the sync then.
    private static func isLong(_ seconds: Int, of application: ApplicationDescription) -> Bool {
        seconds > 60 && Double(seconds) > 2 * application.preservationInterval
    }

    /// Prints a line, or JSON.
    ///
    /// - Returns: The exit code of the command.
    func print(asJSON: Bool) throws -> ExitCode {
        if asJSON {
            Terminal.write(json: String(decoding: try JSONText.encode(members), as: UTF8.self))
        } else {
            let reasons = problems.map { problem in
                (problem.application.map { "\($0): " } ?? "") + problem.reason
            }
            Terminal.print(
                "\(level)".uppercased() + ": "
                    + (reasons.isEmpty ? summary : reasons.joined(separator: "; ")))
        }
        return ExitCode(level.rawValue)
    }

    private var members: [String: StateJSON] {
        let listed = problems.map { problem in
            var members: [String: StateJSON] = [
                "level": .string("\(problem.level)"), "reason": .string(problem.reason),
            ]
            members["application"] = problem.application.map(StateJSON.string)
            return StateJSON.object(members)
        }
        return [
            "health": .string("\(level)"), "problems": .array(listed),
            "summary": .string(summary),
        ]
    }
}
