import ArgumentParser
import RepriseControl

/// `reprisectl explain`.
struct ExplainCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells one object's story: is it preserved, was it restored, and if not, why.")
    static let method = ControlMethod.explain

    @OptionGroup var options: SceneScope

    @Argument(help: "The object's path; also of one that was saved and is not there now.")
    var path: String

    var parameters: ObjectParameters {
        ObjectParameters(application: options.application, scene: options.scene, path: path)
    }

    func present(_ answer: ExplainReply) {
        for sentence in answer.story { Terminal.print(sentence) }
    }
}
