import DaemonHost
import Glibc
import SystemPackage
import TestSupport

extension Troubles {
    /// Cases in which the daemon's environment was changed.
    static let environmentCases: [Int: Scenario] = [
        21: { trouble in
            try await trouble.save()
            // One hundred years.
            try trouble.changeArchive {
                ArchiveBytes($0).withLaterTimestamps(by: 3_155_760_000_000_000)
            }
            try await trouble.start()
        },
        22: { trouble in
            try await trouble.save()
            try await trouble.start()
            let host = trouble.host
            let second = try await host.attempt([
                "--config", host.configuration.string, "--state-directory", host.state.string,
                "--socket", host.directory.appending("other").string,
            ])
            trouble.record(second.errors)
        },
        23: { trouble in
            try await trouble.save()
            try trouble.configure("StateRestore")
            try await trouble.start()
            try await trouble.stop()
            try trouble.configure()
            let other = try trouble.host.archive(of: "StateRestore").read()
            try trouble.changeArchive { _ in other }
        },
        24: { trouble in
            try await trouble.save()
            try await unprivileged(trouble)
            trouble.names["FILE"] = trouble.host.archive.string
            try await trouble.host.run(command: ["chown", "root:root", trouble.host.archive.string])
            try await trouble.host.run(command: ["chmod", "600", trouble.host.archive.string])
            try await trouble.start()
        },
        25: { trouble in
            try await trouble.save()
            try await unprivileged(trouble)
            trouble.names["FILE"] = trouble.host.archive.string
            try await trouble.host.run(command: ["chmod", "000", trouble.host.archive.string])
            try await trouble.start()
        },
        26: { trouble in
            _ = try await trouble.mountDisk()
            try await trouble.save("before")
            trouble.names["FILE"] = trouble.host.archive.string
            try await trouble.host.run(command: ["chattr", "+i", trouble.host.archive.string])
            try await trouble.start()
            try await trouble.attempt("reprisectl type nav/parent/child1/textField hello")
        },
        27: { trouble in
            try await trouble.save()
            let moved = trouble.host.directory.appending("moved").string
            trouble.names = ["FILE": trouble.host.archive.string, "OTHER": moved]
            try rename(trouble.host.archive, to: moved)
            guard symlink(moved, trouble.host.archive.string) == 0 else {
                throw Errno(rawValue: errno)
            }
            try await trouble.start()
        },
        28: { trouble in
            try await trouble.save("before")
            let other = trouble.host.directory.appending("other")
            guard link(trouble.host.archive.string, other.string) == 0 else {
                throw Errno(rawValue: errno)
            }
            let before = try other.read()
            try await trouble.start()
            try await trouble.type("reprisectl type nav/parent/child1/textField hello")
            try Violation.unless(try other.read() == before, "the other name shows another state")
        },
        29: { trouble in
            try await trouble.save()
            try rename(trouble.host.state, to: "\(trouble.host.state)~")
            trouble.names["STATE"] = trouble.host.state.string
            try await trouble.start()
        },
        30: { trouble in
            try await trouble.save("before")
            try await trouble.start()
            try await trouble.mountOver()
            trouble.names["STATE"] = trouble.host.state.string
            try await trouble.attempt("reprisectl type nav/parent/child1/textField hello")
        },
    ]

    /// Makes another user the owner of the state, and runs the daemon as this user.
    private static func unprivileged(_ trouble: TroubledHost) async throws {
        trouble.prefix = OtherUser.prefix(trouble.host)
        trouble.names["USER"] = OtherUser.identifier
        try await trouble.host.run(
            command: ["chown", "-R", OtherUser.identifier, trouble.host.state.string])
    }
}
