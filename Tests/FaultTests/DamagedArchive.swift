import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import TestSupport

/// An archive that was changed after the daemon wrote it, with the change and the expected outcome.
enum DamagedArchive: String, CaseIterable, Sendable {
    case cutTail = "a cut tail"
    case flippedByte = "a flipped byte in the synced part"
    case zeroedPage = "a zeroed page"
    case swappedRecords = "swapped records"
    case foreignFile = "the archive of another application"
    case newerVersion = "an archive of a newer version"
    case emptyFile = "an empty file"
    case forbiddenFile = "a file that this user may not read"
    case brokenFile = "a file that the disk does not give"

    /// A field with strings that are longer than a page. Several of them are synced.
    private static let field = Field(path: Field.child1.path, byteCount: 9_000)

    /// Number of the last saved string.
    private static let last = 4

    private static let applications = """
        [{ bundleIdentifier: org.reprise.ChildViews }, \
        { bundleIdentifier: org.reprise.StateRestore }]
        """

    /// Creates an archive, damages it, and checks how a daemon handles it.
    ///
    /// - Throws: ``Violation`` if the daemon violates a rule.
    func run(_ host: Host) async throws {
        try host.configure(applications: Self.applications)
        try await host.run(endingBy: .kill) { _ in
            let client = try ControlClient(host)
            for number in 1...Self.last {
                _ = try client.type(number, into: Self.field)
                if number < Self.last { _ = try client.preserve() }
            }
        }
        switch self {
        case .newerVersion: try await requireRefused(host)
        case .forbiddenFile: try await requireForbidden(host)
        case .brokenFile: try await requireBroken(host)
        default: try await requireQuarantined(host)
        }
    }

    private func damaged(_ bytes: [UInt8], _ host: Host) throws -> [UInt8] {
        let archive = ArchiveBytes(bytes)
        switch self {
        case .cutTail: return bytes.dropLast(5)
        case .flippedByte:
            var bytes = bytes
            bytes[5_000] ^= 1
            return bytes
        case .zeroedPage: return archive.zeroingPage()
        case .swappedRecords: return archive.swapping(1)
        case .foreignFile:
            let other = "Saved Application State/org.reprise.StateRestore.savedState/data.archive"
            return try host.state.appending(other).read()
        case .newerVersion: return archive.newer()
        case .emptyFile: return []
        case .forbiddenFile, .brokenFile: return bytes
        }
    }

    // MARK: Damage

    /// Requires that the file is in quarantine unchanged, that an earlier state was restored, and that the damage is
    /// reported (L5).
    private func requireQuarantined(_ host: Host) async throws {
        let bytes = try damaged(try host.archive.read(), host)
        try host.archive.write(bytes)
        let ended = try await host.run(endingBy: .kill) { _ in
            let client = try ControlClient(host)
            let content = try client.content(of: Self.field)
            guard let number = Self.field.number(of: content.text), number < Self.last else {
                throw Violation("no earlier text came back: \(content)")
            }
            let status = try await host.control("status")
            let reply = try client.type(Self.last + 1, into: Self.field)
            try Violation.unless(reply.isSaved, "not saved: \(reply)")
            return (number, status.output)
        }
        let (number, status) = ended.value
        let isTorn = ended.log.contains("incomplete write")
        try Violation.unless(!isTorn || self == .cutTail, "damage was cut off: \(ended.log)")
        if isTorn {
            try Violation.unless(number == Self.last - 1, "what was synced is cut: \(number)")
            try requireLogLine(
                ["is stored in quarantine", "the state in its last part is lost"], in: ended.log,
                at: "<4>")
        } else {
            try requireLogLine(["it is in quarantine as", remedy], in: ended.log, at: "<3>")
            try Violation.unless(
                status.contains(isOwnArchive ? "is damaged at byte" : "cannot be used")
                    && status.contains("quarantine/000001-"),
                "the status does not tell: \(status)")
        }
        let quarantine = host.savedState.appending("quarantine")
        let names = ["000001-data.archive", "000001-data.archive.reason"]
        try Violation.unless(quarantine.entries == names, "in quarantine: \(quarantine.entries)")
        try Violation.unless(
            try quarantine.appending(names[0]).read() == bytes, "another file is in quarantine")
        let reason = try quarantine.appending(names[1]).text()
        try Violation.unless(
            reason.contains("byte") && reason.hasSuffix("\n"), "the reason is \(reason)")
        try await host.requireRestored((Self.field, Self.last + 1...Self.last + 1))
    }

    /// Advice that the log must contain.
    private var remedy: String {
        switch self {
        case .foreignFile: "move the file to the directory of"
        case .emptyFile: "the file was emptied"
        default: "check the disk"
        }
    }

    /// Whether the file is an archive of the application, so that messages contain the offset of the damage.
    private var isOwnArchive: Bool { self != .foreignFile && self != .emptyFile }

    /// Requires a line that contains the file, the offset, the outcome and the advice.
    private func requireLogLine(_ outcome: [String], in log: String, at level: String) throws {
        let isLogged = log.split(separator: "\n").contains {
            $0.hasPrefix(level) && $0.contains("data.archive") && outcome.allSatisfy($0.contains)
                && (!isOwnArchive || $0.contains(/(at|from) byte [0-9]+/))
        }
        try Violation.unless(isLogged, "no line tells file, offset and outcome: \(log)")
    }

    // MARK: Not damage

    /// Requires that the application is not launched, that its directory does not change, and that other applications
    /// run.
    private func requireFailed(_ host: Host, _ parts: [String]) async throws {
        let status = try ControlClient(host).status()
        try Violation.unless(status.phase == "failed", "\(status)")
        let others = try ControlClient(host).status(of: "org.reprise.StateRestore")
        try Violation.unless(others.phase == "running", "\(others)")
        let statusResult = try await host.control("status")
        let refused = try await host.control("type", Self.field.path, "x")
        try Violation.unless(refused.status == .exited(1), "\(refused)")
        for sentence in [status.failure ?? "", statusResult.output, refused.errors] {
            for part in parts + [host.archive.string] {
                try Violation.unless(sentence.contains(part), "'\(part)' is not in: \(sentence)")
            }
        }
        try requireUntouched(host)
    }

    private func requireUntouched(_ host: Host) throws {
        let entries = host.savedState.entries
        try Violation.unless(entries == ["data.archive"], "the directory contains \(entries)")
    }

    private func requireLogged<Value>(_ end: DaemonResult<Value>, _ part: String) throws {
        let isLogged = end.log.split(separator: "\n").contains {
            $0.hasPrefix("<3>") && $0.contains(part) && $0.contains("data.archive")
        }
        try Violation.unless(isLogged, "the log does not tell: \(end.log)")
    }

    private func requireRefused(_ host: Host) async throws {
        let bytes = try damaged(try host.archive.read(), host)
        try host.archive.write(bytes)
        let ended = try await host.run { _ in
            try await requireFailed(host, ["is newer than", "start the version of the program"])
        }
        try requireLogged(ended, "is newer than")
        try requireUntouched(host)
        try Violation.unless(try host.archive.read() == bytes, "the archive was touched")
    }

    private func requireForbidden(_ host: Host) async throws {
        let user = "\(OtherUser.identifier):\(OtherUser.identifier)"
        try await host.run(command: ["chown", "-R", user, host.state.string])
        try await host.run(command: ["chown", "root:root", host.archive.string])
        let ended = try await host.run(by: OtherUser.prefix(host), endingBy: .kill) { _ in
            try await requireFailed(
                host, [Errno.permissionDenied.description, "give this user access"])
            try await host.run(command: ["chown", user, host.archive.string])
            try requireLaunches(try ControlClient(host))
        }
        try requireLogged(ended, Errno.permissionDenied.description)
        try await host.requireRestored((Self.field, Self.last...Self.last))
    }

    private func requireBroken(_ host: Host) async throws {
        let injection = Injection(
            call: "read,pread64,readv", number: 1, effect: .errors(.ioError))
        let ended = try await host.run(by: injection.prefix(host), endingBy: .kill) { daemon in
            try await requireFailed(host, [Errno.ioError.description, "check the disk"])
            try daemon.detachTracer()
            try requireLaunches(try ControlClient(host))
        }
        try requireLogged(ended, Errno.ioError.description)
        try await host.requireRestored((Self.field, Self.last...Self.last))
    }

    /// Requires that the complete state is restored as soon as the file can be read.
    private func requireLaunches(_ client: ControlClient) throws {
        try client.launch()
        let content = try client.content(of: Self.field)
        try Violation.unless(content.text == Self.field.text(Self.last), "launched: \(content)")
    }
}
