import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Batches with one command per line, over one connection.
struct BatchTests {
    /// Writes the lines to a file and runs them as a batch.
    private func batch(
        _ lines: String, _ options: String..., on host: Host
    ) async throws -> ProgramResult {
        try host.directory.appending("lines").write(lines.utf8)
        return try await host.control(options + ["batch", "--keep-going", "lines"])
    }

    @Test func `each line runs and prints as a separate command would`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let lines = """
                    # A comment, and an empty line.

                    type \(Paths.child1) "one two"  # behind a command
                    get \(Paths.child1) text
                    --app org.reprise.StateRestore get navController/tableViewController title
                    get --raw \(Paths.child1) text
                    """
                for source in ["batch lines", "batch <lines", "batch - <lines"] {
                    try host.directory.appending("lines").write(lines.utf8)
                    let result = try await host.shell("$CTL \(source)")
                    try #require(result.status.isSuccess && result.errors == "", "\(result)")
                    try #require(
                        result.output.hasPrefix("saved: ")
                            && result.output.hasSuffix("\none two\nItems\none two"), "\(result)")
                }
                let json = try await batch("list\nget \(Paths.child1) text", "--json", on: host)
                let objects = json.output.split(separator: "\n")
                try #require(objects.count == 2 && objects.allSatisfy { $0.hasPrefix("{") })
                try #require(objects.last == #"{"value":"one two"}"#)
            }
        }
    }

    @Test(arguments: [
        (#"'a "b" \\'"#, #"a "b" \\"#),
        (#""a 'b' \"c\" \\ \$d \e""#, #"a 'b' "c" \ $d \e"#),
        (##"a\ b\'\#c"##, "a b'#c"), (#"a#b'c'"d""#, "a#bcd"), ("''", ""), ("\tx\t ", "x"),
        ("x\r", "x"), ("'👩‍🚀e\u{301}'", "👩‍🚀e\u{301}"),
    ])
    func `words are quoted as in a shell`(written: String, text: String) async throws {
        try await Host.with { host in
            try await host.run { _ in
                let result = try await batch(
                    "type \(Paths.child1) \(written)\nget --raw \(Paths.child1) text", "-q",
                    on: host)
                try #require(result.status.isSuccess && result.output == text, "\(result)")
            }
        }
    }

    @Test func `an error names its line and stops the batch unless --keep-going is given`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let lines = """
                    get nav/parnt
                    type \(Paths.child1) 'x
                    type \(Paths.child1) "x
                    type \(Paths.child1) x\\
                    help
                    inspect x
                    batch
                    lsit
                    list --timeout 1s
                    status --check
                    get \(Paths.child1) text
                    """
                let result = try await batch(lines, on: host)
                try #require(result.status == .exited(1), "\(result)")
                let errorLines = result.errors.split(separator: "\n").map(String.init)
                let sentences = [
                    "There is no object at nav/parnt:", "a single quote is not closed:",
                    "a double quote is not closed:", "the line ends with a backslash:",
                    "help cannot be used in a batch", "inspect cannot be used in a batch",
                    "batch cannot be used in a batch", "There is no command lsit:",
                    "a line cannot contain --socket, --host or --timeout:",
                ]
                try #require(errorLines.count == sentences.count, "\(result)")
                for (index, sentence) in sentences.enumerated() {
                    try #require(
                        errorLines[index].hasPrefix("reprisectl: line \(index + 1): \(sentence)"),
                        "\(errorLines[index])")
                }
                try #require(result.output.hasPrefix("OK: "), "\(result)")

                let stopped = try await host.shell("$CTL --json batch lines")
                try #require(stopped.status == .exited(1), "\(stopped)")
                try #require(stopped.output.contains(#","line":1,"message":"There is no object"#))
                try #require(stopped.output.filter { $0 == "\n" }.count == 1, "\(stopped)")

                let bytes = try await host.shell("printf 'list\\n\\377\\n' | $CTL -q batch")
                try #require(bytes.status == .exited(2), "\(bytes)")
                try #require(
                    bytes.errors
                        == "reprisectl: line 2: the line is not UTF-8: encode it as UTF-8.\n")
            }
        }
    }

    @Test func `--app and --scene apply to lines that do not specify their own`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let second = ["--app", "org.reprise.ChildViews", "--scene", "second"]
                try await host.mustControl("open", "second")
                try host.directory.appending("lines").write(
                    """
                    type \(Paths.child1) second
                    --scene main type \(Paths.child1) main
                    --app org.reprise.StateRestore get navController/tableViewController title
                    list
                    """.utf8)
                let result = try await host.control(second + ["-q", "batch", "lines"])
                try #require(result.status.isSuccess, "\(result)")
                try #require(result.output.hasPrefix("Items\norg.reprise"), "\(result)")
                try await host.require(child1: "main", reason: nil)
                let other = try await host.control(second + ["get", Paths.child1, "text"])
                try #require(other.output == "second\n")
            }
        }
    }

    @Test func `all lines share one connection`() async throws {
        try await Host.with { host in
            try host.replace(
                "connectionsPerUser: 128", by: "connectionsPerUser: 1", in: host.configuration)
            try await host.run { _ in
                let result = try await batch("list\nget nav/parnt\nlist\n", "--json", on: host)
                try #require(result.status == .exited(1), "\(result)")
                let lines = result.output.split(separator: "\n")
                try #require(lines.count == 3 && lines[2].hasPrefix(#"{"applications":"#))
                try #require(lines[1].contains(#""suggestion":"nav/parent""#), "\(result)")
            }
        }
    }

    @Test func `a batch continues after the daemon has restarted`() async throws {
        try await Host.with { host in
            try #require(mkfifo(host.directory.appending("lines").string, 0o600) == 0)
            let control = try await Subprocess.run(
                .path(try Programs.reprisectl()),
                arguments: ["--socket", host.socket.string, "batch", "lines"],
                environment: .custom(ProgramResult.environment), workingDirectory: host.directory,
                input: .none, output: .sequence, error: .string(limit: ProgramResult.outputLimit)
            ) { batch in
                let lines = try FileDescriptor.open(host.directory.appending("lines"), .writeOnly)
                var answers = batch.standardOutput.strings().makeAsyncIterator()
                for text in ["one", "two"] {
                    try await host.run { _ in
                        try lines.writeAll("type \(Paths.child1) \(text)\n".utf8)
                        try #require(try await answers.next()?.hasPrefix("saved: ") == true)
                        try await host.require(child1: text, reason: nil)
                    }
                }
                try lines.close()
            }
            try #require(control.terminationStatus == .exited(0), "\(control)")
        }
    }

    @Test func `a batch stops if no daemon is running, and input that cannot be read is reported`()
        async throws
    {
        try await Host.with { host in
            let absent = try await batch("list\nlist\n", "--timeout", "1ms", on: host)
            try #require(absent.status == .exited(3), "\(absent)")
            try #require(!absent.errors.contains("line 2"), "\(absent)")
            let missing = try await host.control("batch", "missing")
            try #require(missing.status == .exited(2))
            try #require(
                missing.errors
                    == "reprisectl: 'missing' cannot be opened: No such file or directory.\n")
            let long = try await host.shell(
                "{ echo; head -c 16777217 /dev/zero; } >long; $CTL batch long")
            try #require(
                long.errors.hasPrefix("reprisectl: line 2 of 'long' has more than"), "\(long)")
            let taken = try await host.shell("echo 'type nav -' | $CTL batch")
            try #require(taken.status == .exited(2), "\(taken)")
            try #require(taken.errors.hasPrefix("reprisectl: line 1: the batch is read from"))
        }
    }

    @Test func `a line that contains a NUL is refused as a usage error, and the other lines run`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let result = try await host.shell(
                    "printf 'type \(Paths.child1) a\\0b\\ntype \(Paths.child1) second\\n' "
                        + "| $CTL batch --keep-going")
                try #require(result.status == .exited(2), "\(result)")
                try #require(
                    result.errors
                        == "reprisectl: line 1: the line contains a NUL (U+0000), which is "
                        + "not allowed: remove it.\n", "\(result)")
                try await host.require(child1: "second", reason: "pristine")
            }
        }
    }
}
