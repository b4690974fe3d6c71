import Glibc
package import Subprocess
import Synchronization
package import SystemPackage

/// Scratch directory with a configuration, in which a test starts the real programs.
package struct Host: Sendable {
    /// Scratch directory, which is also the working directory of the programs.
    package let directory: FilePath

    /// Configuration, which is a copy of the installed configuration.
    package var configuration: FilePath { directory.appending("config/reprised.yaml") }

    /// Storyboard of ChildViews, which is a copy of the installed storyboard.
    package var storyboard: FilePath { directory.appending("config/storyboards/ChildViews.yaml") }

    /// State directory, which the daemon creates.
    package var state: FilePath { directory.appending("state") }

    /// Saved state of ChildViews.
    package var savedState: FilePath { savedState(of: "ChildViews") }

    /// Archive of ChildViews.
    package var archive: FilePath { archive(of: "ChildViews") }

    /// Returns the saved state of the application with this last part of its bundle identifier.
    package func savedState(of application: String) -> FilePath {
        state.appending("Saved Application State/org.reprise.\(application).savedState")
    }

    /// Returns the archive of an application.
    package func archive(of application: String) -> FilePath {
        savedState(of: application).appending("data.archive")
    }

    /// Control socket of the daemon.
    package var socket: FilePath { directory.appending("control") }

    /// Directory of the daemon's credentials, if its state is encrypted.
    package var credentials: FilePath { directory.appending("credentials") }

    /// Encryption key of all hosts. The hosts have the same key, so that tests can copy state between them.
    package static let key = [UInt8](1...32)

    /// Configures the daemon to encrypt state from its next start on.
    package func encrypt() throws {
        let dropIns = directory.appending("config/reprised.d")
        if dropIns.entries.isEmpty { try dropIns.createDirectory() }
        try dropIns.appending("encryption.yaml").write(
            "preservation: { encryption: credential }\n".utf8)
        try credentials.createDirectory()
        try setKeys(key: Self.key)
    }

    /// Replaces the daemon's keys for its next start.
    ///
    /// - Parameters:
    ///   - key: Encryption key, or `nil` for no key.
    ///   - previous: Key that can decrypt existing files, or `nil` for no such key.
    package func setKeys(key: [UInt8]?, previous: [UInt8]? = nil) throws {
        for (name, key) in [("reprise.key", key), ("reprise.key.previous", previous)] {
            let file = credentials.appending(name)
            if let key { try file.write(key) } else { unlink(file.string) }
        }
    }

    /// Environment variables of the daemon in addition to the common environment.
    var environment: [Environment.Key: String] {
        directory.entries.contains("credentials")
            ? ["CREDENTIALS_DIRECTORY": credentials.string] : [:]
    }

    /// Creates a scratch directory, runs a body, and removes the directory.
    ///
    /// If the body throws an error, the directory is not removed, and its path is reported. Use `#require` in the body
    /// for important conditions.
    ///
    /// - Returns: The result of the body.
    @discardableResult
    package static func with<Value>(_ body: (Host) async throws -> Value) async throws -> Value {
        await HostGate.shared.enter()
        defer { HostGate.shared.leave() }
        let host = Host(directory: try createDirectory())
        do {
            try host.copyConfiguration()
            let value = try await body(host)
            try await host.remove()
            return value
        } catch {
            try FileDescriptor.standardError.writeAll(
                "The directory of the test was not removed: \(host.directory)\n".utf8)
            throw error
        }
    }

    /// Default arguments of the daemon.
    package var daemonArguments: [String] {
        [
            "--config", configuration.string, "--state-directory", state.string,
            "--socket", socket.string,
        ]
    }

    /// Runs the daemon until it exits by itself.
    ///
    /// - Parameters:
    ///   - arguments: Arguments of the daemon, or `nil` for ``daemonArguments``.
    ///   - prefix: Program that starts the daemon, with the program's arguments.
    package func attempt(
        _ arguments: [String]? = nil, by prefix: [String] = [],
        environment: [Environment.Key: String] = [:]
    ) async throws -> ProgramResult {
        let program = try Programs.reprised().string
        return try await ProgramResult.of(
            prefix + [program] + (arguments ?? daemonArguments),
            environment: self.environment.merging(environment) { $1 }, in: directory)
    }

    /// Runs `reprisectl` with the daemon's socket, with any exit status.
    package func control(_ arguments: String...) async throws -> ProgramResult {
        try await control(arguments)
    }

    /// Runs `reprisectl` with the daemon's socket, with any exit status.
    package func control(_ arguments: [String]) async throws -> ProgramResult {
        let program = try Programs.reprisectl().string
        return try await ProgramResult.of(
            [program, "--socket", socket.string] + arguments, in: directory)
    }

    /// Runs `reprisectl inspect`, which needs no daemon, with any exit status.
    package func inspect(_ arguments: String...) async throws -> ProgramResult {
        try await ProgramResult.of(
            [try Programs.reprisectl().string, "inspect"] + arguments, in: directory)
    }

    /// Replaces a text in a file of the host. The file must contain the text.
    package func replace(_ text: String, by replacement: String, in file: FilePath) throws {
        let parts = try file.text().split(separator: text, omittingEmptySubsequences: false)
        guard parts.count > 1 else { throw Errno.invalidArgument }
        try file.write(parts.joined(separator: replacement).utf8)
    }

    private static func createDirectory() throws -> FilePath {
        var template = Array("/tmp/reprise-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        return FilePath(platformString: template)
    }

    private func copyConfiguration() throws {
        let source = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .removingLastComponent().appending("config")
        try directory.appending("config").createDirectory()
        try directory.appending("config/storyboards").createDirectory()
        try configuration.write(try source.appending("reprised.yaml").read())
        for name in ["ChildViews.yaml", "StateRestore.yaml", "Scrapbook.yaml"] {
            try directory.appending("config/storyboards/\(name)").write(
                try source.appending("storyboards/\(name)").read())
        }
    }

    private func remove() async throws {
        _ = try await ProgramResult.of(
            ["rm", "-rf", "--one-file-system", directory.string], in: "/tmp")
    }
}

/// Limit on the number of simultaneous hosts.
///
/// The limit prevents their daemons from delaying each other beyond deadlines, and from exceeding the kernel's limits
/// per user, such as 128 inotify instances by default.
private final class HostGate: Sendable {
    static let shared = HostGate()
    private static let maximumCount = 48

    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.count >= Self.maximumCount else {
                    state.count += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Releases the place of a host, and resumes the caller that has waited the longest.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.count -= 1
            return nil
        }
        next?.resume()
    }
}
