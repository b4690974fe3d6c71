import ArgumentParser
import RepriseControl
import Varlink

/// `reprisectl list`.
struct ListCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the applications and their scenes.")
    static let method = ControlMethod.list

    @OptionGroup var options: DaemonScope

    var parameters: Empty { Empty() }

    func present(_ answer: ListReply) {
        for application in answer.applications {
            let scenes = application.scenes.map { scene in
                scene.phase == .running ? scene.name : "\(scene.name) (\(scene.phase.rawValue))"
            }
            Terminal.print(
                "\(application.bundleIdentifier)  \(application.phase.rawValue)  "
                    + scenes.joined(separator: " "))
        }
    }
}
