import FoundationEssentials
import RepriseControl
import TestSupport
import Testing
import Varlink

/// Backups that the program receives, and backups that it restores into a state directory.
@Suite(.timeLimit(.minutes(10))) struct BackupCommandTests {
    private static func part(_ path: String, _ text: String, isLeftOut: Bool? = nil)
        -> BackupCall.Reply
    {
        .with {
            ($0.path, $0.bytes, $0.isLeftOut) = (path, text.utf8.count, isLeftOut)
            $0.data = Data(text.utf8).base64EncodedString()
        }
    }

    private static let end = BackupCall.Reply.with {
        $0.elsewhere = [
            .with { ($0.application, $0.host) = ("b", "h2") },
            .with { ($0.application, $0.host) = ("c", "h3") },
        ]
    }
    private static let parts = [
        part("Documents/org.a/text", "ab"), part("Documents/org.a/left", "", isLeftOut: true),
        part("Documents/org.a/link", "", isLeftOut: true), part("Documents/org.d/other", "c"),
    ]
    private static let whole = Answer.replies(parts + [end])

    private func backup(
        _ scratch: ScratchDirectory, _ options: String = "", to name: String = "b",
        answer: Answer = whole
    ) async throws -> ProgramRun {
        try await ProgramRun(
            "\(options) backup \(scratch.file(name))", answers: ["Backup": answer])
    }

    private func names(_ scratch: ScratchDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    }

    @Test func `a backup writes its files and lists what it leaves out`() async throws {
        let scratch = try ScratchDirectory()
        let run = try await backup(scratch, "--app x")
        #expect(run.status == 0, "\(run.errors)")
        let path = scratch.file("b")
        #expect(
            run.output == """
                not in this backup: b, which the host h2 runs
                not in this backup: c, which the host h3 runs
                not in this backup: Documents/org.a/left, which no application reads
                not in this backup: Documents/org.a/link, which no application reads
                0 applications backed up to \(path): 2 files, 3 bytes, every file is intact

                """)
        #expect(run.calls == [#"Backup {"application":"x"},"more":true"#])
        #expect(try names(scratch) == ["b"])
        #expect(try ProgramRun.text(scratch.file("b/Documents/org.a/text")) == "ab")
        #expect(try ProgramRun.text(scratch.file("b/Documents/org.d/other")) == "c")
        #expect(try await backup(scratch, "-q", to: "quiet").output == "")
        let json = try await backup(scratch, "--json", to: "j/")
        let members = try JSONText.read([String: StateJSON].self, from: Array(json.output.utf8))
        #expect(members["directory"] == .string(scratch.file("j")))
        #expect(members["files"] == .integer(2))
        #expect(members["bytes"] == .integer(3))
        #expect(members["problems"] == .array([]))
        #expect(
            members["leftOut"]
                == .array(["Documents/org.a/left", "Documents/org.a/link"].map(StateJSON.string)))
        #expect(members["elsewhere"] == .array([.string("b"), .string("c")]))
    }

    @Test func `a backup does not overwrite an existing directory`() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("b/file", "")
        try scratch.link("link", to: "/nonexistent/target")
        try scratch.write("c.partial/file", "")
        for (name, message) in [
            ("b", "already exists: specify a new directory."),
            ("link", "already exists: specify a new"),
            ("c", ".partial' exists, perhaps from an interrupted backup"),
        ] {
            let run = try await backup(scratch, to: name)
            #expect(run.status == 2)
            #expect(run.errors.contains(message), "\(run.errors)")
        }
        #expect(try names(scratch) == ["b", "c.partial", "link"])
        let inFile = try await backup(scratch, to: "b/file/x")
        #expect(inFile.status == 1)
        let unnamed = try await ProgramRun(["backup", ""])
        #expect(unnamed.status == 2)
        #expect(try await backup(scratch, "--scene s", to: "d").status == 2)
    }

    @Test func `a backup starts over after a daemon restart, and leaves no files if it fails`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let cut = Answer.replies(Array(Self.parts.prefix(2)), then: .daemonEnding)
        let run = try await backup(scratch, answer: .sequence([cut, Self.whole]))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.calls.count == 2)
        #expect(run.output.split(separator: "\n").count { $0.contains("/left") } == 1)
        #expect(try ProgramRun.text(scratch.file("b/Documents/org.a/text")) == "ab")
        for (answer, status, message) in [
            (Answer.replies(Self.parts), 3, "the daemon ended the backup early: try again."),
            (
                .replies([Self.parts[0], Self.part("Documents/../x", "a"), Self.end]), 3,
                "unexpected part of the file 'Documents/../x'"
            ),
            (
                .replies([Self.parts[0], Self.parts[0], Self.end]), 3,
                "unexpected part of the file 'Documents/org.a/text'"
            ),
            (
                .replies([Self.parts[0]], then: .notBackedUp(application: "a", reason: "full")), 1,
                "full"
            ),
            (.error(.noSuchApplication(application: "a")), 1, "has no application a"),
        ] as [(Answer, Int32, String)] {
            let failed = try await backup(scratch, to: "c", answer: answer)
            #expect(failed.status == status)
            #expect(failed.errors.contains(message), "\(failed.errors)")
            #expect(try names(scratch) == ["b"])
        }
    }

    /// Returns a file that is encrypted with an unknown key.
    private static func encrypted(_ path: String) -> BackupCall.Reply {
        // The magic number of an encrypted file.
        let magicNumber: [UInt8] = [0x8A, 0x53, 0x45, 0x41, 0x4C, 0x0D, 0x0A, 0x1A]
        let bytes = magicNumber + [UInt8](repeating: 0, count: 40)
        return .with {
            ($0.path, $0.bytes) = (path, bytes.count)
            $0.data = Data(bytes).base64EncodedString()
        }
    }

    @Test func `encrypted files that cannot be verified are reported`() async throws {
        let scratch = try ScratchDirectory()
        let files = ["one", "two"].map { Self.encrypted("Documents/org.a/\($0)") }
        let run = try await backup(scratch, answer: .replies(files + [Self.end]))
        #expect(run.status == 0, "\(run.errors)")
        let first = "'\(scratch.file("b"))/Documents/org.a/one'"
        #expect(
            run.output.hasSuffix(
                """
                0 applications backed up to \(scratch.file("b")): 2 files, 96 bytes
                2 encrypted files not verified: \(first) cannot be verified without a key: pass --key.

                """), "\(run.output)")
        let json = try await backup(
            scratch, "--json", to: "j", answer: .replies(files + [Self.end]))
        let members = try JSONText.read([String: StateJSON].self, from: Array(json.output.utf8))
        guard case .array(let sentences)? = members["undecryptable"] else {
            Issue.record("\(json.output)")
            return
        }
        #expect(sentences.count == 2)
        // Damaged files are reported instead.
        let damaged = try await backup(
            scratch, to: "d", answer: .replies(files + [Self.archive("org.a"), Self.end]))
        #expect(damaged.status == 1)
        #expect(damaged.output.hasSuffix(": 3 files, 106 bytes\n"), "\(damaged.output)")
    }

    @Test func `a directory in which nothing can be created is reported`() async throws {
        let run = try await ProgramRun("backup /proc/x", answers: ["Backup": Self.whole])
        #expect(run.status == 1)
        #expect(run.errors.contains("/proc/x"))
    }

    private static func archive(_ application: String) -> BackupCall.Reply {
        part("Saved Application State/\(application).savedState/data.archive", "no archive")
    }

    @Test func `every damaged file is reported, and a damaged backup is not restored`() async throws
    {
        let scratch = try ScratchDirectory()
        let answer = Answer.replies([Self.archive("org.a"), Self.archive("org.b"), Self.end])
        let run = try await backup(scratch, answer: answer)
        #expect(run.status == 1)
        #expect(
            run.output.hasSuffix(
                "2 applications backed up to \(scratch.file("b")): 2 files, 20 bytes\n"))
        #expect(run.errors.split(separator: "\n").count == 3)
        #expect(run.errors.contains("check the disk."))
        let json = try await backup(scratch, "--json", to: "j", answer: answer)
        #expect(json.status == 1)
        #expect(!json.output.contains(#""error""#))
        #expect(json.output.split(separator: "is damaged at byte 0").count == 3)
        let restore = try await ProgramRun(
            "restore \(scratch.file("b")) --state-directory \(scratch.file("state"))")
        #expect(restore.status == 1)
        #expect(restore.errors.split(separator: "\n").count == 3)
        #expect(restore.errors.contains("Nothing was restored: use another backup"))
        #expect(try names(scratch) == ["b", "j"])
    }

    @Test
    func `restore copies a backup into a state directory and shows where replaced documents are`()
        async throws
    {
        let scratch = try ScratchDirectory()
        #expect(try await backup(scratch).status == 0)
        let state = scratch.file("state")
        let first = try await ProgramRun("restore \(scratch.file("b")) --state-directory \(state)")
        #expect(
            first.output == """
                org.a: documents restored; the backup contains no saved state of the application
                org.d: documents restored; the backup contains no saved state of the application
                now start the daemon with the state directory \(state)

                """, "\(first.errors)")
        try scratch.write("state/Documents/org.a/text", "changed")
        let second = try await ProgramRun("restore \(scratch.file("b")) --state-directory \(state)")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("  the previous documents are in "))
        #expect(try ProgramRun.text(scratch.file("state/Documents/org.a/text")) == "ab")
        let json = try await ProgramRun(
            ["--json", "restore", scratch.file("b")], environment: ["STATE_DIRECTORY": state])
        #expect(json.status == 0, "\(json.errors)")
        #expect(json.output.hasPrefix(#"{"applications":[{"application":"org.a""#))
        #expect(json.output.contains(#"{"application":"org.d""#))
        let none = try await ProgramRun(
            ["restore", scratch.file("b")],
            environment: ["STATE_DIRECTORY": "/nonexistent/state"])
        #expect(none.status == 2)
        #expect(none.errors.contains("The state directory '/nonexistent/state' does not exist"))
        let missing = try await ProgramRun(
            "restore \(scratch.file("none")) --state-directory \(state)")
        #expect(missing.status == 2)
        let inside = try await ProgramRun(
            "restore \(scratch.file("b")) --state-directory \(scratch.file("b/state"))")
        #expect(inside.status == 2)
    }
}
