import FoundationEssentials
import Glibc
import LinuxIO
import RepriseControl
import SavedState
import StateRecords
import TestSupport
import Testing
import Varlink

@testable import reprisectl

/// Output of `inspect` for intact, torn and damaged archives.
@Suite(.timeLimit(.minutes(10))) struct InspectCommandTests {
    private static let names = [
        (1, "PageController"), (2, "row"), (3, "title"), (4, "peer"), (5, "Storyboard"),
        (6, "page"),
    ]

    private static func header(_ number: UInt32, _ parent: UInt32, _ name: String) -> ObjectHeader {
        var header = ObjectHeader(number: number, parent: parent, kind: 1, identifier: name)
        header.classToken = parent == 0 ? 0 : 1
        return header
    }

    /// Returns an archive with two scenes. The first scene has four objects.
    private func archive(
        closed: Bool = true, long: Int = 4, _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> ScratchDirectory {
        let scratch = try ScratchDirectory()
        let archive = try StateDirectory.open(scratch.file("state")).archive(of: "org.a")
        _ = try archive.load()
        var turn = TurnRecords()
        for (number, name) in Self.names { turn.addName(name, number: UInt32(number)) }
        turn.addObject(Self.header(1, 0, "main"), values: [2, 2, 6])
        // If a key occurs twice, the first value is used.
        turn.addObject(
            Self.header(2, 1, "nav"), values: [3, 4, 2, 0x68, 0x69, 2, 2, 8, 2, 2, 10, 4, 11, 3])
        var restored = Self.header(3, 2, "zoo")
        (restored.restorationClassToken, restored.storyboard) = (1, 5)
        restored.storyboardIdentifier = 6
        turn.addObject(restored, values: [9, 1])
        turn.addObject(Self.header(4, 2, "ant"), values: [2, 99])
        let large = OutOfLineValue(key: 3, bytes: [3, 4, 2, 0x68, 0x69])
        turn.addObject(
            ObjectRecord(
                header: Self.header(5, 1, String(repeating: "x", count: long)), values: [],
                outOfLine: [large]))
        turn.endPass(PassEnd(scene: 1, timestamp: 1_000_000))
        turn.addObject(Self.header(6, 0, "side"), values: [])
        turn.endPass(PassEnd(scene: 6, timestamp: 2_000_000))
        try archive.append(turn)
        if closed {
            try archive.close()
        } else if let job = archive.beginSync() {
            try archive.endSync(job, job.run())
        }
        let path = archive.path
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        change(&bytes)
        try Data(bytes).write(to: URL(filePath: scratch.file("data.archive")))
        return scratch
    }

    private func inspect(_ options: String, _ scratch: ScratchDirectory) async throws -> ProgramRun
    {
        try await ProgramRun("inspect \(options) \(scratch.file("data.archive"))")
    }

    @Test func `scenes are printed with their objects and values, sorted by path`()
        async throws
    {
        let run = try await inspect("", try archive())
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("an archive of org.a, format version ") == true)
        #expect(lines.first?.contains(", durable up to sequence ") == true)
        #expect(
            lines.dropFirst().dropLast().joined(separator: "\n") == """
                scene main, saved 1970-01-01T00:00:01Z
                  row: 3
                  nav  PageController
                    peer: → nav/zoo
                    row: 4
                    title: hi
                  nav/ant  PageController
                    (more of its values cannot be read: \(problem(in: run.output)))
                  nav/zoo  PageController, restored by PageController, of the storyboard Storyboard \
                as page
                    #9: true
                  xxxx  PageController
                    title: hi
                scene side, saved 1970-01-01T00:00:02Z
                """)
        #expect(lines.last?.hasPrefix("whole: ") == true)
        #expect(lines.last?.hasSuffix("; closed") == true)
        #expect(lines.last?.contains("fault") == false)
        #expect(lines.last?.contains(" 2 passes up to sequence ") == true)
    }

    private func problem(in output: String) -> String {
        output.split(separator: "cannot be read: ").last.map { String($0.prefix { $0 != ")" }) }
            ?? ""
    }

    @Test func `--json prints the same contents as the text output`() async throws {
        let run = try await inspect("--json", try archive())
        let members = try JSONText.read([String: StateJSON].self, from: Array(run.output.utf8))
        #expect(members["condition"] == .string("whole"))
        #expect(members["closed"] == .bool(true))
        #expect(members["bundleIdentifier"] == .string("org.a"))
        #expect(members["passCount"] == .integer(2))
        #expect(members["problem"] == nil)
        guard case .array(let scenes)? = members["scenes"], case .object(let scene)? = scenes.first,
            case .array(let objects)? = scene["objects"], case .object(let object)? = objects.first
        else {
            Issue.record("\(run.output)")
            return
        }
        #expect(scenes.count == 2)
        #expect(scene["name"] == .string("main"))
        #expect(
            objects.compactMap { if case .object(let object) = $0 { object["path"] } else { nil } }
                == ["nav", "nav/ant", "nav/zoo", "xxxx"].map(StateJSON.string))
        #expect(
            object["values"]
                == .object([
                    "title": .string("hi"), "row": .integer(4),
                    "peer": .object(["reference": .string("nav/zoo")]),
                ]))
        #expect(object["class"] == .string("PageController"))
    }

    @Test func `every record is printed with its checksum result`() async throws {
        let scratch = try archive()
        let run = try await inspect("--records", scratch)
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.dropFirst().first == "    offset     length    sequence  checksum  record")
        let records = lines.dropFirst(2).dropLast()
        #expect(records.allSatisfy { $0.contains("  right     ") && $0.first == " " })
        for text in [
            "name 1 is 'PageController'", "object 1 'main', a scene, 3 bytes of values",
            "object 3 'zoo' below 2, 2 bytes of values; ends", "closed",
        ] {
            #expect(
                records.count { $0.contains(text.split(separator: ";").first ?? "") } == 1,
                "\(text) in \(run.output)")
        }
        #expect(records.count { $0.contains("; ends a pass of scene 1, synced up to ") } == 1)
        #expect(records.count { $0.contains("; ends a pass of scene 6, synced up to ") } == 1)
        let json = try await inspect("--records --json", scratch)
        let members = try JSONText.read([String: StateJSON].self, from: Array(json.output.utf8))
        guard case .array(let described)? = members["records"] else {
            Issue.record("\(json.output)")
            return
        }
        #expect(described.count == records.count)
        #expect(members["scenes"] == nil)
        #expect(json.output.contains(#""checksumIsRight":true"#))
        #expect(!json.output.contains(#""checksumIsRight":false"#))
        #expect(json.output.contains(#""end":{"scene":6,"synced":"#))
    }

    @Test(arguments: [("", ""), ("--records", ""), ("--json", ""), ("--records --json", "")])
    func `an archive with a damaged byte is reported as faulty`(options: String, _: String)
        async throws
    {
        let scratch = try archive { $0[$0.count - 200] ^= 1 }
        let run = try await inspect(options, scratch)
        #expect(run.status == 1)
        let file = scratch.file("data.archive")
        #expect(run.errors.hasPrefix("reprisectl: '\(file)' is "), "\(run.errors)")
        if options.contains("json") {
            #expect(run.output.contains(#""problemOffset":"#))
            // The reply contains the failure.
            #expect(!run.output.contains(#""error":"#))
        } else {
            #expect(run.output.contains(" fault"), "\(run.output)")
        }
    }

    @Test func `an archive without a final closed record is reported as not closed`()
        async throws
    {
        let open = try await inspect("", try archive(closed: false))
        #expect(open.status == 0, "\(open.errors)")
        #expect(open.output.hasSuffix("; not closed\n"))
        let torn = try archive { $0 += [1, 2, 3] }
        let run = try await inspect("", torn)
        #expect(run.status == 1)
        #expect(run.output.contains("\ntorn: "))
        #expect(run.output.contains("; complete up to byte "))
        #expect(run.errors.contains("drops the other 3 bytes"))
        let json = try await inspect("--json", torn)
        #expect(json.output.contains(#""closed":false"#))
        #expect(json.output.contains(#""condition":"torn""#))
    }

    @Test(arguments: [0, 8, 20, 40])
    func `an archive with a damaged header is described as far as possible`(offset: Int)
        async throws
    {
        let run = try await inspect("", try archive { $0[offset] ^= 0xFF })
        #expect(run.status == 1)
        #expect(
            run.output.hasPrefix("no header can be read")
                || run.output.contains("according to its damaged header")
                || run.output.hasPrefix("an archive of format version "), "\(run.output)")
    }

    @Test func `an object is identified by its path, or by its number if the path is too long`()
        async throws
    {
        for (length, isShown) in [(4096, true), (4097, false)] {
            let run = try await inspect("", try archive(long: length))
            let path = String(repeating: "x", count: length)
            #expect(run.output.contains("\n  \(path)  PageController\n") == isShown)
            #expect(run.output.contains("\n  #5  PageController\n") != isShown)
        }
    }

    @Test func `a file that is not an archive is refused`() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("text", "text")
        let daemon = try StubDaemon()
        #expect(mkfifo(scratch.file("fifo"), 0o600) == 0)
        for (path, message) in [
            (scratch.path, "is a directory: specify an archive in it"),
            (scratch.file("none"), "There is no file '"),
            (scratch.file("text/x"), "There is no file '"),
            (scratch.file("fifo"), "fifo' is not a regular file: specify an archive"),
            (daemon.path, "' is not a regular file: specify an archive"),
            (scratch.file("text"), "it does not begin like an archive. No part of it can be used"),
        ] {
            let run = try await ProgramRun("inspect \(path)")
            #expect(run.status == 1)
            #expect(run.errors.contains(message), "\(run.errors)")
        }
        for option in ["--app a", "--scene a", "--socket /x", "--host x", "--timeout 1s", "-q"] {
            let run = try await ProgramRun("inspect \(option) \(scratch.file("text"))")
            #expect(run.status == 2)
        }
    }

    @Test
    func `a key is read from a file or standard input, and a key of the wrong size is refused`()
        async throws
    {
        let scratch = try archive()
        let key = String(repeating: "0123456789abcdef", count: 4)
        try scratch.write("key", key)
        let file = scratch.file("data.archive")
        for (name, input, status) in [
            (scratch.file("key"), "", 0), ("-", key, 0), ("-", "\(key)\n", 0), ("-", "ab", 2),
            ("-", "", 2), ("-", String(repeating: "ab", count: 10_000), 2),
            (scratch.file("none"), "", 2),
        ] {
            let run = try await ProgramRun("inspect --key \(name) \(file)", input: input)
            #expect(run.status == Int32(status), "\(run.errors)")
        }
    }

    @Test(arguments: ["data.archive", "quarantine/1.archive", "1.archive"])
    func `the error states how much of a damaged archive can be used`(name: String) async throws {
        let scratch = try archive()
        let file = scratch.file(name)
        let intact = ArchiveBytes(
            Array(try Data(contentsOf: URL(filePath: scratch.file("data.archive")))))
        let nav = try #require(intact.record(containing: "nav"))
        let side = try #require(intact.record(containing: "side"))
        try scratch.write(name, "text")
        let text = try await ProgramRun(["inspect", file])
        #expect(
            text.errors.hasSuffix(
                name == "data.archive"
                    ? " uses nothing: there is no older state, and the launch is pristine.\n"
                    : " No part of it can be used: choose another file.\n"))
        for (offset, part, option) in [
            (side.lowerBound + 15, "its 1 pass up to byte \(side.lowerBound)", ""),
            (20, "the 4 intact objects", " --salvage"),
            (nav.lowerBound + 15, "the 1 intact object", " --salvage"),
        ] {
            var bytes = intact.bytes
            bytes[offset] ^= 0x40
            try Data(bytes).write(to: URL(filePath: file))
            let run = try await ProgramRun(["inspect", file])
            let remedy =
                switch name {
                case "data.archive": "A daemon puts it into quarantine and uses \(part)."
                case "1.archive": "Its usable part is \(part)."
                default: "`reprisectl quarantine put-back 1.archive\(option)` restores \(part)."
                }
            #expect(run.errors.hasSuffix(" \(remedy)\n"), "\(run.errors)")
        }
    }

    @Test func `each object that is not intact is listed`() async throws {
        let scratch = try archive { bytes in
            guard let nav = ArchiveBytes(bytes).record(containing: "nav") else { return }
            bytes[nav.lowerBound + 15] ^= 0x40
        }
        let run = try await inspect("", scratch)
        for text in [
            "nav of the scene main: its record, or the name of one of its values, is damaged",
            "nav/zoo of the scene main: the record of an object above it is damaged",
            "nav/ant of the scene main: the record of an object above it is damaged",
        ] {
            #expect(run.output.contains("\nnot intact: \(text)\n"), "\(run.output)")
        }
    }

    @Test func `a damaged sequence number of any length is printed`() async throws {
        let scratch = try archive { bytes in
            guard let side = ArchiveBytes(bytes).record(containing: "side") else { return }
            let sequence = side.lowerBound + 8..<side.lowerBound + 16
            bytes.replaceSubrange(sequence, with: repeatElement(0xFF, count: 8))
        }
        let run = try await inspect("--records", scratch)
        #expect(run.output.contains(" 18446744073709551615  WRONG     object\n"))
    }
}

extension ArchiveBytes {
    /// Returns the range of the first record that contains a text.
    fileprivate func record(containing text: String) -> Range<Int>? {
        records.first { bytes[$0].firstRange(of: Array(text.utf8)) != nil }
    }
}
