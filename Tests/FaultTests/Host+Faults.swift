import DaemonHost
import Encryption
import Glibc
import LinuxIO
import Subprocess
import SystemPackage
import Testing

extension Host {
    /// Configures the host to run only these applications, given as YAML, and to retry failed saves often.
    func configure(applications: String, interval: String = "20ms") throws {
        let directory = directory.appending("config/reprised.d")
        if directory.entries.isEmpty { try directory.createDirectory() }
        try directory.appending("faults.yaml").write(
            """
            applications: \(applications)
            preservation: { interval: \(interval) }
            quarantine: { count: 10000, bytes: 1GiB }

            """.utf8)
    }

    /// One application with one scene, which is sufficient for most faults.
    static let childViews = "[{ bundleIdentifier: org.reprise.ChildViews }]"

    /// Returns the files in an application's quarantine, except copies of archives with a torn tail. Killing the daemon
    /// during a write leaves such a tail, because the kernel has written part of the data.
    func quarantined(of application: String = "org.reprise.ChildViews") throws -> [String] {
        let directory = state.appending(
            "Saved Application State/\(application).savedState/quarantine")
        let entries = directory.entries
        return try entries.filter { name in
            if name.hasSuffix(".reason") { return false }
            guard entries.contains("\(name).reason") else { return true }
            let reason = try content(of: directory.appending("\(name).reason"))
            return !reason.starts(with: "torn tail".utf8)
        }
    }

    /// Returns the contents of a file of the daemon, decrypted if necessary.
    func content(of file: FilePath) throws -> [UInt8] {
        let keys = EncryptionKeys(sealing: nil, reading: [try EncryptionKey(Self.key)])
        let directory = file.removingLastComponent().string
        guard let name = file.lastComponent?.string, let opened = try Directory.open(directory),
            let bytes = try SealedDirectory(opened, keys: keys).read(name, limit: .max)
        else { throw Violation("there is no \(file)") }
        return bytes
    }

    /// Runs a program on this machine, and requires that it succeeds.
    func run(command: [String]) async throws {
        let result = try await ProgramResult.of(command, in: "/")
        guard result.status.isSuccess else { throw Violation("\(command): \(result)") }
    }

    /// Starts the daemon without faults, and checks the state that it restored.
    ///
    /// - Parameters:
    ///   - expected: The fields to check, each with the allowed numbers of its string.
    ///   - reasons: The allowed launch reasons.
    func requireRestored(
        _ expected: (field: Field, numbers: ClosedRange<Int>)..., reasons: [String] = ["recover"]
    ) async throws {
        try await run { _ in
            let client = try ControlClient(self)
            for (field, numbers) in expected {
                let status = try client.status(of: field.application)
                try Violation.unless(status.phase == "running", "restarted: \(status)")
                let reason = status.scenes.first { $0.name == field.scene }?.launchReason ?? ""
                try Violation.unless(reasons.contains(reason), "launched with reason \(reason)")
                let content = try client.content(of: field)
                guard let number = field.number(of: content.text) else {
                    throw Violation("half a text: \(content.text.prefix(100))")
                }
                try Violation.unless(
                    numbers.contains(number), "\(number) came back, not \(numbers)")
                try Violation.unless(
                    content.selectedRange?.lowerBound == field.caret(number) || number == 0,
                    "text and caret of different changes: \(content)")
            }
        }
    }
}

/// Form in which a daemon stores its files.
enum Protection: String, CaseIterable, CustomTestStringConvertible {
    case plain, encrypted

    /// Configures a host to store its files in this form.
    func set(up host: Host) throws { if self == .encrypted { try host.encrypt() } }

    var testDescription: String { rawValue }
}

/// Requires the permissions to mount file systems and to run programs as other users.
func requireRoot() throws {
    guard geteuid() == 0 else {
        throw Violation("these tests mount file systems: run them as root")
    }
}
