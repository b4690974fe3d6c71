import Glibc
import LinuxIO
import TestSupport
import Testing

/// Stamps of processes that crash in a place. Each test runs in its own process.
@Suite struct CrashStampTests {
    private typealias Line = CrashStamp.Line

    /// File to which a process appends its stamp.
    private struct StampFile {
        let folder: String

        /// Opens the file, and creates it if it does not exist.
        func open() throws -> File {
            let folder = try Directory.openOrMake(folder)
            return try folder.openForAppending("stamp") ?? folder.createFile("stamp")
        }

        func arm() throws -> CrashStamp {
            try #require(CrashStamp(try open(), owner: "owner"))
        }

        /// Runs a closure in a place of a crash stamp.
        func hold(_ body: () -> Void) throws {
            let place = try #require(try arm().place("org.example\tmain scene"))
            place.run(at: "launch-begin") {
                place.reach("launch-decoded")
                body()
            }
        }

        /// Returns the lines without their times.
        func lines() throws -> [CrashStamp.Line] {
            CrashStamp.lines(try open().readWhole(limit: 10_000)).map { line in
                var line = line
                line.time = 0
                return line
            }
        }
    }

    private func withStamp(_ body: (StampFile) async throws -> Void) async throws {
        let file = StampFile(folder: try ScratchFolder.make())
        try await body(file)
        let folder = try #require(try Directory.open(file.folder))
        for name in try folder.names() { try folder.remove(name) }
        rmdir(file.folder)
    }

    private func line(_ end: Line.End, isInPlace: Bool = true) -> Line {
        Line(
            owner: "owner", end: end, time: 0,
            place: isInPlace ? ("launch-decoded", "org.example\tmain scene") : nil)
    }

    @Test func `L2: an error of the program is stamped with the place it is in`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) { [folder = stamp.folder as String] in
                try StampFile(folder: folder).hold { fatalError("as the test wants") }
            }
            #expect(try stamp.lines() == [line(.signal(SIGILL))])
        }
    }

    @Test func `L2: so is an access to nowhere, and a call of abort`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGSEGV)) { [folder = stamp.folder as String] in
                try StampFile(folder: folder).hold {
                    UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
                }
            }
            await #expect(processExitsWith: .signal(SIGABRT)) { [folder = stamp.folder as String] in
                try StampFile(folder: folder).hold { abort() }
            }
            #expect(try stamp.lines() == [line(.signal(SIGSEGV)), line(.signal(SIGABRT))])
        }
    }

    @Test func `L2: so is a stack that overflows`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGSEGV)) { [folder = stamp.folder as String] in
                func deeper(_ depth: inout Int) {
                    depth += 1
                    var next = depth
                    if next < Int.max { deeper(&next) }
                    depth += next
                }
                try StampFile(folder: folder).hold {
                    var depth = 0
                    deeper(&depth)
                }
            }
            #expect(try stamp.lines() == [line(.signal(SIGSEGV))])
        }
    }

    @Test func `L2: so is an exit, with its status`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .exitCode(7)) { [folder = stamp.folder as String] in
                try StampFile(folder: folder).hold { exit(7) }
            }
            #expect(try stamp.lines() == [line(.exit(7))])
        }
    }

    @Test func `an exit outside of every place is stamped only where that is asked for`()
        async throws
    {
        try await withStamp { stamp async throws in
            for marked in [false, true] {
                await #expect(processExitsWith: .exitCode(7)) {
                    [folder = stamp.folder as String, marked = marked as Bool] in
                    let stamp = StampFile(folder: folder)
                    try stamp.hold {}
                    let armed = try stamp.arm()
                    armed.markExits(marked)
                    withExtendedLifetime(armed) { exit(7) }
                }
            }
            #expect(try stamp.lines() == [line(.exit(7), isInPlace: false)])
        }
    }

    @Test func `a crash outside of every place is stamped without one`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) { [folder = stamp.folder as String] in
                let stamp = StampFile(folder: folder)
                try stamp.hold {}
                let armed = try stamp.arm()
                withExtendedLifetime(armed) { fatalError("as the test wants") }
            }
            #expect(try stamp.lines() == [line(.signal(SIGILL), isInPlace: false)])
        }
    }

    @Test func `L2: a signal that another process sends is not stamped`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGSEGV)) { [folder = stamp.folder as String] in
                try StampFile(folder: folder).hold {
                    let command = "kill -SEGV \(getpid())"
                    var child = pid_t()
                    let words: [String] = ["sh", "-c", command]
                    var arguments = words.map { strdup($0) } + [nil]
                    posix_spawn(&child, "/bin/sh", nil, nil, &arguments, nil)
                    while true { pause() }
                }
            }
            #expect(try stamp.lines() == [])
        }
    }

    @Test func `a handler that was there before has its turn`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .exitCode(9)) { [folder = stamp.folder as String] in
                signal(SIGSEGV) { _ in _exit(9) }
                try StampFile(folder: folder).hold {
                    UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
                }
            }
            #expect(try stamp.lines() == [line(.signal(SIGSEGV))])
        }
    }

    @Test func `a thread that such a handler saves takes its stamp back, and may leave another`()
        async throws
    {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) { [folder = stamp.folder as String] in
                signal(SIGTRAP) { _ in }
                let stamp = StampFile(folder: folder)
                try stamp.hold { raise(SIGTRAP) }
                #expect(try stamp.lines() == [])
                try stamp.hold { raise(SIGTRAP) }
                #expect(try stamp.lines() == [])
                try stamp.hold { fatalError("as the test wants") }
            }
            #expect(try stamp.lines() == [line(.signal(SIGILL))])
        }
    }

    @Test func `places lie within each other, and each thread is in its own`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .exitCode(7)) { [folder = stamp.folder as String] in
                let armed = try StampFile(folder: folder).arm()
                let outer = try #require(armed.place("outer"))
                let inner = try #require(armed.place("inner"))
                outer.run(at: "first") {
                    inner.run(at: "second") {}
                    exit(7)
                }
            }
            #expect(
                try stamp.lines() == [
                    Line(owner: "owner", end: .exit(7), time: 0, place: ("first", "outer"))
                ])
        }
    }

    @Test(arguments: [["nav", "page", "field"], ["näv", "p\u{7}g\t"], ["a b", ""]])
    func `R17: a stamp tells what is done with which object`(path: [String]) async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [folder = stamp.folder as String, path = path as [String]] in
                let place = try #require(try StampFile(folder: folder).arm().place("subject"))
                place.run(at: "launch-found") {
                    var above = 0
                    for name in path {
                        place.reach("finding", "a longer name", above: above)
                        place.reach("decoding", name, above: above)
                        above += (above == 0 ? 0 : 1) + name.utf8.count
                    }
                    fatalError("as the test wants")
                }
            }
            let told = path.joined(separator: "/").replacing("\u{7}", with: "?")
                .replacing("\t", with: "?")
            #expect(
                try stamp.lines() == [
                    Line(
                        owner: "owner", end: .signal(SIGILL), time: 0,
                        place: ("launch-found", "subject"), step: "decoding \(told)")
                ])
        }
    }

    @Test func `R17: a path that is too long for a stamp is cut where a character begins`()
        async throws
    {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) { [folder = stamp.folder as String] in
                let place = try #require(try StampFile(folder: folder).arm().place("subject"))
                place.run(at: "launch-found") {
                    place.reach("decoding", "x" + String(repeating: "ä", count: 600), above: 0)
                    place.reach("decoding", "below", above: 1201)
                    fatalError("as the test wants")
                }
            }
            let line = try #require(try stamp.lines().first)
            #expect(line.step == "decoding x" + String(repeating: "ä", count: 511))
            #expect(line.place?.subject == "subject")
        }
    }

    @Test func `R17: at the next stage a stamp tells of no object`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) { [folder = stamp.folder as String] in
                let place = try #require(try StampFile(folder: folder).arm().place("subject"))
                place.run(at: "launch-found") {
                    place.reach("decoding", "nav", above: 0)
                    place.reach("launch-decoded")
                    fatalError("as the test wants")
                }
            }
            let line = try #require(try stamp.lines().first)
            #expect(line.step == nil)
            #expect(line.place?.stage == "launch-decoded")
        }
    }

    @Test(
        arguments: [
            "", "a", "a\tsignal 4", "a\tsignal 4\t", "a\tsignal 4\tx", "a\tsignal 4\t-1",
            "a\tsignal\t12",
            "a\tsignal 4 5\t12", "a\tsignal x\t12", "a\tkilled 4\t12", "a\texit\t12", "a\t\t12",
            "a\tsignal 4\t12\tstage", "a\texit 3",
        ])
    func `a text that is no line of a stamp is not read as one`(text: String) {
        #expect(Line(text) == nil)
    }

    @Test(
        arguments: [
            ("a\tsignal 4\t12", Line(owner: "a", end: .signal(4), time: 12)),
            ("\texit -1\t0", Line(owner: "", end: .exit(-1), time: 0)),
            (
                "a\texit 3\t99\tstage\tsubject",
                Line(owner: "a", end: .exit(3), time: 99, place: ("stage", "subject"))
            ),
            (
                "a\texit 3\t99\tstage finding a name\tsubject\twith tabs",
                Line(
                    owner: "a", end: .exit(3), time: 99, place: ("stage", "subject\twith tabs"),
                    step: "finding a name")
            ),
            (
                "a\texit 3\t99\tstage \t",
                Line(owner: "a", end: .exit(3), time: 99, place: ("stage", ""), step: "")
            ),
        ])
    func `each part of a line of a stamp is read`(text: String, line: CrashStamp.Line) {
        #expect(Line(text) == line)
    }

    @Test func `what is no line of a stamp is left out`() {
        let text = """
            a\tsignal 4\t12
            a\tsignal 4\t12\tstage
            a\tsignal x\t12
            a\tkilled 4\t12
            a\texit 3\t99\tpass-begin\torg.example\tmain
            a\texit 3
            """
        #expect(
            CrashStamp.lines(Array(text.utf8) + [0xFF, 0x0A, 0x00]) == [
                Line(owner: "a", end: .signal(4), time: 12),
                Line(
                    owner: "a", end: .exit(3), time: 99,
                    place: ("pass-begin", "org.example\tmain")),
            ])
    }
}
