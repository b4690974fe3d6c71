import DaemonHost
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Handling of an archive that was damaged while the daemon was not running (L5).
struct DamagedArchiveTests {
    /// Kind of damage to an archive that contains several passes.
    enum Damage: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case flippedByte = "a flipped byte"
        case cutEnd = "a cut-off end"
        case empty = "nothing in it"
        case foreign = "the bytes of something else"

        var testDescription: String { rawValue }

        func applied(to bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            switch self {
            case .flippedByte: bytes[bytes.count / 2] ^= 1
            case .cutEnd: bytes.removeLast(5)
            case .empty: bytes = []
            case .foreign: bytes = Array("#!/bin/sh\necho hello\n".utf8)
            }
            return bytes
        }

        /// Expected message. A power cut may leave an archive with a cut-off end.
        var sentence: String {
            switch self {
            case .flippedByte: "data.archive is damaged at byte"
            case .cutEnd: "data.archive ends in an incomplete write of"
            case .empty, .foreign: "data.archive cannot be used: "
            }
        }

        /// Salvaged part of the typed text.
        var salvaged: String { self == .cutEnd ? "typed" : "" }
    }

    private func withSaved(_ body: (Host) async throws -> Void) async throws {
        try await Host.with { host in
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "typed") }
            try await host.removeHistory()
            try await body(host)
        }
    }

    @Test(arguments: Damage.allCases)
    func
        `L5: a damaged archive is stored in quarantine, and the daemon starts and reports the damage`(
            damage: Damage
        ) async throws
    {
        try await withSaved { host in
            let damaged = damage.applied(to: try host.archive.read())
            try host.archive.write(damaged)
            let ended = try await host.run { _ in
                if damage == .flippedByte {
                    // All objects except the object with the damaged byte are restored, and the report names that
                    // object.
                    let report = try await host.mustControl("report")
                    try #require(report.contains("reason recover"), "\(report)")
                    try #require(report.contains(" (damaged): "), "\(report)")
                } else {
                    let reason = damage.salvaged.isEmpty ? "pristine" : "recover"
                    try await host.require(child1: damage.salvaged, reason: reason)
                }
                let status = try await host.mustControl("status")
                try #require(status.contains(damage.sentence), "\(status)")
                try #require(
                    damage == .cutEnd || status.contains("quarantine/000001-data.archive"),
                    "\(status)")
                try await host.mustControl("type", Paths.child1, "new")
            }
            try #require(ended.log.contains(damage.sentence), "\(ended.log)")
            let quarantine = host.savedState.appending("quarantine")
            try #require(
                quarantine.entries == ["000001-data.archive", "000001-data.archive.reason"])
            try #require(try quarantine.appending("000001-data.archive").read() == damaged)
            let storedReason = try quarantine.appending("000001-data.archive.reason").text()
            try #require(
                damage == .cutEnd || storedReason.hasPrefix("The archive is damaged at byte "),
                "\(storedReason)")
            // State that was saved afterwards is intact.
            try await host.run { _ in try await host.require(child1: "new", reason: "restore") }
        }
    }

    @Test
    func `L5: an archive in a newer format is left unchanged, and its application is not launched`()
        async throws
    {
        try await withSaved { host in
            let newer = ArchiveBytes(try host.archive.read()).newer()
            try host.archive.write(newer)
            let ended = try await host.run { daemon in
                let status = try #require(daemon.ready.first { $0.hasPrefix("STATUS=") })
                try #require(status.contains("could not be launched"), "\(status)")
                let output = try await host.mustControl("status")
                try #require(output.contains("org.reprise.ChildViews 1: failed"), "\(output)")
                try #require(output.contains("format version 2 is newer than 1"), "\(output)")
                let refused = try await host.control("type", Paths.child1, "lost?")
                try #require(refused.status == .exited(1))
                try #require(refused.errors.contains("could not be launched"), "\(refused)")
            }
            try #require(ended.status == .exited(0))
            try #require(host.savedState.entries == ["data.archive"])
            try #require(try host.archive.read() == newer)
        }
    }

}
