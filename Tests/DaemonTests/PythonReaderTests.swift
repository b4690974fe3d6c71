import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// `docs/read-archive.py`, which shares no code with the daemon.
///
/// The tests prove that `docs/Archive.md` and `docs/Values.md` suffice to write a program that reads an archive.
struct PythonReaderTests {
    private static let reader = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().appending("docs/read-archive.py")

    /// Script that compares the outputs of both programs, except values that the reader omits, and prints the types of
    /// records.
    private static let comparison = """
        import json, sys
        inspected, read, records = (json.load(open(path)) for path in sys.argv[1:])
        assert read["scenes"], "no scenes"
        for key in read:
            assert inspected[key] == read[key], f"{key}: {inspected[key]} and {read[key]}"
        print(*sorted({record["type"] for record in records["records"]}))
        """

    /// Requires that both programs print the same values for an application's archive.
    ///
    /// - Returns: The types of the archive's records.
    private func compare(_ application: String, of host: Host) async throws -> [Substring] {
        let archive = host.archive(of: application).string
        for (name, result) in [
            ("inspected", try await host.inspect("--json", archive)),
            (
                "read",
                try await ProgramResult.of(["python3", Self.reader.string, archive], in: "/")
            ),
            ("records", try await host.inspect("--json", "--records", archive)),
        ] {
            try #require(result.status.isSuccess && result.errors == "", "\(name): \(result)")
            try host.directory.appending(name).write(result.output.utf8)
        }
        let compared = try await ProgramResult.of(
            ["python3", "-c", Self.comparison, "inspected", "read", "records"], in: host.directory)
        try #require(compared.status.isSuccess, "\(compared)")
        return compared.output.dropLast().split(separator: " ")
    }

    @Test func `L5: the Python reader and inspect read the same values from appended records`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            let detail = "navController/viewController"
            try await host.run(endingBy: .kill) { _ in
                try await host.mustControl("type", Paths.child1, "wörld 🌍 \u{1B}[31m")
                try await host.mustControl("open", "second")
                try await host.mustControl("--scene", "second", "select", Paths.control, "1")
                try await host.mustControl("--scene", "second", "type", Paths.child2, "typed")
                try await host.mustControl("type", Paths.child1, "wörld 🌏")
                try await application(
                    "tap", "navController/tableViewController/tableView", "--row", "1")
                try await application("type", "\(detail)/TextView", "--select", "1..3")
                try await application("dismiss")
                try await application(
                    "select", "navController/tableViewController/tableView", "0", "2")
            }
            let types = try await compare("ChildViews", of: host)
            try #require(types.contains("patch") && types.contains("name"), "\(types)")
            let others = try await compare("StateRestore", of: host)
            try #require(others.contains("removal") && others.contains("object"), "\(others)")
        }
    }

    @Test
    func `the Python reader and inspect read the same values from a closed and compacted archive`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("open", "second")
                try await host.mustControl("--scene", "second", "type", Paths.child1, "small")
                // A file of more than 1 MiB is compacted as soon as half of it is obsolete.
                var length = 0
                for number in 1...100 {
                    let text = String(repeating: "\(number) ", count: 30_000)
                    try await host.mustControl("type", Paths.child1, text)
                    let before = length
                    length = try host.archive.read().count
                    if length < before { break }
                }
                try #require(length < 1 << 20)
                try await host.mustControl("type", Paths.child2, "after it")
            }
            let types = try await compare("ChildViews", of: host)
            try #require(types.contains("closed") && types.contains("value"), "\(types)")
        }
    }

    @Test func `the Python reader rejects a damaged archive with an error`() async throws {
        try await Host.with { host in
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "typed") }
            var bytes = try host.archive.read()
            bytes[bytes.count / 2] ^= 1
            try host.archive.write(bytes)
            let result = try await ProgramResult.of(
                ["python3", Self.reader.string, host.archive.string], in: "/")
            try #require(result.status == .exited(1), "\(result)")
            try #require(result.errors.contains("the checksum at byte"), "\(result)")
        }
    }

    @Test(arguments: [
        ("", "something is cut off at byte 0"), ("\u{8A}RPRS", "something is cut off"),
        (String(repeating: "no archive ", count: 9), "it is no archive of format version 1"),
        (nil, "No such file or directory"),
    ])
    func `the Python reader rejects a file that is missing or not an archive with an error`(
        text: String?, sentence: String
    )
        async throws
    {
        try await Host.with { host in
            let file = host.directory.appending("file")
            if let text { try file.write(text.utf8) }
            for path in text == nil ? [file] : [file, host.directory] {
                let result = try await ProgramResult.of(
                    ["python3", Self.reader.string, path.string], in: "/")
                try #require(result.status == .exited(1), "\(result)")
                try #require(result.errors.hasPrefix("\(path): "), "\(result)")
                try #require(
                    result.errors.contains(path == file ? sentence : "Is a directory"), "\(result)")
            }
        }
    }
}
