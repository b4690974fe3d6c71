import DaemonHost
import Glibc
import Subprocess
import SystemPackage

extension Host {
    /// Has only these applications hosted, as YAML, and what is not saved tried again often.
    func configure(applications: String, interval: String = "20ms") throws {
        let folder = folder.appending("config/reprised.d")
        try folder.makeFolder()
        try folder.appending("faults.yaml").write(
            """
            applications: \(applications)
            preservation: { interval: \(interval) }

            """.utf8)
    }

    /// One application with one scene, which is all that most faults need.
    static let childViews = "[{ bundleIdentifier: org.reprise.ChildViews }]"

    /// Everything that was put into the quarantine of an application.
    func quarantined(of application: String = "org.reprise.ChildViews") -> [String] {
        state.appending("Saved Application State/\(application).savedState/quarantine").entries
    }

    /// Runs a program of this machine, which has to succeed.
    func run(command: [String]) async throws {
        let result = try await ProgramResult.of(command, in: "/")
        guard result.status.isSuccess else { throw Violation("\(command): \(result)") }
    }

    /// Starts the daemon, without any fault, and requires what it restored.
    ///
    /// - Parameters:
    ///   - field: What to look at.
    ///   - numbers: The texts of which one has to be there.
    ///   - reasons: The launch reasons of which one has to be told.
    /// - Returns: The number of the text that is there.
    @discardableResult
    func requireRestored(
        _ field: Field, _ numbers: ClosedRange<Int>, reasons: [String] = ["recover"]
    ) async throws -> Int {
        let ended = try await run { _ in
            let client = try ControlClient(self)
            let status = try client.status(of: field.application)
            try Violation.unless(status.phase == "running", "restarted: \(status)")
            let reason = status.scenes.first { $0.name == field.scene }?.launchReason ?? ""
            try Violation.unless(reasons.contains(reason), "launched with reason \(reason)")
            let content = try client.content(of: field)
            guard let number = field.number(of: content.text) else {
                throw Violation("half a text: \(content)")
            }
            try Violation.unless(numbers.contains(number), "\(number) came back, not \(numbers)")
            try Violation.unless(
                content.selectedRange?.lowerBound == field.caret(number) || number == 0,
                "text and caret of different changes: \(content)")
            return number
        }
        return ended.value
    }
}

/// Whether the tests can do what they have to: mount, and run programs under other users.
func requireRoot() throws {
    guard geteuid() == 0 else {
        throw Violation("these tests mount file systems: run them as root")
    }
}
