import ExactText
public import StateRestoration

/// An object that provides custom commands.
///
/// `reprisectl call PATH NAME` runs such a command in a turn, so the reply is sent after its changes are
/// saved (P14).
///
/// ```swift
/// extension Worker: CommandProviding {
///     var commands: [ProvidedCommand] {
///         [
///             ProvidedCommand("drain", summary: "Takes no new jobs.") { self.drain() },
///             ProvidedCommand(
///                 "retry", summary: "Begins a job again.",
///                 CommandParameter("job", summary: "The job's number.", Int.self)
///             ) { job in
///                 try self.retry(job)
///             },
///         ]
///     }
/// }
/// ```
public protocol CommandProviding: StateRestoring {
    /// The commands, each with a unique name. This property is read whenever the commands are listed, and
    /// before each command runs.
    var commands: [ProvidedCommand] { get }
}

/// A command that an object provides.
public struct ProvidedCommand {
    /// Name of the command, for example `drain`.
    public let name: String
    /// Description of the command, in one sentence.
    public let summary: String
    /// Parameters of the command, in order.
    package let parameters: [ParameterDescription]
    /// Type of the result, or `nil` if the command has no result.
    package let resultType: String?
    private let body: ([String: StoredValue]) throws -> StoredValue?

    /// Creates a command with a result.
    ///
    /// - Parameters:
    ///   - name: Name of the command, which consists of ASCII letters and digits and begins with a letter.
    ///     The program traps if a name is invalid or if two parameters have the same name.
    ///   - summary: Description of the command, in one sentence.
    ///   - parameter: Parameters of the command.
    ///   - body: Runs the command and returns its result. The closure must invalidate the objects that it
    ///     changes. If the closure throws an error, the error is the reply.
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
    ///   - name: Name of the command, as for a command with a result.
    ///   - summary: Description of the command, in one sentence.
    ///   - parameter: Parameters of the command.
    ///   - body: Runs the command. If the closure throws an error, the error is the reply.
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
        for word in [name] + descriptions.map(\.name) {
            precondition(
                word.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil,
                "\"\(word)\" is not a name of a command or parameter: use letters and digits, a "
                    + "letter first"
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

    /// Runs the command.
    ///
    /// - Parameter arguments: Arguments, keyed by parameter name.
    /// - Throws: ``CommandArgumentError`` if an argument is invalid, or an error that the command throws.
    package func run(_ arguments: [String: StoredValue]) throws -> StoredValue? {
        for name in arguments.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
            throw CommandArgumentError(
                argument: name,
                reason: parameters.isEmpty
                    ? "the command takes none"
                    : "the command takes \(parameters.map(\.name).joined(separator: ", "))")
        }
        return try body(arguments)
    }
}

/// A parameter of a command.
public struct CommandParameter<Argument: CommandValue> {
    /// Name of the parameter, for example `job`.
    public let name: String
    /// Description of the parameter, in one sentence.
    public let summary: String

    /// Creates a parameter of a type. If the type is optional, the argument can be omitted.
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
                argument: name,
                reason: arguments[name] == nil
                    ? "it is missing" : "it must be of the type \(Argument.commandType)")
        }
        return value
    }
}

/// Description of a parameter for clients.
package struct ParameterDescription: Sendable, Equatable {
    package let name: String
    package let summary: String
    /// Type in the notation of the Varlink specification, for example `?int`.
    package let type: String
}

/// The error for an argument that a command does not accept.
package struct CommandArgumentError: Error, Equatable {
    package let argument: String
    /// Reason, as a phrase without a period.
    package let reason: String
}
