import ArgumentParser
import RepriseControl

/// `reprisectl type`.
struct TypeCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "type", abstract: "Replaces the text of a text field.")
    static let method = ControlMethod.type

    @OptionGroup var options: ControlOptions

    @Argument(help: "The text field's path.")
    var path: String

    @Argument(help: "The new text.")
    var text: String

    var parameters: TypeParameters {
        TypeParameters(
            application: options.application, scene: options.scene, path: path, text: text)
    }

    func present(_ answer: SavedReply) {
        answer.present()
    }
}

extension SavedReply {
    /// Prints how safe the change is. One that could not be saved has happened all the same.
    func present() {
        switch saved {
        case .durable: Terminal.print("saved: durable")
        case .written: Terminal.print("saved: written")
        case .no: Terminal.complain("done, but NOT SAVED: \(notSavedReason ?? "reason unknown")")
        }
    }
}
