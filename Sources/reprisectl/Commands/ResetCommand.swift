import ArgumentParser
import RepriseControl

/// `reprisectl reset`.
struct ResetCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Forgets what is saved, and launches afresh.",
        discussion: """
            What is saved and live now is kept in the history before. Without --scene the whole \
            application is reset. The model data stays as it is.
            """)
    static let method = ControlMethod.reset
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Flag(help: "Forget nothing: launch again from what is saved, as a restart would.")
    var toSaved = false

    var parameters: ResetParameters {
        ResetParameters(
            application: options.application, scene: options.scene, toSaved: toSaved ? true : nil)
    }

    func present(_ answer: ReplacedReply) {
        let afresh = answer.scenes.isEmpty ? "reset" : "launched afresh"
        answer.present(toSaved ? "launched again" : afresh)
    }
}
