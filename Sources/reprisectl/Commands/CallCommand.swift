import ArgumentParser
import ExactText
import FoundationEssentials
import RepriseControl
import Varlink

/// Command that runs a command provided by an object.
struct CallCommand: NonrepeatableCommand, NegativeNumberCommand {
    static let abstract = "Runs a command that an object provides, or lists the available commands."
    static let discussion = """
        Give the arguments in the order of the parameters, or as PARAMETER=VALUE. Write values \
        other than strings, numbers, true and false as JSON, such as '[1, 2]'. If a value other \
        than a number begins with a hyphen, write -- before it. If the command has a result, only \
        the result is printed to standard output.
        """

    @OptionGroup var options: CallOptions<CallCall>

    @Argument(
        help: "The object's path.", completion: .paths, transform: CommandWords.removingMarker)
    var path: String

    @Argument(
        help: "The command to run (default: list the object's commands).", completion: .commands,
        transform: CommandWords.removingMarker)
    var command: String?

    @Argument(help: "The arguments of the command.", transform: CommandWords.removingMarker)
    var arguments: [String] = []

    func run(in context: CommandContext) throws {
        var call = resolvedCall(in: context)
        let listCall = CommandsCall(
            application: call.application, scene: call.scene, path: path,
            load: command == nil ? nil : true)
        let reply = try context.suggestingNames(for: listCall) {
            try context.daemon.call(listCall, isRepeatable: true)
        }
        let commands = try CommandsCall.decode(reply).commands
        guard let command else {
            if context.printsJSON { return Terminal.write(json: reply) }
            return list(commands)
        }
        // The daemon refuses an unknown command and lists the known commands.
        if let command = commands.first(where: { $0.name == command }) {
            call.arguments = try command.namedArguments(arguments)
        }
        try callAndPrint(call, in: context)
    }

    var call: CallCall { CallCall(path: path, command: command ?? "", arguments: [:]) }

    func presentQuietly(_ reply: CallCall.Reply) {
        if let result = reply.result { Terminal.print(result.singleLineText) }
        if reply.saved == .no { reply.presentDurability() }
    }

    /// Prints only the result if the command has a result, so that a script can use the output. If the change was not
    /// saved, a message on standard error says so.
    func present(_ reply: CallCall.Reply) {
        if reply.result == nil { reply.presentDurability() } else { presentQuietly(reply) }
    }

    private func list(_ commands: [CommandDescription]) {
        if commands.isEmpty { Terminal.print("\(path) has no commands of its own") }
        for command in commands {
            Terminal.print(command.signature)
            Terminal.print("    \(command.summary)")
            for parameter in command.parameters {
                Terminal.print("    \(parameter.name): \(parameter.summary)")
            }
        }
    }
}

extension CommandDescription {
    /// Converts words to arguments, keyed by parameter name.
    ///
    /// - Throws: ``Failure`` if a word matches no parameter, or is not a valid value for its parameter.
    fileprivate func namedArguments(_ words: [String]) throws -> [String: StateJSON] {
        var namedArguments: [String: StateJSON] = [:]
        var unnamedArguments: [String] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2,
                let parameter = parameters.first(where: { $0.name == parts[0] })
            else {
                unnamedArguments.append(word)
                continue
            }
            guard
                namedArguments.updateValue(try parameter.value(parts[1]), forKey: parameter.name)
                    == nil
            else { throw Failure("\(parameter.name) is specified twice.", status: .usage) }
        }
        var unassignedParameters = parameters.filter { namedArguments[$0.name] == nil }[...]
        for word in unnamedArguments {
            if let name = Self.misspelledParameter(word, for: unassignedParameters.first) {
                throw Failure(
                    "there is no parameter \(name): the command is \(signature).", status: .usage)
            }
            guard let parameter = unassignedParameters.popFirst() else {
                throw Failure(
                    "\"\(word)\" is one argument too many: the command is \(signature).",
                    status: .usage)
            }
            namedArguments[parameter.name] = try parameter.value(word[...])
        }
        if let missingParameter = unassignedParameters.first(where: { !$0.type.hasPrefix("?") }) {
            throw Failure(
                "\(missingParameter.name) is missing: the command is \(signature).", status: .usage)
        }
        return namedArguments
    }

    /// Returns the text before `=` if it appears to be a misspelled parameter name. Returns `nil` otherwise, or if the
    /// next parameter accepts any text.
    private static func misspelledParameter(_ word: String, for parameter: CommandParameter?)
        -> Substring?
    {
        guard let equalsIndex = word.firstIndex(of: "="),
            parameter?.type.drop(while: { $0 == "?" }) != "string"
        else { return nil }
        let name = word[..<equalsIndex]
        return name.isEmpty || name.contains(where: { !$0.isLetter && !$0.isNumber }) ? nil : name
    }
}

extension CommandParameter {
    /// Converts text to a value of the parameter's type.
    fileprivate func value(_ text: Substring) throws -> StateJSON {
        if text == "null", type.hasPrefix("?"), type != "?string" { return .null }
        let value: StateJSON? =
            switch type.drop(while: { $0 == "?" }) {
            case "string": .string(String(text))
            case "bool": Bool(String(text)).map(StateJSON.bool)
            case "int": Int64(text).map(StateJSON.integer)
            case "float": Double(text).flatMap { $0.isFinite ? .double($0) : nil }
            default: json(text)
            }
        guard let value else {
            throw Failure("\"\(text)\" is not a valid \(type) for \(name).", status: .usage)
        }
        return value
    }

    private func json(_ text: Substring) -> StateJSON? {
        do {
            return try JSONText.read(StateJSON.self, from: Array(text.utf8))
        } catch {
            return nil
        }
    }
}
