package import Subprocess
package import SystemPackage

/// What a program did.
package struct ProgramResult: Sendable, CustomStringConvertible {
    /// How it ended.
    package let status: TerminationStatus

    /// Its standard output.
    package let output: String

    /// Its standard error.
    package let errors: String

    /// Its end and all it wrote.
    package var description: String { "\(status)\n\(output)\(errors)" }

    /// The most bytes a program may write to each of its outputs; more is an error.
    package static let outputLimit = 8 << 20

    /// The environment of every program that a test starts; nothing comes from the tests' own.
    package static let environment: [Environment.Key: String] = [
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
    ]

    /// Runs a program to its end; one that takes longer than a minute is killed.
    ///
    /// - Parameters:
    ///   - command: The program, a path or a name, and its arguments.
    ///   - environment: What its environment holds beside ``environment``.
    ///   - folder: The working folder.
    package static func of(
        _ command: [String], environment: [Environment.Key: String] = [:], in folder: FilePath
    ) async throws -> ProgramResult {
        try await of(command.map { Array($0.utf8) }, environment: environment, in: folder)
    }

    /// Runs a program to its end, with arguments that need not be UTF-8.
    package static func of(
        _ command: [[UInt8]], environment: [Environment.Key: String] = [:], in folder: FilePath
    ) async throws -> ProgramResult {
        let arguments = ["--signal=KILL", "60"].map { Array($0.utf8) } + command
        let result = try await Subprocess.run(
            .name("timeout"), arguments: Arguments(arguments.map { $0 + [0] }),
            environment: .custom(Self.environment.merging(environment) { $1 }),
            workingDirectory: folder, output: .string(limit: outputLimit),
            error: .string(limit: outputLimit))
        return ProgramResult(
            status: result.terminationStatus, output: result.standardOutput,
            errors: result.standardError)
    }
}
