import ExactText
import Glibc
import LinuxIO
import Logging
import Preservation
import RepriseControl
import Synchronization
import TerminalText
import Varlink

/// Log of the users' requests that remove state, restore other state, or stop or move something.
struct AuditLog: Sendable {
    /// Log whose level neither the configuration nor a client can change.
    let log: DaemonLog
    let applications: ApplicationList
    /// Rate limiter for the messages about each user.
    let minutes: AuditRateLimiter

    /// Methods whose calls are logged.
    private static let methods: Set<String> = Set(
        [
            CloseCall.qualifiedMethod, QuitCall.qualifiedMethod, LaunchCall.qualifiedMethod,
            RollbackCall.qualifiedMethod, ResetCall.qualifiedMethod,
            BackupCall.qualifiedMethod, HistoryDeleteCall.qualifiedMethod,
            QuarantineDeleteCall.qualifiedMethod, QuarantineAcknowledgeCall.qualifiedMethod,
            QuarantinePutBackCall.qualifiedMethod, ReloadCall.qualifiedMethod,
            RekeyCall.qualifiedMethod, RelocateCall.qualifiedMethod, DrainCall.qualifiedMethod,
            ClusterPauseCall.qualifiedMethod, ClusterResumeCall.qualifiedMethod,
            ClusterTakeCall.qualifiedMethod,
            DebugExitCall.qualifiedMethod, DebugTrapCall.qualifiedMethod,
        ] + ["Reload", "SetLogLevel"].map { "\(ServiceControl.name).\($0)" })

    /// Maximum length of logged parameters, in bytes.
    private static let maximumBytes = 400
    /// Maximum length of a logged name, in bytes.
    private static let maximumNameBytes = 200

    /// Logs a call before it runs, if its method is one of the logged methods.
    func record(_ call: Call, by peer: Peer) {
        guard Self.methods.contains(call.method) else { return }
        let command = call.method.split(separator: ".").last.map(String.init) ?? call.method
        let parameters = Self.parameters(of: call)
        let application = application(of: call, parameters)
        let subject = AuditRateLimiter.Subject(
            user: peer.uid, method: call.method, application: application)
        let mayTell = minutes.count(subject) { [log] heldBack in
            var fields = ["REPRISE_COMMAND": call.method, "REPRISE_UID": "\(peer.uid)"]
            fields["REPRISE_APPLICATION"] = application
            log.log(
                .notice, .asked,
                "user \(peer.uid) requested \(command)\(application.map { " of \($0.quoted)" } ?? "") "
                    + "\(heldBack) more times within a minute", fields)
        }
        if !mayTell { return }
        var fields = [
            "REPRISE_COMMAND": call.method, "REPRISE_UID": "\(peer.uid)",
            "REPRISE_PARAMETERS": Self.text(parameters).cut(to: Self.maximumBytes),
        ]
        let program = peer.program
        fields["REPRISE_PROGRAM"] = program
        // A process outside the PID namespace of the daemon has the identifier 0.
        if peer.pid != 0 { fields["REPRISE_PID"] = "\(peer.pid)" }
        let process = peer.pid == 0 ? "a process in another PID namespace" : "process \(peer.pid)"
        let scene = call.method == CloseCall.qualifiedMethod ? "name" : "scene"
        fields["REPRISE_SCENE"] = parameters[scene]?.name(Self.maximumNameBytes)
        fields["REPRISE_APPLICATION"] = application
        let about = [fields["REPRISE_APPLICATION"], fields["REPRISE_SCENE"]]
            .compactMap { $0?.quoted }.joined(separator: " ")
        log.log(
            .notice, .asked,
            "user \(peer.uid), \(process)\(program.map { " (\($0.quoted))" } ?? ""), requested "
                + command + (about.isEmpty ? "" : " of \(about)")
                + (parameters["force"] == .bool(true) ? " with force" : ""), fields)
    }

    /// Returns the application that a call operates on, or `nil` if the call operates on the daemon.
    private func application(of call: Call, _ parameters: [String: StateJSON]) -> String? {
        let ofDaemon = [
            ReloadCall.qualifiedMethod, RekeyCall.qualifiedMethod, DrainCall.qualifiedMethod,
            ClusterPauseCall.qualifiedMethod, ClusterResumeCall.qualifiedMethod,
        ]
        if ofDaemon.contains(call.method) || call.method.hasPrefix(ServiceControl.name) {
            return nil
        }
        if let name = parameters["application"]?.name(Self.maximumNameBytes) { return name }
        // A backup includes all applications.
        if call.method.utf8.elementsEqual(BackupCall.qualifiedMethod.utf8) { return nil }
        return applications.applications.first?.bundleIdentifier
    }

    private static func parameters(of call: Call) -> [String: StateJSON] {
        do {
            return try JSONText.read([String: StateJSON].self, from: call.parameters)
        } catch {
            return [:]  // A call is one JSON object, which can always be decoded.
        }
    }

    /// Returns the parameters as JSON, without the white space that the client sent.
    private static func text(_ parameters: [String: StateJSON]) -> String {
        do {
            return String(decoding: try JSONText.write(parameters), as: UTF8.self)
        } catch {
            return ""  // Decoded values can always be encoded.
        }
    }
}

/// Rate limiter for messages about repeated requests of a user. It counts the requests that are not logged.
///
/// The limit prevents a user from filling the log, and from pushing other events out of the event history.
final class AuditRateLimiter: Sendable {
    /// Method that a user calls, and the application that it operates on.
    struct Subject: Hashable, Sendable {
        let user: uid_t
        let method: String
        let application: String?
    }

    /// Maximum number of messages about one subject per minute.
    static let maximumPerMinute = 20
    /// Maximum number of distinct subjects per minute. It is limited because clients choose the names of
    /// applications.
    static let maximumSubjects = 200

    /// Function that runs a closure after one minute.
    typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let counts = Mutex<[Subject: Int]>([:])
    private let later: Later

    init(later: @escaping Later) {
        self.later = later
    }

    /// Counts a request, and returns whether to log it.
    ///
    /// - Parameter logRest: Closure that is called at the end of the subject's minute with the number of requests that
    ///   were not logged, if there were any.
    func count(_ subject: Subject, logRest: @escaping @Sendable (Int) -> Void) -> Bool {
        let (subject, count) = counts.withLock { counts in
            let isTooMuch = counts[subject] == nil && counts.count >= Self.maximumSubjects
            let subject =
                isTooMuch
                ? Subject(user: subject.user, method: subject.method, application: nil) : subject
            counts[subject, default: 0] += 1
            return (subject, counts[subject, default: 0])
        }
        if count == 1 {
            later {
                let all = self.counts.withLock { $0.removeValue(forKey: subject) ?? 0 }
                if all > Self.maximumPerMinute { logRest(all - Self.maximumPerMinute) }
            }
        }
        return count <= Self.maximumPerMinute
    }
}

extension StateJSON {
    /// Returns a string, truncated to a number of bytes, or `nil` if the value is not a string.
    fileprivate func name(_ maximum: Int) -> String? {
        if case .string(let text) = self { text.cut(to: maximum) } else { nil }
    }
}

extension String {
    /// Returns the string, truncated to at most a number of bytes at a character boundary and marked with `…`.
    fileprivate func cut(to maximum: Int) -> String {
        if utf8.count <= maximum { return self }
        var end = utf8.index(startIndex, offsetBy: maximum)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}

extension Peer {
    /// Name of the peer's program, or `nil` if the process has exited or cannot be inspected.
    var program: String? {
        do {
            let bytes = try Directory.open("/proc/\(pid)")?.read("comm", limit: 64) ?? []
            return bytes.isEmpty ? nil : String(decoding: bytes.dropLast(), as: UTF8.self)
        } catch {
            return nil
        }
    }
}
