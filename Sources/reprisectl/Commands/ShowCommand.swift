import ArgumentParser
import RepriseControl

/// `reprisectl show`.
struct ShowCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Draws the scene as text: what a person would see.")
    static let method = ControlMethod.show

    @OptionGroup var options: SceneScope

    var parameters: SceneParameters {
        SceneParameters(application: options.application, scene: options.scene)
    }

    func present(_ answer: ShowReply) {
        Terminal.write(answer.text)
    }
}
