import ArgumentParser
import FoundationEssentials
import RepriseControl
import Varlink

/// Whether the daemon and its applications are well, as a monitoring system asks: one line, and an exit
/// status that says how grave it is.
struct HealthCheck {
    /// How grave it is, with the exit statuses of the Monitoring Plugins' guidelines.
    enum Level: Int32, Comparable {
        /// All is well.
        case ok = 0
        /// Somebody should look, and nothing is lost meanwhile.
        case warning = 1
        /// Changes are not saved, or an application does not run.
        case critical = 2
        /// There is no answer.
        case unknown = 3

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Something that is not well.
    struct Problem {
        var level: Level
        /// Nil: it is about the daemon.
        var application: String?
        /// A clause.
        var reason: String
    }

    /// A change that is not durable for longer than this is none that only waits for its interval.
    private static let longest: TimeInterval = 60

    let session: Session

    /// Asks, prints a line, and ends with the status.
    func run() throws {
        var problems: [Problem] = []
        var summary = ""
        do {
            let status = try StatusCall.decode(
                session.daemon.call(StatusCall(), isRepeatable: true))
            problems = Self.problems(status)
            for application in status.applications {
                problems += try quarantined(application, since: status.started)
            }
            summary = Self.summary(status)
        } catch let failure as Failure {
            problems = [Problem(level: .unknown, reason: failure.description)]
        }
        let level = problems.map(\.level).max() ?? .ok
        if session.json {
            try print(level, problems, summary)
        } else {
            let reasons = problems.sorted { $0.level > $1.level }.map { problem in
                (problem.application.map { "\($0): " } ?? "") + problem.reason
            }
            Terminal.print(
                "\(level)".uppercased() + ": "
                    + (reasons.isEmpty ? summary : reasons.joined(separator: "; ")))
        }
        throw ExitCode(level.rawValue)
    }

    private func print(_ level: Level, _ problems: [Problem], _ summary: String) throws {
        let listed = problems.map { problem in
            var members: [String: StateJSON] = [
                "level": .string("\(problem.level)"), "reason": .string(problem.reason),
            ]
            members["application"] = problem.application.map(StateJSON.string)
            return StateJSON.object(members)
        }
        let members: [String: StateJSON] = [
            "health": .string("\(level)"), "problems": .array(listed), "summary": .string(summary),
        ]
        Terminal.write(json: String(decoding: try JSONText.encode(members), as: UTF8.self))
    }

    /// What lies in quarantine since the daemon started.
    private func quarantined(
        _ application: ApplicationDescription, since start: String
    ) throws -> [Problem] {
        var call = QuarantineCall()
        call.application = application.bundleIdentifier
        let reply = try QuarantineCall.decode(session.daemon.call(call, isRepeatable: true))
        // Times of one form: they sort as the times do.
        let new = reply.quarantined.filter { ($0.time ?? "") >= start }
        guard let last = new.last else { return [] }
        return [
            Problem(
                level: .warning, application: application.bundleIdentifier,
                reason: "\(count(new.count, "file")) in quarantine since the start, the last one "
                    + last.name)
        ]
    }

    static func problems(_ status: StatusCall.Reply, now: Date = Date()) -> [Problem] {
        var problems: [Problem] = []
        if let error = status.configurationError {
            let line = error.split(separator: "\n").first.map(String.init) ?? error
            problems.append(
                Problem(level: .warning, reason: "a changed configuration is not in force: \(line)")
            )
        }
        for application in status.applications {
            problems += reasons(application, now).map { level, reason in
                Problem(
                    level: level, application: application.bundleIdentifier, reason: reason)
            }
        }
        return problems
    }

    private static func reasons(
        _ application: ApplicationDescription, _ now: Date
    ) -> [(Level, String)] {
        var reasons: [(Level, String)] = []
        switch application.phase {
        case .failed:
            let reason = application.failure ?? "reason unknown"
            reasons.append((.critical, "could not be launched: \(reason)"))
        case .running, .launching, .stopped:
            if application.saved == .no, let reason = application.notSavedReason {
                reasons.append((.critical, "not saved: \(reason)"))
            }
        }
        if let since = application.notDurableSince, let age = age(of: since, now), age > longest {
            reasons.append(
                (
                    .warning,
                    "\(count(application.notDurableWrites, "write")) not durable since \(since)"
                ))
        }
        for scene in application.scenes where scene.phase == .failed {
            let reason = scene.failure ?? "reason unknown"
            reasons.append((.warning, "the scene \(scene.name) could not be launched: \(reason)"))
        }
        if let reason = application.notKept {
            reasons.append((.warning, "no copy can be made in the history: \(reason)"))
        }
        return reasons
    }

    private static func age(of time: String, _ now: Date) -> TimeInterval? {
        do {
            return now.timeIntervalSince(try Date.ISO8601FormatStyle().parse(time))
        } catch {
            return nil
        }
    }

    private static func summary(_ status: StatusCall.Reply) -> String {
        let scenes = status.applications.reduce(0) { $0 + $1.launchedScenes }
        let isDurable = status.applications.allSatisfy { $0.saved == .durable }
        return "\(count(status.applications.count, "application")), \(count(scenes, "scene")), "
            + (isDurable ? "everything is durable" : "everything is saved")
    }
}
