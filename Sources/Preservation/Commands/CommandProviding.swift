import ExactText
public import StateRestoration

/// Object that provides custom commands.
///
/// `reprisectl call PATH NAME` runs a custom command in a turn. The reply is sent after the command's changes have been
/// saved (P14).
///
/// ```swift
/// extension Worker: CommandProviding {
///     var commands: [ProvidedCommand] {
///         [
///             ProvidedCommand("drain", summary: "Stops accepting jobs.") { self.drain() },
///             ProvidedCommand(
///                 "retry", summary: "Retries a job.",
///                 CommandParameter("job", summary: "The job's number.", Int.self)
///             ) { job in
///                 try self.retry(job)
///             },
///         ]
///     }
/// }
/// ```
public protocol CommandProviding: StateRestoring {
    /// Commands that the object provides, each with a unique name.
    ///
    /// This property is read whenever the commands are listed, and before each command runs.
    var commands: [ProvidedCommand] { get }
}

/// Command that an object provides.
public struct ProvidedCommand {
    /// Name of the command, such as `drain`.
    public let name: String
    /// Summary of the command in one sentence.
    public let summary: String
    /// Parameters of the command, in the order they were declared.
    package let parameters: [ParameterDescription]
    /// Type of the result, or `nil` if the command has no result.
    package let resultType: String?
    private let body: ([String: StoredValue]) throws -> StoredValue?

    /// Creates a command with a result.
    ///
    /// - Parameters:
    ///   - name: The name of the command. It must consist of ASCII letters and digits and begin with a letter. The
    ///     program traps if a name is invalid or if two parameters have the same name.
    ///   - summary: A summary of the command in one sentence.
    ///   - parameter: The parameters of the command.
    ///   - body: A closure that runs the command and returns its result. It must invalidate the objects that it
    ///     changes. If the closure throws an error, the reply contains this error.
    public init<each Parameter: CommandValue, Result: CommandValue>(
        _ name: String, summary: String, _ parameter: repeat CommandParameter<each Parameter>,
        body: @escaping (repeat each Parameter) throws -> Result
    ) {
        self.init(
            name: name, summary: summary, parameter: repeat each parameter,
            resultType: Result.commandType
        ) { (value: repeat each Parameter) in try body(repeat each value).commandValue }
    }

    /// Creates a command without a result.
    ///
    /// - Parameters:
    ///   - name: The name of the command. It must consist of ASCII letters and digits and begin with a letter.
    ///   - summary: A summary of the command in one sentence.
    ///   - parameter: The parameters of the command.
    ///   - body: A closure that runs the command. If the closure throws an error, the reply contains this error.
    public init<each Parameter: CommandValue>(
        _ name: String, summary: String, _ parameter: repeat CommandParameter<each Parameter>,
        body: @escaping (repeat each Parameter) throws -> Void
    ) {
        self.init(
            name: name, summary: summary, parameter: repeat each parameter, resultType: nil
        ) { (value: repeat each Parameter) in
            try body(repeat each value)
            return nil
        }
    }

    private init<each Parameter: CommandValue>(
        name: String, summary: String, parameter: repeat CommandParameter<each Parameter>,
        resultType: String?, body: @escaping (repeat each Parameter) throws -> StoredValue?
    ) {
        self.name = name
        self.summary = summary
        self.resultType = resultType
        var descriptions: [ParameterDescription] = []
        for parameter in repeat each parameter { descriptions.append(parameter.description) }
        for declaredName in [name] + descriptions.map(\.name) {
            precondition(
                declaredName.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil,
                "\"\(declaredName)\" cannot be the name of a command or parameter: use letters and digits, "
                    + "beginning with a letter"
            )
        }
        precondition(
            Set(descriptions.map(\.name)).count == descriptions.count,
            "the command \(name) has two parameters with the same name")
        parameters = descriptions
        self.body = { arguments in
            try body(repeat (each parameter).value(in: arguments))
        }
    }

    /// Runs the command and returns its result.
    ///
    /// - Parameter arguments: The arguments, keyed by parameter name.
    /// - Throws: ``CommandArgumentError`` if an argument is invalid, or an error that the command throws.
    package func run(_ arguments: [String: StoredValue]) throws -> StoredValue? {
        for name in arguments.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
            throw CommandArgumentError(
                argumentName: name,
                reason: parameters.isEmpty
                    ? "the command takes no arguments"
                    : "the command takes \(parameters.map(\.name).joined(separator: ", "))")
        }
        return try body(arguments)
    }
}

/// Parameter of a custom command.
public struct CommandParameter<Argument: CommandValue> {
    /// Name of the parameter, such as `job`.
    public let name: String
    /// Summary of the parameter in one sentence.
    public let summary: String

    /// Creates a parameter of a given type. If the type is optional, the argument can be omitted.
    public init(_ name: String, summary: String, _ type: Argument.Type = Argument.self) {
        self.name = name
        self.summary = summary
    }

    var description: ParameterDescription {
        ParameterDescription(name: name, summary: summary, type: Argument.commandType)
    }

    func value(in arguments: [String: StoredValue]) throws(CommandArgumentError) -> Argument {
        guard let value = Argument(commandValue: arguments[name] ?? .null) else {
            throw CommandArgumentError(
                argumentName: name,
                reason: arguments[name] == nil
                    ? "it is missing" : "it must have the type \(Argument.commandType)")
        }
        return value
    }
}

/// Description of a parameter for clients.
package struct ParameterDescription: Sendable, Equatable {
    package let name: String
    package let summary: String
    /// Type in the notation of the Varlink specification, such as `?int`.
    package let type: String
}

/// Error for an argument that a command does not accept.
package struct CommandArgumentError: Error, Equatable {
    package let argumentName: String
    /// Reason, as a phrase without a period.
    package let reason: String
}
