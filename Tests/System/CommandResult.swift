import Subprocess
import SystemPackage

/// Result of a command.
struct CommandResult: Sendable, CustomStringConvertible {
    /// The command and its arguments.
    let command: [String]

    /// Exit status, which is 124 after a timeout.
    let status: TerminationStatus

    /// Standard output of the command.
    let output: String

    /// Standard error of the command.
    let errors: String

    /// The command, its status and its output.
    var description: String {
        "\(command.joined(separator: " ")): \(status)\n\(output)\(errors)"
    }

    /// Maximum size of each output in bytes. More output is an error.
    static let outputLimit = 8 << 20

    /// Runs a program on this machine.
    ///
    /// - Throws: ``CommandFailure`` unless its exit status is 0, or `SubprocessError` if it cannot be started.
    @discardableResult
    static func of(_ command: String...) async throws -> CommandResult {
        try await of(command).get()
    }

    /// Runs a program on this machine, regardless of its exit status.
    static func of(_ command: [String]) async throws -> CommandResult {
        let program: Executable =
            command[0].contains("/") ? .path(FilePath(command[0])) : .name(command[0])
        let result = try await Subprocess.run(
            program, arguments: Arguments(Array(command.dropFirst())),
            output: .string(limit: outputLimit), error: .string(limit: outputLimit))
        return CommandResult(
            command: command, status: result.terminationStatus, output: result.standardOutput,
            errors: result.standardError)
    }

    /// Returns the result if the exit status is 0.
    func get() throws(CommandFailure) -> CommandResult {
        guard status.isSuccess else { throw CommandFailure(result: self) }
        return self
    }
}

/// Error for a command whose exit status is not 0.
struct CommandFailure: Error, CustomStringConvertible {
    /// Result of the command.
    let result: CommandResult

    /// The command, its status and its output.
    var description: String { result.description }
}
