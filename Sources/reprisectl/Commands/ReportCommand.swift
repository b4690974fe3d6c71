import ArgumentParser
import RepriseControl

/// `reprisectl report`.
struct ReportCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Tells what the last launch of a scene restored, what it did not, and why.")
    static let method = ControlMethod.report

    @OptionGroup var options: SceneScope

    var parameters: SceneParameters {
        SceneParameters(application: options.application, scene: options.scene)
    }

    func present(_ answer: ReportReply) {
        Terminal.print(
            "scene \(answer.scene): launched with reason \(answer.launchReason), "
                + "\(answer.restored) of \(answer.recorded) objects restored")
        if answer.refused { Terminal.print("the application refused its saved state") }
        tell("not restored", answer.unrestored)
        tell("another left aside", answer.duplicates)
        for path in answer.expired {
            Terminal.print("no longer saved: \(path): too many launches could not place it")
        }
        if answer.unlisted > 0 { Terminal.print("and \(answer.unlisted) more") }
        if answer.unclaimed > 0 {
            Terminal.print(
                "unclaimed: \(answer.unclaimed) of these stay saved, and are offered to the next "
                    + "launch")
        }
        if answer.timedOut {
            Terminal.print(
                "its restoration was extended for too long, and went on without the rest")
        }
        if answer.superfluousCompletions > 0 {
            Terminal.print(
                "its restoration was completed \(answer.superfluousCompletions) times without "
                    + "having been extended")
        }
    }

    private func tell(_ what: String, _ objects: [UnrestoredDescription]) {
        for object in objects {
            Terminal.print("\(what): \(object.path) (\(object.reason)): \(object.detail)")
        }
    }
}
