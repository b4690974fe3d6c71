import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// One of a host's applications, as the command line drives it.
struct ControlledApplication {
    let host: Host
    let bundleIdentifier: String

    /// Runs a command on it, which has to succeed, and gives its output without the last newline.
    @discardableResult
    func callAsFunction(_ arguments: String...) async throws -> String {
        let result = try await host.control(["--app", bundleIdentifier] + arguments)
        try #require(result.status.isSuccess && result.errors == "", "\(arguments): \(result)")
        return result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
    }

    /// Runs a command on it that has to be refused, and gives the sentence.
    func refusal(_ arguments: String...) async throws -> String {
        let result = try await host.control(["--app", bundleIdentifier] + arguments)
        try #require(result.status == .exited(1), "\(arguments): \(result)")
        return result.errors
    }

    /// What the commands give for these keys of an object.
    func values(_ path: String, _ keys: String...) async throws -> [String] {
        var values: [String] = []
        for key in keys { values.append(try await self("get", path, key)) }
        return values
    }
}

extension Host {
    /// An application by the last part of its bundle identifier.
    func application(_ name: String) -> ControlledApplication {
        ControlledApplication(host: self, bundleIdentifier: "org.reprise.\(name)")
    }

    /// A document of an application.
    func document(_ name: String, of application: String) -> FilePath {
        state.appending("Documents/org.reprise.\(application)/\(name)")
    }
}
