import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// `reprisectl history` and `diff`, on a daemon.
struct HistoryTests {
    private static let list = "navController/tableViewController"
    private static let table = "navController/tableViewController/tableView"
    private static let notesView = "navController/viewController/TextView"

    /// Adds the saved state to the history by quitting the application, and launches it again.
    private func saveGeneration(_ application: ControlledApplication) async throws {
        try await application("preserve")
        try await application("quit")
        try await application("launch")
    }

    @Test func `diff of two generations shows only the changed selection, edit mode and caret`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            try await host.run { _ in
                try await application("tap", Self.table, "--row", "1")
                try await application("type", Self.notesView, "Milk and bread")
                try await application("select", Self.table, "0")
                let first = try await application(
                    "get", Self.table, "selectedModelIdentifiers")
                try await saveGeneration(application)
                try await application("select", Self.table, "0", "2")
                try await application("edit", Self.table, "on")
                try await application("type", Self.notesView, "--select", "3..5")
                let both = try await application("get", Self.table, "selectedModelIdentifiers")
                try await saveGeneration(application)
                let differences = """
                    scene main
                      \(Self.list)
                    +   isEditing: true
                      \(Self.table)
                    -   isEditing: false
                    +   isEditing: true
                    -   selectedModelIdentifiers: \(first)
                    +   selectedModelIdentifiers: \(both)
                      \(Self.notesView)
                    -   selectedRange: 14..<14
                    +   selectedRange: 3..<5
                    """
                let output = try await application("diff", "1", "000002")
                try #require(output == differences, "\(output)")
                // The restored state equals the saved state.
                let now = try await application("diff", "1")
                try #require(now == differences, "\(now)")
                let equal = try await application("diff", "2")
                try #require(equal == "000002 and the saved state are equal", "\(equal)")
            }
        }
    }

    @Test
    func `history lists time, contents and reason of each generation of a stopped application`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try #require(
                    try await host.mustControl("history") == "the history is empty\n")
                try await host.mustControl("type", Paths.child1, "one")
                try await host.mustControl("quit")
                try await host.mustControl("launch")
                try await host.mustControl("type", Paths.child1, "two")
                try await host.mustControl("quit", "--force")
                let output = try await host.mustControl("history")
                let lines = output.split(separator: "\n")
                try #require(lines.count == 6, "\(output)")
                try #require(lines[0].hasPrefix("000001  20"), "\(output)")
                try #require(lines[0].hasSuffix(" bytes, saved by version 1"), "\(output)")
                try #require(lines[0].contains("Z, 7 objects, "), "\(output)")
                try #require(lines[1] == "  because the application was stopped", "\(output)")
                try #require(lines[2] == "  \(host.history)/000001.archive", "\(output)")
                try #require(lines[4] == "  because it was removed by a forced quit", "\(output)")
                let inspected = try await host.inspect(host.history.string + "/000002.archive")
                try #require(inspected.status.isSuccess && inspected.errors == "", "\(inspected)")
                try #require(inspected.output.contains("text: two"), "\(inspected)")
            }
        }
    }

    @Test func `history lists the newest thousand generations, and older generations on request`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("ChildViews")
            try await host.run { _ in
                try await application("type", Paths.child1, "one")
                try await saveGeneration(application)
                let bytes = try host.history.appending("000001.archive").read()
                for number in 2...1002 {
                    let name = String(repeating: "0", count: 6 - "\(number)".count) + "\(number)"
                    try host.history.appending("\(name).archive").write(bytes)
                }
                let newest = try await application("history").split(separator: "\n")
                try #require(
                    newest.first
                        == "2 older generations not listed: reprisectl history --before 000003 lists more",
                    "\(newest.prefix(3))")
                try #require(newest[1].hasPrefix("000003  20"), "\(newest.prefix(3))")
                let older = try await application("history", "--before", "3")
                try #require(older.hasPrefix("000001  20") && older.contains("\n000002  20"))
                let none = try await application("history", "--before", "1")
                try #require(none == "the history has no generation older than 1", "\(none)")
                let unknown = try await application.refusal("history", "--before", "x")
                try #require(unknown.contains("has no generation \"x\""), "\(unknown)")
            }
        }
    }

    @Test func `a generation that cannot be compared is refused with the reason`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("ChildViews")
            try await host.run { _ in
                try await application("type", Paths.child1, "one")
                let none = try await application.refusal("diff", "1")
                try #require(
                    none
                        == "reprisectl: org.reprise.ChildViews has no generation \"1\": its history "
                        + "is empty.\n")
                try await saveGeneration(application)
                let unknown = try await application.refusal("diff", "1", "a\u{1B}b")
                try #require(
                    unknown == "reprisectl: org.reprise.ChildViews has no generation "
                        + #""a\u{1B}b": its generations are 000001."# + "\n", "\(unknown)")
                try host.history.appending("000001.archive").write([1, 2, 3])
                let damaged = try await application.refusal("diff", "1")
                try #require(damaged.contains("The generation 1 of org.reprise.ChildViews"))
                try #require(damaged.contains("it is damaged"), "\(damaged)")
                let listed = try await application("history")
                try #require(listed.contains("it is damaged"), "\(listed)")
                let usage = try await host.control("--scene", "main", "history")
                try #require(usage.status == .exited(2), "\(usage)")
                let missing = try await host.control("diff")
                try #require(missing.status == .exited(2), "\(missing)")
            }
        }
    }

    /// Python script that runs a program on a new terminal.
    private static let onTerminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"

    @Test
    func
        `diff is colored on a terminal unless NO_COLOR is set, and saved text cannot change the color`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "one")
                try await saveGeneration(host.application("ChildViews"))
                try await host.mustControl("type", Paths.child1, "t\u{1B}[31mwo")
                let command =
                    [
                        "python3", "-c", Self.onTerminal, try Programs.reprisectl().string,
                        "--socket", host.socket.string, "diff", "1", "--no-pager",
                    ]
                let green = "\u{1B}[32m+   text: t\\u{1B}[31mwo\u{1B}[0m"
                let coloured = try await ProgramResult.of(
                    command, environment: ["TERM": "xterm"], in: host.directory)
                try #require(coloured.status.isSuccess, "\(coloured)")
                try #require(coloured.output.contains(green), "\(coloured)")
                try #require(coloured.output.contains("\u{1B}[31m-   text: one"), "\(coloured)")
                let refused: [[Environment.Key: String]] = [
                    ["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"],
                ]
                for environment in refused {
                    let plain = try await ProgramResult.of(
                        command, environment: environment, in: host.directory)
                    try #require(plain.output.contains("+   text: t\\u{1B}[31mwo"), "\(plain)")
                    try #require(!plain.output.contains("\u{1B}"), "\(plain)")
                }
                let piped = try await host.mustControl("diff", "1")
                try #require(!piped.contains("\u{1B}"), "\(piped)")
            }
        }
    }

    @Test
    func `L5: a damaged archive is replaced by the newest generation if that generation is newer`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "typed") }
            try host.archive.write([1, 2, 3])
            try await host.run { _ in
                try await host.require(child1: "typed", reason: "recover")
                let status = try await host.mustControl("status")
                try #require(status.contains("history/000001.archive, is used"), "\(status)")
            }
        }
    }

    @Test func `the configuration limits the number of generations`() async throws {
        try await Host.with { host in
            try host.replace("count: 16", by: "count: 2", in: host.configuration)
            try await host.run { _ in
                for text in ["one", "two", "three"] {
                    try await host.mustControl("type", Paths.child1, text)
                    try await saveGeneration(host.application("ChildViews"))
                }
            }
            try #require(
                host.history.entries == [
                    "000002.archive", "000002.archive.reason", "000003.archive",
                    "000003.archive.reason",
                ])
        }
    }
}
