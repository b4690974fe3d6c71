import ExactText
public import StateRestoration

/// An object that provides commands of its own: `reprisectl call PATH NAME` runs them, in a turn, so that the
/// answer comes after what they changed was saved (P14).
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
    /// The commands, each with a name of its own. Asked for whenever they are shown, and before each is run.
    var commands: [ProvidedCommand] { get }
}

/// A command that an object provides.
public struct ProvidedCommand {
    /// The command's name: `drain`.
    public let name: String
    /// What it does, in a sentence.
    public let summary: String
    /// What it is given, in this order.
    package let parameters: [ParameterDescription]
    /// The type of its result; nil: it has none.
    package let resultType: String?
    private let body: ([String: StoredValue]) throws -> StoredValue?

    /// A command.
    ///
    /// - Parameters:
    ///   - name: its name: letters of ASCII and digits, a letter first. Another one is a fault of the program,
    ///     and so are two parameters of one name.
    ///   - summary: what it does, in a sentence.
    ///   - parameter: what it is given.
    ///   - body: carries it out, and gives its result. It invalidates what it changes. Errors that it throws
    ///     are the answer.
    public init<each Parameter: CommandValue, Result: CommandValue>(
        _ name: String, summary: String, _ parameter: repeat CommandParameter<each Parameter>,
        body: @escaping (repeat each Parameter) throws -> Result
    ) {
        self.init(
            name: name, summary: summary, parameter: repeat each parameter,
            resultType: Result.commandType
        ) { (value: repeat each Parameter) in try body(repeat each value).commandValue }
    }

    /// A command without a result.
    ///
    /// - Parameters:
    ///   - name: its name, as of a command with a result.
    ///   - summary: what it does, in a sentence.
    ///   - parameter: what it is given.
    ///   - body: carries it out. Errors that it throws are the answer.
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

    /// Carries the command out.
    ///
    /// - Parameter arguments: the arguments by the names of their parameters.
    /// - Throws: ``CommandArgumentError`` if they do not fit; what the command throws.
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

/// What a command is given.
public struct CommandParameter<Argument: CommandValue> {
    /// The parameter's name: `job`.
    public let name: String
    /// What it means, in a sentence.
    public let summary: String

    /// A parameter of a type; an optional one may be left out.
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

/// A parameter as it is told to who may call the command.
package struct ParameterDescription: Sendable, Equatable {
    package let name: String
    package let summary: String
    /// The type, as the Varlink specification writes it: `?int`.
    package let type: String
}

/// An argument that does not fit a command.
package struct CommandArgumentError: Error, Equatable {
    package let argument: String
    /// A clause.
    package let reason: String
}
