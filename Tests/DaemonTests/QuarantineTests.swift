import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// `reprisectl quarantine`, on a daemon.
struct QuarantineTests {
    @Test func `L5: a damaged archive in quarantine can be listed, inspected and put back`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try #require(
                    try await host.mustControl("quarantine") == "the quarantine is empty\n")
                try await host.mustControl("type", Paths.child1, "kept")
                try await host.mustControl("type", Paths.child1, "####")
            }
            var bytes = try host.archive.read()
            let range = try #require(bytes.firstRange(of: Array("####".utf8)))
            bytes[range.lowerBound] ^= 1
            try host.archive.write(bytes)
            let name = "000001-data.archive"
            let path = host.savedState.appending("quarantine").appending(name).string
            try await host.run { _ in
                let listed = try await host.mustControl("quarantine").split(separator: "\n")
                try #require(listed.count == 3, "\(listed)")
                try #require(
                    listed[0].hasPrefix("\(name)  \(bytes.count) bytes, since 20"), "\(listed)")
                try #require(
                    listed[1].hasPrefix("  The archive is damaged at byte "), "\(listed)")
                try #require(listed[2] == "  \(path)", "\(listed)")
                let inspected = try await host.inspect(path)
                try #require(inspected.status == .exited(1), "\(inspected)")
                try #require(
                    inspected.errors.contains(
                        "`reprisectl quarantine put-back \(name)` restores its "),
                    "\(inspected)")

                try await host.mustControl("type", Paths.child1, "typed since")
                let output = try await host.mustControl("quarantine", "put-back", name)
                let lines = output.split(separator: "\n")
                try #require(lines.count == 4 && lines[0] == "put back: main", "\(output)")
                try #require(lines[1].hasPrefix("incomplete: it is damaged at byte "), "\(output)")
                try #require(
                    lines[2].hasPrefix("the previous state is in the history as "), "\(output)")
                try #require(lines[3].hasPrefix("saved: "), "\(output)")
                try await host.require(child1: "kept", reason: "replace")
                let generation = FilePath(
                    String(
                        lines[2].dropFirst("the previous state is in the history as ".count)
                            .prefix { $0 != ":" }))
                try #require(
                    try generation.read().firstRange(of: Array("typed since".utf8)) != nil)
            }
            try await host.run { _ in try await host.require(child1: "kept", reason: "restore") }
        }
    }

    @Test func `an entry that cannot be put back is refused with an error that names it`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "typed")
                try host.copyToQuarantine()
                try host.savedState.appending("quarantine/empty").write([])
                for (name, sentence) in [
                    (
                        "../data.archive",
                        "org.reprise.ChildViews has no file \"../data.archive\" in quarantine: "
                            + "`reprisectl --app org.reprise.ChildViews quarantine` lists the files."
                    ), ("empty", "empty was not put back into org.reprise.ChildViews (damaged): "),
                ] {
                    let result = try await host.control("quarantine", "put-back", name)
                    try #require(result.status == .exited(1) && result.output == "", "\(result)")
                    try #require(result.errors.hasPrefix("reprisectl: \(sentence)"), "\(result)")
                }
                try await host.require(child1: "typed", reason: "pristine")
                let usage = try await host.control("--scene", "main", "quarantine")
                try #require(usage.status == .exited(2), "\(usage)")
            }
        }
    }
}
