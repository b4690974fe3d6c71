import Testing

@testable import PositionedYAML
@testable import Reprise

/// Limits on every kind of name in a configuration.
@Suite struct ScalarFormatNamesTests {
    private func text(_ count: Int, _ prefix: String = "", _ suffix: String = "") -> String {
        prefix + String(repeating: "x", count: count - prefix.utf8.count - suffix.utf8.count)
            + suffix
    }

    private func check(
        _ format: ScalarFormat<String>, accepts accepted: [String],
        refuses refused: [(String, String)], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func read(_ text: String) -> Result<String, ScalarRefusal> {
            Result { () throws(ScalarRefusal) in
                try format.read(PositionedScalar(text: text, isQuoted: true))
            }
        }
        for name in accepted {
            #expect(read(name) == .success(name), sourceLocation: sourceLocation)
        }
        for (name, phrase) in refused {
            #expect(
                read(name) == .failure(ScalarRefusal(phrase)), "\(name)",
                sourceLocation: sourceLocation)
        }
    }

    private func all(_ names: [String], _ phrase: String) -> [(String, String)] {
        names.map { ($0, phrase) }
    }

    @Test func `a bundle identifier is a reverse domain name of limited length`() {
        let longest = ConfiguredApplication.maximumBundleIdentifierBytes
        check(
            .bundleIdentifier,
            accepts: ["a.b", "org.example.Panel-2", "A.Z", "0.9", text(longest, "a.")],
            refuses: all(
                [
                    "", "a", ".a", "a.", "a..b", "a.b_c", "a.ä", "a b.c", "a.b/c", "a.b@", "a.b[",
                    "a.b`", "a.b{",
                ],
                "write a reverse domain name of letters, digits, \"-\" and \".\", such as "
                    + "org.example.Panel") + [
                    (text(longest + 1, "a."), "write at most \(longest) bytes")
                ])
    }

    @Test func `I5: a scene name is an identifier`() {
        check(
            .sceneName,
            accepts: ["a", text(255), "a~", "~a", "a~1b", "a@", "12", "a12", "ä", "é~x"],
            refuses: all(["", text(256)], "write 1 to 255 bytes")
                + all(["/", "a/b"], "write a name without \"/\"")
                + all(["a\u{7}", "\u{85}", "\n"], "write a name without control characters")
                + all(["@", "@a"], "write a name that does not begin with \"@\"")
                + all(
                    ["~1", "a~12", "a~~0"], "write a name that does not end in \"~\" and digits"))
    }

    @Test func `a storyboard is the name of a YAML file in the storyboards directory`() {
        check(
            .storyboardFile, accepts: ["Panel.yaml", "a b.yaml", text(255, "", ".yaml")],
            refuses: all(
                [
                    "", ".yaml", ".a.yaml", "a.yml", "a/b.yaml", "a\0.yaml",
                    text(256, "", ".yaml"),
                ], "write the name of a file in storyboards/, such as Panel.yaml"))
    }

    @Test func `cluster and host names are short and use a limited set of characters`() {
        check(
            .clusterName, accepts: ["a", "A-z_0.9", "-", "_", text(63)],
            refuses: all(
                ["", ".a", text(64), "a b", "a/b", "ä", "a@", "a\0"],
                "write 1 to 63 letters, digits, \"-\", \"_\" and \".\""))
    }

    @Test func `files and sockets must have absolute paths`() {
        check(
            .certificateFile, accepts: ["/a", "/"],
            refuses: all(
                ["", "a", "./a", "/a\0b"], "write the absolute path of a file in PEM, or null"))
        check(
            .metricsFile, accepts: ["/a.prom", "/b/a.prom"],
            refuses: all(
                ["", "a.prom", "/a.txt", "/.prom", "/a/.prom", "/a\0.prom"],
                "write the absolute path of a file that ends in .prom, or null"))
        let longest = DaemonLocations.maximumSocketPathBytes
        check(
            .socketPath, accepts: ["/a", text(longest, "/")],
            refuses: all(
                ["", "a", "/a/", "/"], "write the absolute path of a socket, or null")
                + [
                    ("/a\0b", "write a path without a zero byte"),
                    (text(longest + 1, "/"), "write at most \(longest) bytes"),
                ])
    }

    @Test func `an observers group must be a valid name of a Unix group`() {
        check(
            .groupName, accepts: ["a", "_a", ".a", "A-z_0.9", text(32)],
            refuses: all(
                ["", "0a", "9", "-a", text(33), "a b", "ä", "a/b"],
                "write the name of a Unix group, or null"))
    }
}
