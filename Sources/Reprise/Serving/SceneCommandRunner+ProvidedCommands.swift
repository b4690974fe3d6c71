import ExactText
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Commands that objects provide.
extension SceneCommandRunner {
    /// Returns the commands that an object provides.
    ///
    /// - Parameter loadsViews: Whether controllers on the path load their views.
    func commands(
        at path: String, loadingViews loadsViews: Bool = false
    ) throws(ControlError) -> CommandsCall.Reply {
        let object = try target(at: path, loadsViews: loadsViews).object
        let provider = object as? any CommandProviding
        return CommandsCall.Reply(commands: (provider?.commands ?? []).map(CommandDescription.init))
    }

    /// Runs a command that an object provides.
    ///
    /// - Returns: The command's result, and a function that checks, after the pass, whether the command's change is
    ///   preserved (P21).
    func call(
        _ name: String, _ arguments: [String: StateJSON], at path: String
    ) throws(ControlError) -> (StateJSON?, PersistenceCheck) {
        let target = try target(at: path)
        let commands = (target.object as? any CommandProviding)?.commands ?? []
        guard let command = commands.first(where: { $0.name == name }) else {
            throw .noSuchCommand(
                path: path, command: name,
                commands: commands.map { CommandDescription($0).signature })
        }
        // If the object is not preserved, a change is lost only if the command has changed the object's values.
        let omissionReason = target.omissionReason(includingObject: true)
        let valuesBefore = omissionReason == nil ? nil : target.values(of: target.object)
        do {
            let result = try command.run(arguments.mapValues(\.value))
            let isLost =
                omissionReason != nil && valuesBefore != target.values(of: target.object)
            // The daemon does not know which objects the command changed.
            return (
                result.map(StateJSON.init),
                { $0.firstLossDescription ?? (isLost ? omissionReason : nil) }
            )
        } catch let error as CommandArgumentError {
            throw .wrongArgument(
                path: path, command: CommandDescription(command).signature,
                argument: error.argumentName,
                reason: error.reason)
        } catch {
            throw .commandFailed(path: path, command: name, reason: String(describing: error))
        }
    }
}

extension CommandDescription {
    /// Creates a description of a command for clients.
    init(_ command: ProvidedCommand) {
        self.init(
            name: command.name, summary: command.summary,
            parameters: command.parameters.map {
                CommandParameter(name: $0.name, summary: $0.summary, type: $0.type)
            }, result: command.resultType)
    }
}
