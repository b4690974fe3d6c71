import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Application of a host, operated by the command-line client.
struct ControlledApplication {
    let host: Host
    let bundleIdentifier: String

    /// Runs a command on the application, requires that it succeeds, and returns its output without the last newline.
    @discardableResult
    func callAsFunction(_ arguments: String...) async throws -> String {
        let result = try await host.control(["--app", bundleIdentifier] + arguments)
        try #require(result.status.isSuccess && result.errors == "", "\(arguments): \(result)")
        return result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
    }

    /// Runs a command on the application, requires that it is refused, and returns the error message.
    func refusal(_ arguments: String...) async throws -> String {
        let result = try await host.control(["--app", bundleIdentifier] + arguments)
        try #require(result.status == .exited(1), "\(arguments): \(result)")
        return result.errors
    }

    /// Returns the values of these keys of an object.
    func values(_ path: String, _ keys: String...) async throws -> [String] {
        var values: [String] = []
        for key in keys { values.append(try await self("get", path, key)) }
        return values
    }
}

extension Host {
    /// Returns the application with this last part of its bundle identifier.
    func application(_ name: String) -> ControlledApplication {
        ControlledApplication(host: self, bundleIdentifier: "org.reprise.\(name)")
    }

    /// Returns the path of a document of an application.
    func document(_ name: String, of application: String) -> FilePath {
        state.appending("Documents/org.reprise.\(application)/\(name)")
    }
}
