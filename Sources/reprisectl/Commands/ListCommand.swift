import ArgumentParser
import RepriseControl
import Varlink

/// `reprisectl list`.
struct ListCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the applications and their scenes.")
    static let method = ControlMethod.list
    static let scope = ControlScope.daemon

    @OptionGroup var options: ControlOptions

    var parameters: Empty { Empty() }

    func present(_ answer: ListReply) {
        for application in answer.applications {
            let scenes = application.scenes.joined(separator: " ")
            Terminal.print("\(application.bundleIdentifier)  \(application.phase)  \(scenes)")
        }
    }
}
