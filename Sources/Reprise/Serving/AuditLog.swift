import ExactText
import Glibc
import LinuxIO
import Logging
import Preservation
import RepriseControl
import Synchronization
import TerminalText
import Varlink

/// Tells who asked for what takes state away, brings other state back, or ends something.
struct AuditLog: Sendable {
    /// Told of it whatever level the configuration or a client has set.
    let log: DaemonLog
    let applications: ApplicationList
    /// How often each user was told of.
    let minutes: AuditMinutes

    /// The methods that are told of.
    private static let methods: Set<String> = Set(
        [
            CloseCall.qualifiedMethod, QuitCall.qualifiedMethod, LaunchCall.qualifiedMethod,
            RollbackCall.qualifiedMethod, ResetCall.qualifiedMethod,
            BackupCall.qualifiedMethod, HistoryDeleteCall.qualifiedMethod,
            QuarantineDeleteCall.qualifiedMethod, QuarantineAcknowledgeCall.qualifiedMethod,
            QuarantinePutBackCall.qualifiedMethod, ReloadCall.qualifiedMethod,
            RekeyCall.qualifiedMethod,
            DebugExitCall.qualifiedMethod, DebugTrapCall.qualifiedMethod,
        ] + ["Reload", "SetLogLevel"].map { "\(ServiceControl.name).\($0)" })

    /// The most bytes of parameters that are told.
    private static let mostBytes = 400
    /// The most bytes of a name that are told.
    private static let mostNameBytes = 200

    /// Tells of a call that is about to be carried out, if it is one of those.
    func note(_ call: Call, by peer: Peer) {
        guard Self.methods.contains(call.method) else { return }
        let command = call.method.split(separator: ".").last.map(String.init) ?? call.method
        let parameters = Self.parameters(of: call)
        let application = application(of: call, parameters)
        let subject = AuditMinutes.Subject(
            user: peer.uid, method: call.method, application: application)
        let mayTell = minutes.count(subject) { [log] heldBack in
            var fields = ["REPRISE_COMMAND": call.method, "REPRISE_UID": "\(peer.uid)"]
            fields["REPRISE_APPLICATION"] = application
            log.tell(
                .notice, .asked,
                "user \(peer.uid) asked for \(command)\(application.map { " of \($0.quoted)" } ?? "") "
                    + "\(heldBack) more times within a minute", fields)
        }
        if !mayTell { return }
        var fields = [
            "REPRISE_COMMAND": call.method, "REPRISE_UID": "\(peer.uid)",
            "REPRISE_PARAMETERS": Self.text(parameters).cut(to: Self.mostBytes),
        ]
        let program = peer.program
        fields["REPRISE_PROGRAM"] = program
        // A process outside the PID namespace of the daemon has the identifier 0.
        if peer.pid != 0 { fields["REPRISE_PID"] = "\(peer.pid)" }
        let process = peer.pid == 0 ? "a process of another PID namespace" : "process \(peer.pid)"
        let scene = call.method == CloseCall.qualifiedMethod ? "name" : "scene"
        fields["REPRISE_SCENE"] = parameters[scene]?.name(Self.mostNameBytes)
        fields["REPRISE_APPLICATION"] = application
        let about = [fields["REPRISE_APPLICATION"], fields["REPRISE_SCENE"]]
            .compactMap { $0?.quoted }.joined(separator: " ")
        log.tell(
            .notice, .asked,
            "user \(peer.uid), \(process)\(program.map { " (\($0.quoted))" } ?? ""), asks for "
                + command + (about.isEmpty ? "" : " of \(about)"), fields)
    }

    /// The application that a call is carried out on; nil: it is about the daemon.
    private func application(of call: Call, _ parameters: [String: StateJSON]) -> String? {
        let ofDaemon = [ReloadCall.qualifiedMethod, RekeyCall.qualifiedMethod]
        if ofDaemon.contains(call.method) || call.method.hasPrefix(ServiceControl.name) {
            return nil
        }
        if let name = parameters["application"]?.name(Self.mostNameBytes) { return name }
        // A backup is of all applications.
        if call.method.utf8.elementsEqual(BackupCall.qualifiedMethod.utf8) { return nil }
        return applications.applications.first?.bundleIdentifier
    }

    private static func parameters(of call: Call) -> [String: StateJSON] {
        do {
            return try JSONText.decode([String: StateJSON].self, from: call.parameters)
        } catch {
            return [:]  // A call is one JSON object: there is none that cannot be decoded.
        }
    }

    /// What was asked for, without the white space that the client sent.
    private static func text(_ parameters: [String: StateJSON]) -> String {
        do {
            return String(decoding: try JSONText.encode(parameters), as: UTF8.self)
        } catch {
            return ""  // What was decoded can be encoded.
        }
    }
}

/// Bounds how often it is told that a user asks for the same, so that nobody fills the log, or pushes what
/// else happened out of what is remembered of events. What is held back is counted.
final class AuditMinutes: Sendable {
    /// A method that a user calls, of an application.
    struct Subject: Hashable, Sendable {
        let user: uid_t
        let method: String
        let application: String?
    }

    /// So often the same is told within a minute.
    static let most = 20
    /// So much that is not the same is told within a minute; a client chooses the names of applications.
    static let mostSubjects = 200

    /// Runs something when a minute has passed.
    typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let counts = Mutex<[Subject: Int]>([:])
    private let later: Later

    init(later: @escaping Later) {
        self.later = later
    }

    /// Counts that a user asked for something; whether to tell of it.
    ///
    /// - Parameter tell: called at the end of its minute with how often that was not so.
    func count(_ subject: Subject, tell: @escaping @Sendable (Int) -> Void) -> Bool {
        let (subject, count) = counts.withLock { counts in
            let isTooMuch = counts[subject] == nil && counts.count >= Self.mostSubjects
            let subject =
                isTooMuch
                ? Subject(user: subject.user, method: subject.method, application: nil) : subject
            counts[subject, default: 0] += 1
            return (subject, counts[subject, default: 0])
        }
        if count == 1 {
            later {
                let all = self.counts.withLock { $0.removeValue(forKey: subject) ?? 0 }
                if all > Self.most { tell(all - Self.most) }
            }
        }
        return count <= Self.most
    }
}

extension StateJSON {
    /// A text, cut; nil: it is none.
    fileprivate func name(_ most: Int) -> String? {
        if case .string(let text) = self { text.cut(to: most) } else { nil }
    }
}

extension String {
    /// So many of its bytes, as whole characters, and `…` for the others.
    fileprivate func cut(to most: Int) -> String {
        if utf8.count <= most { return self }
        var end = utf8.index(startIndex, offsetBy: most)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}

extension Peer {
    /// The name of its program; nil where it has ended, or may not be seen.
    var program: String? {
        do {
            let bytes = try Directory.open("/proc/\(pid)")?.read("comm", limit: 64) ?? []
            return bytes.isEmpty ? nil : String(decoding: bytes.dropLast(), as: UTF8.self)
        } catch {
            return nil
        }
    }
}
