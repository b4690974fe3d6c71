import LinuxIO
import Logging
import Preservation
import RepriseControl
import Varlink

/// Tells who asked for what takes state away, brings other state back, or ends something.
struct AuditLog: Sendable {
    let log: DaemonLog
    let applications: ApplicationList

    /// The methods that are told of.
    private static let methods: Set<String> = Set(
        [
            CloseCall.qualifiedMethod, QuitCall.qualifiedMethod, LaunchCall.qualifiedMethod,
            RollbackCall.qualifiedMethod, ResetCall.qualifiedMethod,
            QuarantinePutBackCall.qualifiedMethod, ReloadCall.qualifiedMethod,
            DebugExitCall.qualifiedMethod, DebugTrapCall.qualifiedMethod,
        ] + ["Reload", "SetLogLevel"].map { "\(ServiceControl.name).\($0)" })

    /// The most bytes of parameters that are told.
    private static let mostBytes = 400

    /// What a call is about.
    private struct Subject: Decodable {
        var application: String?
        var scene: String?
    }

    /// Tells of a call that is about to be carried out, if it is one of those.
    func note(_ call: Call, by peer: Peer) {
        guard Self.methods.contains(call.method) else { return }
        let method = call.method.split(separator: ".").last.map(String.init) ?? call.method
        let program = peer.program
        var fields = [
            "REPRISE_METHOD": call.method, "REPRISE_UID": "\(peer.uid)",
            "REPRISE_PID": "\(peer.pid)",
        ]
        fields["REPRISE_PROGRAM"] = program
        var about = ""
        if let subject = Self.subject(of: call) {
            fields["REPRISE_SCENE"] = subject.scene
            if let application = application(of: call, subject) {
                fields["REPRISE_APPLICATION"] = application
                about = " of \(application)"
            }
        }
        let bytes = call.parameters.prefix(Self.mostBytes)
        let parameters = String(decoding: bytes, as: UTF8.self)
        fields["REPRISE_PARAMETERS"] = parameters + (bytes.count < call.parameters.count ? "…" : "")
        log.tell(
            .notice, .asked,
            "\(method)\(about) is asked for by user \(peer.uid), process \(peer.pid)"
                + (program.map { " (\($0))" } ?? ""), fields)
    }

    /// The application that a call is carried out on; nil: it is about the daemon.
    private func application(of call: Call, _ subject: Subject) -> String? {
        if call.method == ReloadCall.qualifiedMethod || call.method.hasPrefix(ServiceControl.name) {
            return nil
        }
        return subject.application ?? applications.applications.first?.bundleIdentifier
    }

    private static func subject(of call: Call) -> Subject? {
        do {
            return try JSONText.decode(Subject.self, from: call.parameters)
        } catch {
            return nil  // The definition was checked: it has neither.
        }
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
