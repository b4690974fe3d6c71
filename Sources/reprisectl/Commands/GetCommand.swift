import ArgumentParser
import RepriseControl

/// `reprisectl get`.
struct GetCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Tells one object's state, or one value of it.")
    static let method = ControlMethod.get

    @OptionGroup var options: SceneScope

    @Argument(help: "The object's path.")
    var path: String

    @Argument(help: "The value's key; without it all values are told.")
    var key: String?

    var parameters: GetParameters {
        GetParameters(
            application: options.application, scene: options.scene, path: path, key: key)
    }

    func present(_ answer: GetReply) {
        if let value = answer.value { Terminal.print(value.line) }
        for (key, value) in (answer.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            Terminal.print("\(key): \(value.line)")
        }
    }
}
