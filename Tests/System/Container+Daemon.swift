import Subprocess
import SystemPackage
import Testing

extension Container {
    /// Boots a container with the whole installed, for the body.
    static func withDaemon(
        _ debian: Debian, _ body: (Container) async throws -> Void
    ) async throws {
        try await withBooted(debian, installing: try .daemon(for: debian), body)
    }

    /// Runs the command line, which has to succeed, and gives its output.
    @discardableResult
    func control(_ arguments: String...) async throws -> String {
        let result = try await attempt(["reprisectl"] + arguments)
        try #require(result.status.isSuccess && result.errors == "", "\(result)")
        return result.output
    }

    /// A property of the service, as `systemctl show` tells it.
    func property(_ name: String) async throws -> String {
        let result = try await run("systemctl", "show", "--property", name, "reprised.service")
        return String(result.output.dropFirst(name.count + 1).dropLast())
    }

    /// What the service wrote to the journal, one JSON object a record.
    func records(_ matches: String...) async throws -> [Substring] {
        // What was sent to the journal may not be written yet.
        try await run("journalctl", "--sync")
        let result = try await attempt(
            ["journalctl", "--quiet", "--boot", "-o", "json", "_SYSTEMD_UNIT=reprised.service"]
                + matches
        ).get()
        return result.output.split(separator: "\n")
    }

    /// Waits until the service has written such a record to the journal, at most a minute; nothing else
    /// tells when it has dealt with a signal, or noticed a file.
    func awaitRecord(_ matches: String...) async throws {
        let match = matches.map { "'\($0)'" }.joined(separator: " ")
        try await run(
            "timeout", "60", "sh", "-c",
            "until journalctl --quiet --boot _SYSTEMD_UNIT=reprised.service \(match) | grep -q .; "
                + "do :; done")
    }

    /// Requires that the service logged something, but no warning and nothing worse.
    func requireNoComplaint(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try #require(try await !records().isEmpty, sourceLocation: sourceLocation)
        let complaints = try await records("--priority=warning")
        try #require(complaints.isEmpty, sourceLocation: sourceLocation)
    }
}
