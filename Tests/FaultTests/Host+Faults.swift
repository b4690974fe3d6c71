import DaemonHost
import Encryption
import Glibc
import LinuxIO
import Subprocess
import SystemPackage
import Testing

extension Host {
    /// Has only these applications hosted, as YAML, and what is not saved tried again often.
    func configure(applications: String, interval: String = "20ms") throws {
        let folder = folder.appending("config/reprised.d")
        if folder.entries.isEmpty { try folder.makeFolder() }
        try folder.appending("faults.yaml").write(
            """
            applications: \(applications)
            preservation: { interval: \(interval) }
            quarantine: { count: 10000, bytes: 1GiB }

            """.utf8)
    }

    /// One application with one scene, which is all that most faults need.
    static let childViews = "[{ bundleIdentifier: org.reprise.ChildViews }]"

    /// What was put into the quarantine of an application, but for copies of archives with a torn
    /// end, which a kill within a write leaves: the kernel has written a part of it then.
    func quarantined(of application: String = "org.reprise.ChildViews") throws -> [String] {
        let folder = state.appending(
            "Saved Application State/\(application).savedState/quarantine")
        let entries = folder.entries
        return try entries.filter { name in
            if name.hasSuffix(".reason") { return false }
            guard entries.contains("\(name).reason") else { return true }
            let reason = try content(of: folder.appending("\(name).reason"))
            return !reason.starts(with: "torn tail".utf8)
        }
    }

    /// What a file of the daemon's holds, encrypted or not.
    func content(of file: FilePath) throws -> [UInt8] {
        let keys = EncryptionKeys(sealing: nil, reading: [try EncryptionKey(Self.key)])
        let folder = file.removingLastComponent().string
        guard let name = file.lastComponent?.string, let opened = try Directory.open(folder),
            let bytes = try SealedFolder(opened, keys: keys).read(name, limit: .max)
        else { throw Violation("there is no \(file)") }
        return bytes
    }

    /// Runs a program of this machine, which has to succeed.
    func run(command: [String]) async throws {
        let result = try await ProgramResult.of(command, in: "/")
        guard result.status.isSuccess else { throw Violation("\(command): \(result)") }
    }

    /// Starts the daemon, without any fault, and requires what it restored.
    ///
    /// - Parameters:
    ///   - expected: What to look at, and the texts of which one has to be there.
    ///   - reasons: The launch reasons of which one has to be told.
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

/// How what a daemon saves lies on the disk.
enum Protection: String, CaseIterable, CustomTestStringConvertible {
    case plain, encrypted

    /// Has a host save like this.
    func set(up host: Host) throws { if self == .encrypted { try host.encrypt() } }

    var testDescription: String { rawValue }
}

/// Whether the tests can do what they have to: mount, and run programs under other users.
func requireRoot() throws {
    guard geteuid() == 0 else {
        throw Violation("these tests mount file systems: run them as root")
    }
}
