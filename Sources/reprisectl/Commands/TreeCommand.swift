import ArgumentParser
import RepriseControl

/// `reprisectl tree`.
struct TreeCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree",
        abstract: "Shows every object: its path, its class, and whether it is preserved.")
    static let method = ControlMethod.tree

    @OptionGroup var options: SceneScope

    var parameters: SceneParameters {
        SceneParameters(application: options.application, scene: options.scene)
    }

    func present(_ answer: TreeReply) {
        let paths = answer.objects.map(\.path.count).max() ?? 0
        let classes = answer.objects.map(\.class.count).max() ?? 0
        for object in answer.objects {
            let story = object.preserved ? "preserved" : "not preserved: \(object.reason ?? "")"
            Terminal.print(
                "\(filled(object.path, paths))  \(filled(object.class, classes))  \(story)")
        }
    }

    private func filled(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
