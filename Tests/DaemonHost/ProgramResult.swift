package import Subprocess
package import SystemPackage

/// Result of a program.
package struct ProgramResult: Sendable, CustomStringConvertible {
    /// Termination status.
    package let status: TerminationStatus

    /// Standard output.
    package let output: String

    /// Standard error.
    package let errors: String

    /// Termination status and all output.
    package var description: String { "\(status)\n\(output)\(errors)" }

    /// Maximum number of bytes that a program may write to each of its outputs.
    package static let outputLimit = 8 << 20

    /// Environment of every program that a test starts. It does not inherit the environment of the tests.
    package static let environment: [Environment.Key: String] = [
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
    ]

    /// Runs a program until it exits. A program that takes longer than a minute is killed.
    ///
    /// - Parameters:
    ///   - command: Path or name of the program, followed by its arguments.
    ///   - environment: Variables in addition to ``environment``.
    ///   - directory: Working directory.
    package static func of(
        _ command: [String], environment: [Environment.Key: String] = [:], in directory: FilePath
    ) async throws -> ProgramResult {
        try await of(command.map { Array($0.utf8) }, environment: environment, in: directory)
    }

    /// Runs a program until it exits, with arguments that need not be UTF-8.
    package static func of(
        _ command: [[UInt8]], environment: [Environment.Key: String] = [:], in directory: FilePath
    ) async throws -> ProgramResult {
        let arguments = ["--signal=KILL", "60"].map { Array($0.utf8) } + command
        let result = try await Subprocess.run(
            .name("timeout"), arguments: Arguments(arguments.map { $0 + [0] }),
            environment: .custom(Self.environment.merging(environment) { $1 }),
            workingDirectory: directory, output: .string(limit: outputLimit),
            error: .string(limit: outputLimit))
        return ProgramResult(
            status: result.terminationStatus, output: result.standardOutput,
            errors: result.standardError)
    }
}
