import ArgumentParser
import RepriseControl

/// `reprisectl dismiss`.
struct DismissCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss",
        abstract: "Takes away what is presented, the topmost alone.")
    static let method = ControlMethod.dismiss
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    var parameters: SceneParameters {
        SceneParameters(application: options.application, scene: options.scene)
    }
}
