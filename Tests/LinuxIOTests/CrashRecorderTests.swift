import Glibc
import LinuxIO
import TestSupport
import Testing

/// Stamps of processes that crash in a place. Each test runs in its own process.
@Suite struct CrashRecorderTests {
    private typealias Line = CrashRecorder.Line

    /// File to which a process appends its stamp.
    private struct StampFile {
        let directory: String

        /// Opens the file, and creates it if it does not exist.
        func open() throws -> File {
            let directory = try Directory.openOrCreate(directory)
            return try directory.openForAppending("stamp") ?? directory.createFile("stamp")
        }

        func arm() throws -> CrashRecorder {
            try #require(CrashRecorder(try open(), processID: "owner"))
        }

        /// Runs a closure in a place of a crash stamp.
        func hold(_ body: () -> Void) throws {
            let context = try #require(try arm().makeContext(subject: "org.example\tmain scene"))
            context.run(at: "launch-begin") {
                context.setStage("launch-decoded")
                body()
            }
        }

        /// Returns the lines without their times.
        func lines() throws -> [CrashRecorder.Line] {
            CrashRecorder.lines(in: try open().readAll(limit: 10_000)).map { line in
                var line = line
                line.bootTimeMilliseconds = 0
                return line
            }
        }
    }

    private func withStamp(_ body: (StampFile) async throws -> Void) async throws {
        let file = StampFile(directory: try ScratchDirectory.make())
        try await body(file)
        let directory = try #require(try Directory.open(file.directory))
        for name in try directory.names() { try directory.remove(name) }
        rmdir(file.directory)
    }

    private func line(_ end: Line.ProcessEnd, isInPlace: Bool = true) -> Line {
        Line(
            processID: "owner", end: end, bootTimeMilliseconds: 0,
            context: isInPlace ? ("launch-decoded", "org.example\tmain scene") : nil)
    }

    @Test func `L2: a fatal error is stamped with the place where it occurs`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [directory = stamp.directory as String] in
                try StampFile(directory: directory).hold { fatalError("as the test wants") }
            }
            #expect(try stamp.lines() == [line(.signal(SIGILL))])
        }
    }

    @Test func `L2: an invalid memory access and a call of abort are stamped with their place`()
        async throws
    {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGSEGV)) {
                [directory = stamp.directory as String] in
                try StampFile(directory: directory).hold {
                    UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
                }
            }
            await #expect(processExitsWith: .signal(SIGABRT)) {
                [directory = stamp.directory as String] in
                try StampFile(directory: directory).hold { abort() }
            }
            #expect(try stamp.lines() == [line(.signal(SIGSEGV)), line(.signal(SIGABRT))])
        }
    }

    @Test func `L2: a stack overflow is stamped with its place`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGSEGV)) {
                [directory = stamp.directory as String] in
                func deeper(_ depth: inout Int) {
                    depth += 1
                    var next = depth
                    if next < Int.max { deeper(&next) }
                    depth += next
                }
                try StampFile(directory: directory).hold {
                    var depth = 0
                    deeper(&depth)
                }
            }
            #expect(try stamp.lines() == [line(.signal(SIGSEGV))])
        }
    }

    @Test func `L2: an exit is stamped with its place and its status`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .exitCode(7)) {
                [directory = stamp.directory as String] in
                try StampFile(directory: directory).hold { exit(7) }
            }
            #expect(try stamp.lines() == [line(.exit(7))])
        }
    }

    @Test func `an exit outside any place is stamped only on request`()
        async throws
    {
        try await withStamp { stamp async throws in
            for marked in [false, true] {
                await #expect(processExitsWith: .exitCode(7)) {
                    [directory = stamp.directory as String, marked = marked as Bool] in
                    let stamp = StampFile(directory: directory)
                    try stamp.hold {}
                    let armed = try stamp.arm()
                    armed.setRecordsExits(marked)
                    withExtendedLifetime(armed) { exit(7) }
                }
            }
            #expect(try stamp.lines() == [line(.exit(7), isInPlace: false)])
        }
    }

    @Test func `a crash outside any place is stamped without a place`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [directory = stamp.directory as String] in
                let stamp = StampFile(directory: directory)
                try stamp.hold {}
                let armed = try stamp.arm()
                withExtendedLifetime(armed) { fatalError("as the test wants") }
            }
            #expect(try stamp.lines() == [line(.signal(SIGILL), isInPlace: false)])
        }
    }

    @Test func `L2: a signal that another process sends is not stamped`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGSEGV)) {
                [directory = stamp.directory as String] in
                try StampFile(directory: directory).hold {
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

    @Test func `an earlier signal handler still runs`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .exitCode(9)) {
                [directory = stamp.directory as String] in
                signal(SIGSEGV) { _ in _exit(9) }
                try StampFile(directory: directory).hold {
                    UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
                }
            }
            #expect(try stamp.lines() == [line(.signal(SIGSEGV))])
        }
    }

    @Test
    func `a thread that continues after a signal removes its stamp and can leave another one`()
        async throws
    {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [directory = stamp.directory as String] in
                signal(SIGTRAP) { _ in }
                let stamp = StampFile(directory: directory)
                try stamp.hold { raise(SIGTRAP) }
                #expect(try stamp.lines() == [])
                try stamp.hold { raise(SIGTRAP) }
                #expect(try stamp.lines() == [])
                try stamp.hold { fatalError("as the test wants") }
            }
            #expect(try stamp.lines() == [line(.signal(SIGILL))])
        }
    }

    @Test func `after an inner place ends, an exit is stamped with the outer place`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .exitCode(7)) {
                [directory = stamp.directory as String] in
                let armed = try StampFile(directory: directory).arm()
                let outer = try #require(armed.makeContext(subject: "outer"))
                let inner = try #require(armed.makeContext(subject: "inner"))
                outer.run(at: "first") {
                    inner.run(at: "second") {}
                    exit(7)
                }
            }
            #expect(
                try stamp.lines() == [
                    Line(
                        processID: "owner", end: .exit(7), bootTimeMilliseconds: 0,
                        context: ("first", "outer"))
                ])
        }
    }

    @Test(arguments: [["nav", "page", "field"], ["näv", "p\u{7}g\t"], ["a b", ""]])
    func `R17: a stamp contains the step and the path of the object`(path: [String]) async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [directory = stamp.directory as String, path = path as [String]] in
                let context = try #require(
                    try StampFile(directory: directory).arm().makeContext(subject: "subject"))
                context.run(at: "launch-found") {
                    var parentPathLength = 0
                    for name in path {
                        context.setStep(
                            "finding", onObject: "a longer name", parentPathLength: parentPathLength
                        )
                        context.setStep(
                            "decoding", onObject: name, parentPathLength: parentPathLength)
                        parentPathLength += (parentPathLength == 0 ? 0 : 1) + name.utf8.count
                    }
                    fatalError("as the test wants")
                }
            }
            let expectedPath = path.joined(separator: "/").replacing("\u{7}", with: "?")
                .replacing("\t", with: "?")
            #expect(
                try stamp.lines() == [
                    Line(
                        processID: "owner", end: .signal(SIGILL), bootTimeMilliseconds: 0,
                        context: ("launch-found", "subject"),
                        stepAndPath: "decoding \(expectedPath)")
                ])
        }
    }

    @Test func `R17: a path that is too long for a stamp is truncated at a character boundary`()
        async throws
    {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [directory = stamp.directory as String] in
                let context = try #require(
                    try StampFile(directory: directory).arm().makeContext(subject: "subject"))
                context.run(at: "launch-found") {
                    context.setStep(
                        "decoding", onObject: "x" + String(repeating: "ä", count: 600),
                        parentPathLength: 0)
                    context.setStep("decoding", onObject: "below", parentPathLength: 1201)
                    fatalError("as the test wants")
                }
            }
            let line = try #require(try stamp.lines().first)
            #expect(line.stepAndPath == "decoding x" + String(repeating: "ä", count: 511))
            #expect(line.context?.subject == "subject")
        }
    }

    @Test func `R17: a stamp at the next stage contains no object`() async throws {
        try await withStamp { stamp async throws in
            await #expect(processExitsWith: .signal(SIGILL)) {
                [directory = stamp.directory as String] in
                let context = try #require(
                    try StampFile(directory: directory).arm().makeContext(subject: "subject"))
                context.run(at: "launch-found") {
                    context.setStep("decoding", onObject: "nav", parentPathLength: 0)
                    context.setStage("launch-decoded")
                    fatalError("as the test wants")
                }
            }
            let line = try #require(try stamp.lines().first)
            #expect(line.stepAndPath == nil)
            #expect(line.context?.stage == "launch-decoded")
        }
    }

    @Test(
        arguments: [
            "", "a", "a\tsignal 4", "a\tsignal 4\t", "a\tsignal 4\tx", "a\tsignal 4\t-1",
            "a\tsignal\t12",
            "a\tsignal 4 5\t12", "a\tsignal x\t12", "a\tkilled 4\t12", "a\texit\t12", "a\t\t12",
            "a\tsignal 4\t12\tstage", "a\texit 3",
        ])
    func `a malformed line of a stamp is not parsed`(text: String) {
        #expect(Line(text) == nil)
    }

    @Test(
        arguments: [
            ("a\tsignal 4\t12", Line(processID: "a", end: .signal(4), bootTimeMilliseconds: 12)),
            ("\texit -1\t0", Line(processID: "", end: .exit(-1), bootTimeMilliseconds: 0)),
            (
                "a\texit 3\t99\tstage\tsubject",
                Line(
                    processID: "a", end: .exit(3), bootTimeMilliseconds: 99,
                    context: ("stage", "subject"))
            ),
            (
                "a\texit 3\t99\tstage finding a name\tsubject\twith tabs",
                Line(
                    processID: "a", end: .exit(3), bootTimeMilliseconds: 99,
                    context: ("stage", "subject\twith tabs"),
                    stepAndPath: "finding a name")
            ),
            (
                "a\texit 3\t99\tstage \t",
                Line(
                    processID: "a", end: .exit(3), bootTimeMilliseconds: 99, context: ("stage", ""),
                    stepAndPath: "")
            ),
        ])
    func `each part of a line of a stamp is parsed`(text: String, line: CrashRecorder.Line) {
        #expect(Line(text) == line)
    }

    @Test func `malformed lines of a stamp are ignored`() {
        let text = """
            a\tsignal 4\t12
            a\tsignal 4\t12\tstage
            a\tsignal x\t12
            a\tkilled 4\t12
            a\texit 3\t99\tpass-begin\torg.example\tmain
            a\texit 3
            """
        #expect(
            CrashRecorder.lines(in: Array(text.utf8) + [0xFF, 0x0A, 0x00]) == [
                Line(processID: "a", end: .signal(4), bootTimeMilliseconds: 12),
                Line(
                    processID: "a", end: .exit(3), bootTimeMilliseconds: 99,
                    context: ("pass-begin", "org.example\tmain")),
            ])
    }
}
