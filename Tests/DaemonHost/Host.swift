import Glibc
package import Subprocess
import Synchronization
package import SystemPackage

/// A folder of a test's own with a configuration, in which it starts the real programs.
package struct Host: Sendable {
    /// The folder, which is also the programs' working folder.
    package let folder: FilePath

    /// The configuration, a copy of the one that ships.
    package var configuration: FilePath { folder.appending("config/reprised.yaml") }

    /// The storyboard of ChildViews, a copy of the one that ships.
    package var storyboard: FilePath { folder.appending("config/storyboards/ChildViews.yaml") }

    /// Where state is kept; made by the daemon.
    package var state: FilePath { folder.appending("state") }

    /// The saved state of ChildViews.
    package var savedState: FilePath { savedState(of: "ChildViews") }

    /// The file in it.
    package var archive: FilePath { archive(of: "ChildViews") }

    /// The saved state of an application, by the last part of its bundle identifier.
    package func savedState(of application: String) -> FilePath {
        state.appending("Saved Application State/org.reprise.\(application).savedState")
    }

    /// The file in it.
    package func archive(of application: String) -> FilePath {
        savedState(of: application).appending("data.archive")
    }

    /// Where the daemon listens.
    package var socket: FilePath { folder.appending("control") }

    /// The folder with the daemon's credentials, if what it saves is encrypted.
    package var credentials: FilePath { folder.appending("credentials") }

    /// The key that everything is encrypted with: the same for all hosts, so that state can be copied.
    package static let key = [UInt8](1...32)

    /// Has everything encrypted that is saved from the next start on.
    package func encrypt() throws {
        let dropIns = folder.appending("config/reprised.d")
        if dropIns.entries.isEmpty { try dropIns.makeFolder() }
        try dropIns.appending("encryption.yaml").write(
            "preservation: { encryption: credential }\n".utf8)
        try credentials.makeFolder()
        try give(key: Self.key)
    }

    /// Gives the daemon another key from its next start on; nil: none.
    ///
    /// - Parameter previous: The key by which what is there can be read as well; nil: none.
    package func give(key: [UInt8]?, previous: [UInt8]? = nil) throws {
        for (name, key) in [("reprise.key", key), ("reprise.key.previous", previous)] {
            let file = credentials.appending(name)
            if let key { try file.write(key) } else { unlink(file.string) }
        }
    }

    /// What the daemon's environment holds beside the common one.
    var environment: [Environment.Key: String] {
        folder.entries.contains("credentials")
            ? ["CREDENTIALS_DIRECTORY": credentials.string] : [:]
    }

    /// Makes a folder for the body, and removes it after it.
    ///
    /// When the body throws, the folder stays and is named; so have it `#require` what matters.
    ///
    /// - Returns: What the body gave.
    @discardableResult
    package static func with<Value>(_ body: (Host) async throws -> Value) async throws -> Value {
        await HostGate.shared.enter()
        defer { HostGate.shared.leave() }
        let host = Host(folder: try makeFolder())
        do {
            try host.copyConfiguration()
            let value = try await body(host)
            try await host.remove()
            return value
        } catch {
            try FileDescriptor.standardError.writeAll(
                "The test's folder is kept: \(host.folder)\n".utf8)
            throw error
        }
    }

    /// What every start of the daemon is told.
    package var daemonArguments: [String] {
        [
            "--config", configuration.string, "--state-directory", state.string,
            "--socket", socket.string,
        ]
    }

    /// Runs the daemon to its end, which has to come by itself.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments; nil: those of ``daemonArguments``.
    ///   - prefix: A program that starts it, and that program's arguments.
    package func attempt(
        _ arguments: [String]? = nil, by prefix: [String] = [],
        environment: [Environment.Key: String] = [:]
    ) async throws -> ProgramResult {
        let program = try Programs.reprised().string
        return try await ProgramResult.of(
            prefix + [program] + (arguments ?? daemonArguments),
            environment: self.environment.merging(environment) { $1 }, in: folder)
    }

    /// Runs the command line on the daemon's socket, however it ends.
    package func control(_ arguments: String...) async throws -> ProgramResult {
        try await control(arguments)
    }

    /// Runs the command line on the daemon's socket, however it ends.
    package func control(_ arguments: [String]) async throws -> ProgramResult {
        let program = try Programs.reprisectl().string
        return try await ProgramResult.of(
            [program, "--socket", socket.string] + arguments, in: folder)
    }

    /// Runs `inspect` of the command line, which needs no daemon, however it ends.
    package func inspect(_ arguments: String...) async throws -> ProgramResult {
        try await ProgramResult.of(
            [try Programs.reprisectl().string, "inspect"] + arguments, in: folder)
    }

    /// Replaces a text in one of the host's files, which has to hold it.
    package func replace(_ text: String, by replacement: String, in file: FilePath) throws {
        let parts = try file.text().split(separator: text, omittingEmptySubsequences: false)
        guard parts.count > 1 else { throw Errno.invalidArgument }
        try file.write(parts.joined(separator: replacement).utf8)
    }

    private static func makeFolder() throws -> FilePath {
        var template = Array("/tmp/reprise-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        return FilePath(platformString: template)
    }

    private func copyConfiguration() throws {
        let source = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .removingLastComponent().appending("config")
        try folder.appending("config").makeFolder()
        try folder.appending("config/storyboards").makeFolder()
        try configuration.write(try source.appending("reprised.yaml").read())
        for name in ["ChildViews.yaml", "StateRestore.yaml", "Scrapbook.yaml"] {
            try folder.appending("config/storyboards/\(name)").write(
                try source.appending("storyboards/\(name)").read())
        }
    }

    private func remove() async throws {
        _ = try await ProgramResult.of(
            ["rm", "-rf", "--one-file-system", folder.string], in: "/tmp")
    }
}

/// Lets so many hosts be there at once that their daemons neither keep each other from their deadlines, nor use
/// up what a user may have of the kernel: 128 instances of inotify, by default.
private final class HostGate: Sendable {
    static let shared = HostGate()
    private static let most = 48

    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.count >= Self.most else {
                    state.count += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// The place goes to who has waited longest.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.count -= 1
            return nil
        }
        next?.resume()
    }
}
