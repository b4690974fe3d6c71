import ArgumentParser
import RepriseControl

/// `reprisectl select`.
struct SelectCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "select", abstract: "Chooses a segment, counted from 0.")
    static let method = ControlMethod.select

    @OptionGroup var options: ControlOptions

    @Argument(help: "The segmented control's path.")
    var path: String

    @Argument(help: "The segment, counted from 0.")
    var indexes: [Int]

    var parameters: SelectParameters {
        SelectParameters(
            application: options.application, scene: options.scene, path: path,
            indexes: indexes)
    }

    func present(_ answer: SavedReply) {
        answer.present()
    }
}
