import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// User operations through the real programs.
struct InteractionCommandsTests {
    @Test func `type can append and select text, and both survive a kill`() async throws {
        try await Host.with { host in
            try await host.run(endingBy: .kill) { _ in
                try await host.mustControl("type", Paths.child1, "wörld")
                try await host.mustControl("type", Paths.child1, " 🌍!", "--append")
                let saved = try await host.mustControl(
                    "type", Paths.child1, "--select", "1..5")
                try #require(saved == "saved: written\n")
            }
            try await host.run { _ in
                try await host.require(child1: "wörld 🌍!", reason: "recover")
                let range = try await host.mustControl("get", Paths.child1, "selectedRange")
                try #require(range == "1..<5\n")
                try await host.mustControl("type", Paths.child1, "new", "--select", "3..3")
                let caret = try await host.mustControl("get", Paths.child1, "selectedRange")
                try #require(caret == "3..<3\n")
            }
        }
    }

    @Test func `a command that is impossible or not applicable is refused in one sentence`()
        async throws
    {
        func notApplicable(_ path: String, _ name: String, _ method: String) -> String {
            "\(path) is a \(name), which \(method) does not apply to: `reprisectl tree` shows the "
                + "class of each object."
        }
        let parent = ("nav/parent", "ParentViewController")
        let field = (Paths.child1, "TextField")
        let cases: [([String], String)] = [
            (["tap", "nav"], notApplicable("nav", "NavigationController", "tap")),
            (["tap", Paths.child1, "--row", "0"], notApplicable(field.0, field.1, "tap")),
            (["edit", Paths.child1, "on"], notApplicable(field.0, field.1, "edit")),
            (["move", "nav/parent", "0", "1"], notApplicable(parent.0, parent.1, "move")),
            (["delete", "nav/parent", "0"], notApplicable(parent.0, parent.1, "delete")),
            (["scroll", "nav/parent", "-1", "-2.5"], notApplicable(parent.0, parent.1, "scroll")),
            (
                ["scroll", "nav/parent", "--", "-1", "2"],
                notApplicable(parent.0, parent.1, "scroll")
            ),
            (
                ["scroll", "nav/parent", "1", "2", "--json"],
                notApplicable(parent.0, parent.1, "scroll")
            ),
            (["zoom", "nav/parent", "2"], notApplicable(parent.0, parent.1, "zoom")),
            (["load", Paths.child1, "a:b"], notApplicable(field.0, field.1, "load")),
            (["back", "nav/parent"], notApplicable(parent.0, parent.1, "back")),
            (["forward", "nav"], notApplicable("nav", "NavigationController", "forward")),
            (
                ["select", Paths.control, "--id", "a", "b"],
                notApplicable(Paths.control, "SegmentedControl", "select")
            ),
            (
                ["type", Paths.child1, "abc", "--select", "2..4"],
                "type is not possible at \(Paths.child1): the text has 3 characters."
            ),
            (
                ["back"], "back is not possible: its stack contains only the root controller."
            ),
            (
                ["back", "nav"],
                "back is not possible at nav: its stack contains only the root controller."
            ),
            (["dismiss"], "dismiss is not possible: nothing is presented."),
            (
                ["--scene", "other", "dismiss"],
                "org.reprise.ChildViews has no scene other: `reprisectl list` shows its scenes."
            ),
        ]
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, "before")
                for (arguments, sentence) in cases {
                    let result = try await host.control(arguments)
                    try #require(result.status == .exited(1), "\(arguments): \(result)")
                    try #require(result.errors == "reprisectl: \(sentence)\n", "\(arguments)")
                    try #require(result.output.isEmpty != arguments.contains("--json"))
                }
                try await host.require(child1: "before", reason: "pristine")
            }
        }
    }

    @Test(arguments: [
        ("a\nb", #"a\nb"#), ("\u{1B}[2J", #"\u{1B}[2J"#), ("\u{202E}gnp", #"\u{202E}gnp"#),
        ("\u{2028}x", #"\u{2028}x"#), (#"back\slash "quoted" 👩‍👩‍👧"#, #"back\slash "quoted" 👩‍👩‍👧"#),
    ])
    func `characters that a terminal would interpret are printed as escapes`(
        text: String, shown: String
    ) async throws {
        try await Host.with { host in
            try await host.run { _ in
                try await host.mustControl("type", Paths.child1, text)
                let value = try await host.mustControl("get", Paths.child1, "text")
                try #require(value == shown + "\n")
                let values = try await host.mustControl("get", Paths.child1)
                try #require(values.contains("\ntext: \(shown)\n"), "\(values)")
                let json = try await host.mustControl("--json", "get", Paths.child1, "text")
                try #require(!json.dropLast().contains("\n"))
            }
        }
    }
}
