import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Paths of the objects of ChildViews.
enum Paths {
    static let control = "nav/parent/segmentedControl"
    static let child1 = "nav/parent/child1/textField"
    static let child2 = "nav/parent/child2/textField"
}

extension Host {
    /// Copies the archive of ChildViews to the quarantine, under the name `copy`.
    func copyToQuarantine() throws {
        let quarantine = savedState.appending("quarantine")
        if quarantine.entries.isEmpty { try quarantine.createDirectory() }
        try quarantine.appending("copy").write(try archive.read())
    }

    /// History directory of ChildViews.
    var history: FilePath { savedState.appending("history") }

    /// Removes the generations of ChildViews, as an operator may do.
    func removeHistory() async throws {
        let removed = try await ProgramResult.of(["rm", "-r", history.string], in: directory)
        try #require(removed.status.isSuccess, "\(removed)")
    }

    /// Runs `reprisectl`, requires that it succeeds, and returns its output.
    @discardableResult
    func mustControl(_ arguments: String...) async throws -> String {
        let result = try await control(arguments)
        try #require(result.status.isSuccess && result.errors == "", "\(arguments): \(result)")
        return result.output
    }

    /// Runs a shell command, in which `$CTL` is the command-line client with the daemon's socket.
    func shell(
        _ command: String, environment: [Environment.Key: String] = [:]
    ) async throws -> ProgramResult {
        let control = "\(try Programs.reprisectl()) --socket \(socket)"
        return try await ProgramResult.of(
            ["sh", "-c", command], environment: environment.merging(["CTL": control]) { $1 },
            in: directory)
    }

    /// Requires that the first child has this text, and that the scene was launched with this reason, or with any
    /// reason for `nil`.
    func require(
        child1 text: String, reason: String?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await mustControl("get", Paths.child1, "text")
        try #require(found == text + "\n", sourceLocation: sourceLocation)
        guard let reason else { return }
        let status = try await mustControl("status")
        try #require(
            status.contains("scene main: launched with reason \(reason)"), "\(status)",
            sourceLocation: sourceLocation)
    }
}

extension RawSocket {
    /// Calls a method, and returns the whole reply, or `nil` if the daemon closes the connection.
    static func call(
        _ path: FilePath, _ method: String, _ parameters: String
    ) throws -> String? {
        let socket = try RawSocket(path)
        try socket.send(Array(#"{"method":"\#(method)","parameters":\#(parameters)}"#.utf8))
        return try socket.receive()
    }
}
