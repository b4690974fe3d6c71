import ArgumentParser
import RepriseControl
import Varlink

/// `reprisectl status`.
struct StatusCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Tells what the daemon runs, how it was launched, and how safe its state is.")
    static let method = ControlMethod.status
    static let scope = ControlScope.daemon

    @OptionGroup var options: ControlOptions

    var parameters: Empty { Empty() }

    func present(_ answer: StatusReply) {
        Terminal.print(
            "reprised \(answer.version), process \(answer.processIdentifier), "
                + "state in \(answer.stateDirectory)")
        for application in answer.applications { describe(application) }
    }

    private func describe(_ application: ApplicationDescription) {
        var line = "\(application.bundleIdentifier) \(application.bundleVersion): "
        line += application.phase.rawValue
        if let failure = application.failure { line += ": \(failure)" }
        if application.phase == .running {
            switch application.saved {
            case .durable: line += ", everything is durable"
            case .written: line += ", everything is written, not yet durable"
            case .no: line += ", NOT SAVED: \(application.notSavedReason ?? "reason unknown")"
            }
            if let lastPass = application.lastPass { line += ", last saved \(lastPass)" }
        }
        Terminal.print(line)
        for scene in application.scenes { SceneLines(scene).print() }
        if let error = application.lastError, application.failure == nil {
            Terminal.print("  last error: \(error)")
        }
    }
}

/// A scene as `status` and `launch` print it.
struct SceneLines {
    private let scene: SceneDescription

    init(_ scene: SceneDescription) {
        self.scene = scene
    }

    func print() {
        var line = "  scene \(scene.name): launched with reason \(scene.launchReason)"
        if scene.recorded > 0 {
            line += ", \(scene.restored) of \(scene.recorded) objects restored"
        }
        Terminal.print(line)
        for object in scene.unrestored {
            Terminal.print("    not restored: \(object.path) (\(object.reason)): \(object.detail)")
        }
    }
}
