import DaemonHost
import Subprocess
import SystemPackage
import Testing

extension Host {
    /// Way in which the contents of a file are replaced.
    enum ReplacementMethod: CaseIterable, Sendable {
        /// Another file is renamed over it, as most editors and `sed -i` do.
        case rename
        /// The file is overwritten.
        case inPlace
    }

    /// Replaces a text in a file of the host. The file must contain the text.
    func replace(
        _ text: String, by replacement: String, in file: FilePath, _ method: ReplacementMethod
    ) async throws {
        switch method {
        case .inPlace: try replace(text, by: replacement, in: file)
        case .rename:
            try #require(try file.text().contains(text))
            try await run("sed", "-i", "s|\(text)|\(replacement)|", file.string)
        }
    }

    /// Runs a program of this machine, and requires that it succeeds.
    func run(_ command: String...) async throws {
        let result = try await ProgramResult.of(command, in: directory)
        try #require(result.status.isSuccess, "\(command): \(result)")
    }

    /// Removes a directory, even if the daemon writes files into the directory at the same time.
    func remove(_ directory: FilePath) async throws {
        try await run("bash", "-c", #"until rm -rf "$0"; do :; done"#, directory.string)
    }

    /// Runs a command repeatedly until its output satisfies a condition.
    @discardableResult
    func awaitOutput(
        _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation,
        until isExpected: (String) -> Bool
    ) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(300)
        while true {
            let result = try await control(arguments)
            if result.status.isSuccess, isExpected(result.output) { return result.output }
            try #require(
                ContinuousClock.now < deadline, "\(arguments): \(result)",
                sourceLocation: sourceLocation)
        }
    }

    /// Waits until the first child has this text.
    func await(child1 text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        try await awaitOutput("get", Paths.child1, "text", sourceLocation: sourceLocation) {
            $0 == text + "\n"
        }
    }
}
