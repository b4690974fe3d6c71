import ArgumentParser
import RepriseControl
import Varlink

/// `reprisectl reload`.
struct ReloadCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reads configuration and storyboards again, and takes over what changed.",
        discussion: """
            The daemon does so by itself when one of the files changes, and at SIGHUP. If they have \
            errors, nothing changes.
            """)
    static let method = ControlMethod.reload

    @OptionGroup var options: DaemonScope

    var parameters: Empty { Empty() }

    func present(_ answer: ReloadReply) {
        for clause in answer.changed { Terminal.print("taken over: \(clause)") }
        for clause in answer.waiting { Terminal.print("waits for the next restart: \(clause)") }
        if answer.changed.isEmpty {
            Terminal.print(
                answer.waiting.isEmpty ? "nothing changed" : "nothing changed that takes effect now"
            )
        }
    }
}
