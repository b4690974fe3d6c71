import Subprocess
import SystemPackage

/// What a command did.
struct CommandResult: Sendable, CustomStringConvertible {
    /// The command and its arguments.
    let command: [String]

    /// How it ended: 124 if it took longer than it may.
    let status: TerminationStatus

    /// Its standard output.
    let output: String

    /// Its standard error.
    let errors: String

    /// The command, its end and all it wrote.
    var description: String {
        "\(command.joined(separator: " ")): \(status)\n\(output)\(errors)"
    }

    /// The most bytes a command may write to each of its outputs; more is an error.
    static let outputLimit = 8 << 20

    /// Runs a program of this machine to its end.
    ///
    /// - Throws: ``CommandFailure`` unless it exits with 0; `SubprocessError` if it cannot start.
    @discardableResult
    static func of(_ command: String...) async throws -> CommandResult {
        try await of(command).get()
    }

    /// Runs a program of this machine to its end, however it ends.
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

    /// The result itself if the command exited with 0.
    func get() throws(CommandFailure) -> CommandResult {
        guard status.isSuccess else { throw CommandFailure(result: self) }
        return self
    }
}

/// A command that did not exit with 0.
struct CommandFailure: Error, CustomStringConvertible {
    /// What it did.
    let result: CommandResult

    /// The command, its end and all it wrote.
    var description: String { result.description }
}
