import ExactText
import Glibc
import LinuxIO
import Logging
import Preservation
import RepriseControl
import Synchronization
import TerminalText
import Varlink

/// Log of user requests that remove or replace state, or that stop or move something.
struct AuditLog: Sendable {
    /// Log whose level cannot be changed by the configuration or by clients.
    let log: DaemonLog
    let applications: ApplicationList
    /// Rate limiter for the messages about each user.
    let rateLimiter: AuditRateLimiter

    /// Calls that are logged, keyed by the names of their methods.
    private static let loggedCalls: [String: any MethodCall.Type] = {
        let calls: [any MethodCall.Type] = [
            CloseCall.self, QuitCall.self, LaunchCall.self, RollbackCall.self, ResetCall.self,
            BackupCall.self, HistoryDeleteCall.self, QuarantineDeleteCall.self,
            QuarantineAcknowledgeCall.self, QuarantinePutBackCall.self, ReloadCall.self,
            RekeyCall.self, RelocateCall.self, DrainCall.self, ClusterPauseCall.self,
            ClusterResumeCall.self, ClusterTakeCall.self, DebugExitCall.self, DebugTrapCall.self,
            SystemdServiceInterface.ReloadCall.self, SystemdServiceInterface.SetLogLevelCall.self,
        ]
        return Dictionary(uniqueKeysWithValues: calls.map { ($0.qualifiedMethod, $0) })
    }()

    /// Maximum length of logged parameters, in bytes.
    private static let maximumParameterBytes = 400
    /// Maximum length of a logged name, in bytes.
    private static let maximumNameBytes = 200

    /// Logs a call before it runs, if ``loggedCalls`` contains its method.
    func record(_ call: Call, by peer: Peer) {
        guard let type = Self.loggedCalls[call.method] else { return }
        let (parameters, json) = Self.parameters(of: call)
        let application = application(of: type, parameters)
        let subject = AuditRateLimiter.Subject(
            userID: peer.uid, method: call.method, application: application)
        var fields = ["REPRISE_COMMAND": call.method, "REPRISE_UID": "\(peer.uid)"]
        let shouldLog = rateLimiter.count(subject) { [log, fields] subject, suppressedCount in
            var fields = fields
            fields["REPRISE_APPLICATION"] = subject.application
            log.log(
                .notice, .operationRequested,
                "user \(peer.uid) requested \(type.method)"
                    + (subject.application.map { " of \($0.quoted)" } ?? "")
                    + " \(suppressedCount) more times within a minute", fields)
        }
        fields["REPRISE_APPLICATION"] = application
        if !shouldLog { return }
        fields["REPRISE_PARAMETERS"] = json.truncated(to: Self.maximumParameterBytes)
        let program = peer.programName
        fields["REPRISE_PROGRAM"] = program
        // A process outside the daemon's PID namespace has the identifier 0.
        if peer.pid != 0 { fields["REPRISE_PID"] = "\(peer.pid)" }
        let process = peer.pid == 0 ? "a process in another PID namespace" : "process \(peer.pid)"
        let sceneParameter = type == CloseCall.self ? "name" : "scene"
        fields["REPRISE_SCENE"] = parameters[sceneParameter]?.truncatedString(Self.maximumNameBytes)
        let target = [application, fields["REPRISE_SCENE"]]
            .compactMap { $0?.quoted }.joined(separator: " ")
        log.log(
            .notice, .operationRequested,
            "user \(peer.uid), \(process)\(program.map { " (\($0.quoted))" } ?? ""), requested "
                + type.method + (target.isEmpty ? "" : " of \(target)")
                + (parameters["force"] == .bool(true) ? " with force" : ""), fields)
    }

    /// Returns the application that a call operates on, or `nil` if the call operates on the daemon.
    private func application(
        of call: any MethodCall.Type, _ parameters: [String: StateJSON]
    ) -> String? {
        guard call is any ApplicationCall.Type || call == ClusterTakeCall.self else { return nil }
        if let name = parameters["application"]?.truncatedString(Self.maximumNameBytes) {
            return name
        }
        // A backup includes all applications.
        return call == BackupCall.self ? nil : applications.applications.first?.bundleIdentifier
    }

    /// Returns the parameters of a call as values, and as JSON without the client's whitespace.
    private static func parameters(of call: Call) -> ([String: StateJSON], json: String) {
        do {
            let parameters = try JSONText.read([String: StateJSON].self, from: call.parameters)
            let json = try JSONText.write(parameters)
            return (parameters, String(decoding: json, as: UTF8.self))
        } catch {
            return ([:], "")  // A call is a JSON object, which can always be decoded and encoded.
        }
    }
}

/// Rate limiter for messages about a user's repeated requests.
///
/// The limiter counts the requests that are not logged.
///
/// The limit prevents a user from filling the log, and from displacing other events in the event history.
final class AuditRateLimiter: Sendable {
    /// User, method and application of a request.
    struct Subject: Hashable, Sendable {
        let userID: uid_t
        let method: String
        let application: String?
    }

    /// Maximum number of messages about one subject per minute.
    static let maximumPerMinute = 20
    /// Maximum number of distinct subjects per minute.
    ///
    /// This number is limited because clients can send any application name.
    static let maximumSubjects = 200

    /// Function that runs a closure after one minute.
    typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let requestCounts = Mutex<[Subject: Int]>([:])
    private let schedule: Scheduler

    init(schedule: @escaping Scheduler) {
        self.schedule = schedule
    }

    /// Counts a request, and returns whether to log it.
    ///
    /// - Parameter logSuppressed: A closure that is called at the end of the subject's minute if some requests were not
    ///   logged. It receives the subject and the number of these requests. If there are too many subjects, the closure
    ///   receives a subject without an application, which stands for all further applications.
    func count(
        _ subject: Subject, logSuppressed: @escaping @Sendable (Subject, Int) -> Void
    ) -> Bool {
        let (subject, count) = requestCounts.withLock { counts in
            let hasTooManySubjects = counts[subject] == nil && counts.count >= Self.maximumSubjects
            let subject =
                hasTooManySubjects
                ? Subject(userID: subject.userID, method: subject.method, application: nil)
                : subject
            counts[subject, default: 0] += 1
            return (subject, counts[subject, default: 0])
        }
        if count == 1 {
            schedule {
                let requestCount = self.requestCounts.withLock {
                    $0.removeValue(forKey: subject) ?? 0
                }
                if requestCount > Self.maximumPerMinute {
                    logSuppressed(subject, requestCount - Self.maximumPerMinute)
                }
            }
        }
        return count <= Self.maximumPerMinute
    }
}

extension StateJSON {
    /// Returns the value's string, truncated to the given number of bytes, or `nil` if the value is not a string.
    fileprivate func truncatedString(_ maximumBytes: Int) -> String? {
        if case .string(let text) = self { text.truncated(to: maximumBytes) } else { nil }
    }
}

extension String {
    /// Returns the string, truncated at a Unicode scalar boundary and marked with `…` if it has more than the given
    /// number of bytes.
    fileprivate func truncated(to maximumBytes: Int) -> String {
        if utf8.count <= maximumBytes { return self }
        var end = utf8.index(startIndex, offsetBy: maximumBytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}

extension Peer {
    /// Name of the peer's program, or `nil` if the process has exited or cannot be inspected.
    var programName: String? {
        do {
            let bytes = try Directory.open("/proc/\(pid)")?.read("comm", limit: 64) ?? []
            return bytes.isEmpty ? nil : String(decoding: bytes.dropLast(), as: UTF8.self)
        } catch {
            return nil
        }
    }
}
