import ArgumentParser
import RepriseControl

/// `reprisectl launch`.
struct LaunchCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Launches an application that has ended or could not be launched.")
    static let method = ControlMethod.launch
    var isRepeatable: Bool { false }

    @OptionGroup var options: ApplicationScope

    var parameters: ApplicationParameters {
        ApplicationParameters(application: options.application)
    }

    func present(_ answer: LaunchReply) {
        for scene in answer.scenes { SceneLines(scene).print() }
    }
}
