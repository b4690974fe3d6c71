import ExactText
import Preservation
import RepriseControl
import StateRestoration

/// The commands that objects provide themselves.
extension SceneCommands {
    /// The commands that an object provides.
    ///
    /// - Parameter loadsViews: whether controllers on the way load their views.
    func commands(
        at path: String, loadingViews loadsViews: Bool = false
    ) throws(ControlError) -> CommandsCall.Reply {
        let object = try loadsViews ? target(at: path).object : object(at: path)
        let provider = object as? any CommandProviding
        return .with { $0.commands = (provider?.commands ?? []).map(CommandDescription.init) }
    }

    /// Has an object carry out a command that it provides.
    ///
    /// - Returns: the command's result, and what judges after the pass whether its change is preserved
    ///   (P21).
    func call(
        _ name: String, _ arguments: [String: StateJSON], at path: String
    ) throws(ControlError) -> (StateJSON?, ChangeVerdict) {
        let target = try target(at: path)
        let commands = (target.object as? any CommandProviding)?.commands ?? []
        guard let command = commands.first(where: { $0.name == name }) else {
            throw .noSuchCommand(
                path: path, command: name,
                commands: commands.map { CommandDescription($0).signature })
        }
        // Without a record of its own the object may have changed nothing that is lost.
        let unsaved = target.omission(isOwn: true)
        let before = unsaved == nil ? nil : target.values(of: target.object)
        do {
            let result = try command.run(arguments.mapValues(\.value))
            let isLost = before != nil && before != target.values(of: target.object)
            // Nobody knows which objects the command changed.
            return (result.map(StateJSON.init), { $0.anyLoss ?? (isLost ? unsaved : nil) })
        } catch let error as CommandArgumentError {
            throw .wrongArgument(
                path: path, command: CommandDescription(command).signature,
                argument: error.argument,
                reason: error.reason)
        } catch {
            throw .commandFailed(path: path, command: name, reason: String(describing: error))
        }
    }
}

extension CommandDescription {
    /// A command as it is described to who may call it.
    init(_ command: ProvidedCommand) {
        self.init()
        name = command.name
        summary = command.summary
        parameters = command.parameters.map { parameter in
            .with {
                $0.name = parameter.name
                $0.summary = parameter.summary
                $0.type = parameter.type
            }
        }
        result = command.resultType
    }
}
