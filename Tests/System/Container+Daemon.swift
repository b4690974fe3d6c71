import Subprocess
import SystemPackage
import Testing

extension Container {
    /// Boots a container with the daemon installed, and calls a closure.
    static func withDaemon(
        _ debian: Debian, _ body: (Container) async throws -> Void
    ) async throws {
        try await withBooted(debian, installing: try .daemon(for: debian), body)
    }

    /// Runs `reprisectl`, requires that it succeeds, and returns its output.
    @discardableResult
    func control(_ arguments: String...) async throws -> String {
        let result = try await attempt(["reprisectl"] + arguments)
        try #require(result.status.isSuccess && result.errors == "", "\(result)")
        return result.output
    }

    /// Returns a property of the service from `systemctl show`.
    func property(_ name: String) async throws -> String {
        let result = try await run("systemctl", "show", "--property", name, "reprised.service")
        return String(result.output.dropFirst(name.count + 1).dropLast())
    }

    /// Returns the journal records of the service, each of which is a JSON object.
    func records(_ matches: String...) async throws -> [Substring] {
        // Messages that were sent to the journal may not have been written yet.
        try await run("journalctl", "--sync")
        let result = try await attempt(
            ["journalctl", "--quiet", "--boot", "-o", "json", "_SYSTEMD_UNIT=reprised.service"]
                + matches
        ).get()
        return result.output.split(separator: "\n")
    }

    /// Waits for at most one minute until the service has written a matching record to the journal. There is no other
    /// notification that the service has handled a signal or a changed file.
    func awaitRecord(_ matches: String...) async throws {
        let match = matches.map { "'\($0)'" }.joined(separator: " ")
        try await run(
            "timeout", "60", "sh", "-c",
            "until journalctl --quiet --boot _SYSTEMD_UNIT=reprised.service \(match) | grep -q .; "
                + "do :; done")
    }

    /// Requires that the service logged messages, but no warnings or errors.
    func requireNoWarnings(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try #require(try await !records().isEmpty, sourceLocation: sourceLocation)
        let warnings = try await records("--priority=warning")
        try #require(warnings.isEmpty, sourceLocation: sourceLocation)
    }
}
