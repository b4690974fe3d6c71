import DaemonHost
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// `reprisectl inspect`, which needs no daemon.
struct InspectionTests {
    private func withSaved(_ body: (Host) async throws -> Void) async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "wörld\u{1B}[31m")
                try await host.mustControl("open", "second")
            }
            try await body(host)
        }
    }

    @Test func `inspect shows scenes, paths, classes and values, and escapes control characters`()
        async throws
    {
        try await withSaved { host in
            let result = try await host.inspect(host.archive.string)
            try #require(result.status == .exited(0) && result.errors == "", "\(result)")
            let lines = result.output.split(separator: "\n").map(String.init)
            try #require(lines[0].hasPrefix("an archive of org.reprise.ChildViews"), "\(result)")
            try #require(lines.contains { $0.hasPrefix("scene main, saved 20") }, "\(result)")
            try #require(lines.contains { $0.hasPrefix("scene second, saved 20") }, "\(result)")
            try #require(lines.contains(#"    text: wörld\u{1B}[31m"#), "\(result)")
            try #require(
                lines.contains { $0.hasPrefix("  nav/parent/child1  Child1ViewController") },
                "\(result)")
            try #require(lines.contains("  @bundleVersion: 1"), "\(result)")
            let parent = try #require(
                lines.firstIndex { $0.hasPrefix("  nav/parent  ParentViewController") })
            try #require(
                lines[(parent + 1)...].prefix(3) == [
                    "    child1: → nav/parent/child1", "    child2: → nav/parent/child2",
                    "    selectedIndex: 0",
                ], "\(result)")
            let last = try #require(lines.last)
            try #require(last.hasPrefix("whole: ") && last.hasSuffix("; closed"), "\(result)")
            try #require(!last.contains("fault"), "\(result)")
            let json = try await host.inspect("--json", host.archive.string)
            for member in [
                #""closed":true"#, #""condition":"whole""#, #""name":"main""#, #""name":"second""#,
                #""path":"nav/parent/child1""#, #""text":"wörld\u001b[31m""#,
            ] {
                try #require(json.output.contains(member), "\(member): \(json)")
            }
            try host.archive.write(try host.archive.read() + [1, 2, 3])
            let longer = try await host.inspect("--json", host.archive.string)
            try #require(longer.output.contains(#""closed":false"#), "\(longer)")
        }
    }

    @Test
    func
        `L5: for a damaged archive, inspect shows the intact objects, the damage and what is used`()
        async throws
    {
        try await withSaved { host in
            try await host.removeHistory()
            var bytes = try host.archive.read()
            bytes[bytes.count - 100] ^= 1
            try host.archive.write(bytes)
            let result = try await host.inspect(host.archive.string)
            try #require(result.status == .exited(1), "\(result)")
            try #require(result.output.contains("scene main"), "\(result)")
            try #require(result.output.contains("\ndamaged: \(bytes.count) bytes"), "\(result)")
            try #require(
                result.errors.hasPrefix("reprisectl: '\(host.archive)' is damaged at byte "),
                "\(result)")
            try #require(
                result.errors.contains("puts it into quarantine and uses its "), "\(result)")
            let records = try await host.inspect("--records", host.archive.string)
            try #require(records.status == .exited(1) && records.errors == result.errors)
            try #require(
                records.output.split(separator: "\n").count { $0.contains("  WRONG  ") } == 1,
                "\(records)")
        }
    }

    @Test func `inspect lists every record, even records after damage`() async throws {
        try await withSaved { host in
            let whole = try await host.inspect("--records", host.archive.string)
            try #require(whole.status == .exited(0), "\(whole)")
            let lines = whole.output.split(separator: "\n")
            try #require(lines[0].hasPrefix("an archive of org.reprise.ChildViews"), "\(whole)")
            try #require(
                lines[1] == "    offset     length    sequence  checksum  record", "\(whole)")
            // Numbers are aligned to the right of their headings.
            try #require(
                lines[2..<lines.count - 1].allSatisfy {
                    $0.dropFirst(33).hasPrefix("  right     ")
                },
                "\(whole)")
            var bytes = try host.archive.read()
            bytes[100] ^= 1
            try host.archive.write(bytes)
            let damaged = try await host.inspect("--records", host.archive.string)
            try #require(damaged.status == .exited(1), "\(damaged)")
            func right(_ result: ProgramResult) -> Int {
                result.output.split(separator: "\n").count { $0.contains("  right  ") }
            }
            try #require(right(whole) > 10 && right(damaged) == right(whole) - 1, "\(damaged)")
        }
    }

    @Test func `an archive without a complete pass is reported as unusable`() async throws {
        try await withSaved { host in
            let archive = ArchiveBytes(try host.archive.read())
            let directory = host.directory.appending("quarantine")
            try directory.createDirectory()
            let file = directory.appending("cut")
            try file.write(archive.bytes.prefix(archive.records[0].upperBound + 10))
            let result = try await host.inspect(file.string)
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors.hasSuffix("No part of it can be used: choose another file.\n"),
                "\(result)")
        }
    }

    @Test func `a torn archive is reported as torn`() async throws {
        try await Host.with { host in
            try await host.run(endingBy: .kill) { _ in
                try await host.mustControl("type", Paths.child1, "typed")
                try await host.mustControl("type", Paths.child1, "typed again")
            }
            let bytes = try host.archive.read()
            try host.archive.write(bytes.dropLast(5))
            let result = try await host.inspect(host.archive.string)
            try #require(result.status == .exited(1), "\(result)")
            try #require(result.output.contains("    text: typed\n"), "\(result)")
            try #require(result.output.contains("\ntorn: "), "\(result)")
            try #require(result.errors.contains("is torn at byte "), "\(result)")
        }
    }

    @Test func `a file that is missing or not an archive is reported in one sentence`() async throws
    {
        try await Host.with { host in
            let text = host.configuration.string
            let foreign = try await host.inspect(text)
            try #require(foreign.status == .exited(1), "\(foreign)")
            try #require(
                foreign.errors == """
                    reprisectl: '\(text)' is damaged at byte 0: it does not begin like an archive. \
                    No part of it can be used: choose another file.

                    """, "\(foreign)")
            let missing = try await host.inspect("nothing.archive")
            try #require(missing.status == .exited(1), "\(missing)")
            try #require(
                missing.errors
                    == "reprisectl: There is no file 'nothing.archive': specify an archive, such as a "
                    + "data.archive.\n", "\(missing)")
            let directory = try await host.inspect("/")
            try #require(directory.status == .exited(1), "\(directory)")
            let sentence = "'/' is a directory: specify an archive in it, such as a data.archive."
            try #require(directory.errors == "reprisectl: \(sentence)\n", "\(directory)")
            let help = try await host.mustControl("help", "inspect")
            try #require(help.contains("--json") && !help.contains("--socket"), "\(help)")
            let usage = try await host.inspect("--app", "x", "file")
            try #require(usage.status == .exited(2), "\(usage)")
        }
    }
}
