import ArgumentParser
import RepriseControl

/// `reprisectl rollback`.
struct RollbackCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Goes back to an earlier state, while the application runs.",
        discussion: """
            What is saved and live now is kept in the history before. Without --scene all scenes of the \
            application go back; those that did not exist then end, or are launched without state if \
            they are configured. The model data stays as it is.
            """)
    static let method = ControlMethod.rollback
    var isRepeatable: Bool { false }

    @OptionGroup var options: SceneScope

    @Argument(help: "The number of a generation, as `reprisectl history` lists it.")
    var generation: String

    var parameters: RollbackParameters {
        RollbackParameters(
            application: options.application, scene: options.scene, generation: generation)
    }

    func present(_ answer: ReplacedReply) { answer.present("went back") }
}

extension ReplacedReply {
    /// - Parameter verb: what the scenes did.
    func present(_ verb: String) {
        Terminal.print(scenes.isEmpty ? "\(verb)" : "\(verb): \(scenes.joined(separator: " "))")
        if let generation { Terminal.print("what was saved before is kept as \(generation)") }
        SavedReply(saved: saved, notSavedReason: notSavedReason).present()
    }
}
