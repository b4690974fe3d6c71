import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Typing of text from standard input.
struct StandardInputTests {
    @Test func `text from standard input is typed unchanged, including its last newline`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                for text in ["wörld\nzwei\n", "-", "", "\\n\r\n"] {
                    let file = host.directory.appending("text")
                    try file.write(text.utf8)
                    let typed = try await host.shell("$CTL type \(Paths.child1) - <text")
                    try #require(typed.status.isSuccess, "\(typed)")
                    try #require(
                        try await host.mustControl("get", "--raw", Paths.child1, "text") == text)
                }
                try await host.mustControl("type", Paths.child1, "a")
                let appended = try await host.shell(
                    "printf b | $CTL type --append \(Paths.child1) -")
                try #require(appended.status.isSuccess, "\(appended)")
                try await host.require(child1: "ab", reason: nil)
            }
        }
    }

    @Test func `a hyphen after -- is literal text, and standard input is not read twice`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                for command in ["type \(Paths.child1) -- -", "type -- \(Paths.child1) -"] {
                    let typed = try await host.shell("echo no | $CTL \(command)")
                    try #require(typed.status.isSuccess, "\(typed)")
                    try await host.require(child1: "-", reason: nil)
                }
                try host.directory.appending("lines").write(
                    "type \(Paths.child1) -\ntype \(Paths.child1) -\n".utf8)
                let batch = try await host.shell("printf typed | $CTL batch lines")
                try #require(batch.status == .exited(2), "\(batch)")
                try #require(
                    batch.errors.hasPrefix("reprisectl: line 2: an earlier line has read all of"),
                    "\(batch)")
                try await host.require(child1: "typed", reason: nil)
            }
        }
    }

    @Test(arguments: [
        ("printf '\\377'", "the text on standard input is not UTF-8: encode it as UTF-8."),
        (
            "printf 'a\\000b'",
            "the text on standard input contains a NUL (U+0000), which is not allowed: remove it."
        ),
        (
            "head -c 16777217 /dev/zero",
            "the text on standard input has more than 16777216 bytes, the maximum for a text: use a "
                + "shorter text."
        ),
        ("exec <&-", "standard input cannot be read: Bad file descriptor."),
    ])
    func `standard input that is not text is refused`(source: String, sentence: String) async throws
    {
        try await Host.with { host in
            let command = "$CTL type \(Paths.child1) -"
            let result = try await host.shell(
                source.hasPrefix("exec") ? "\(source); \(command)" : "\(source) | \(command)")
            try #require(result.status == .exited(2), "\(result)")
            try #require(result.errors == "reprisectl: \(sentence)\n", "\(result)")
        }
    }
}
