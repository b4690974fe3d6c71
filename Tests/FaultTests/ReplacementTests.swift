import DaemonHost
import FoundationEssentials
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// What another program puts in the place of a live archive, at any moment, many times, under load.
struct ReplacementTests {
    private static let rounds = number("REPRISE_ROUNDS") ?? 200
    private static let seed = UInt64(number("REPRISE_SEED") ?? 1)

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }

    private static let applications =
        "[{ bundleIdentifier: org.reprise.ChildViews, scenes: [main, second] }]"

    /// One is so large that the archive is compacted every few changes.
    private static let fields = [
        Field.child1, Field(path: Field.child2.path, byteCount: 60_000),
        Field(scene: "second", path: Field.child1.path, byteCount: 200),
    ]

    /// How a program puts bytes in the archive's place.
    private enum Way: CaseIterable {
        case copied
        case moved
        case written

        /// Puts a file in the archive's place, with the tools that an operator has.
        ///
        /// - Returns: whether the file that was written into had lost the archive's name by then,
        ///   because it was compacted meanwhile.
        func put(_ source: FilePath, over archive: FilePath) throws -> Bool {
            if self == .moved {
                try ReplacementTests.run(["mv", source.string, archive.string])
                return false
            }
            let emptied = self == .written ? O_TRUNC : 0
            let descriptor = open(archive.string, O_WRONLY | O_CLOEXEC | emptied)
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            defer { close(descriptor) }
            let command =
                self == .written
                ? ["cat", source.string] : ["cp", source.string, "/proc/self/fd/1"]
            try ReplacementTests.run(command, output: descriptor)
            var (written, named) = (stat(), stat())
            guard fstat(descriptor, &written) == 0 else { throw Errno(rawValue: errno) }
            guard stat(archive.string, &named) == 0 else { return true }
            return written.st_nlink == 0 || written.st_ino != named.st_ino
        }
    }

    /// An archive from an earlier time, and what it holds.
    private struct Earlier {
        var bytes: [UInt8]
        var numbers: [Int]
    }

    private struct Tally {
        var restored = 0
        var refused = 0
        /// Written into a file that had lost the name by then, and nothing came of it.
        var missed = 0
        /// Written between the daemon's look at its file and its write, which went behind it.
        var extended = 0
        var lost = 0
        var other: [String] = []
    }

    @Test func `L8: an archive replaced at any moment loses nothing that is in no generation`()
        async throws
    {
        var tally = Tally()
        var outcome: Result<Void, any Error> = .success(())
        do {
            try await Host.with { host in
                try host.configure(applications: Self.applications, interval: "10ms")
                tally = try await host.run { _ in try await replace(host) }.value
            }
        } catch {
            outcome = .failure(error)
        }
        report(
            """
            archives replaced under load: \(Self.rounds), restored: \(tally.restored), \
            refused: \(tally.refused), missed: \(tally.missed), extended: \(tally.extended), \
            lost: \(tally.lost)
            """)
        try outcome.get()
        try #require(tally.lost == 0, "\(tally.other)")
        try #require(tally.missed <= Self.rounds / 10)
        try #require(tally.extended <= Self.rounds / 50)
    }

    private func replace(_ host: Host) async throws -> Tally {
        var tally = Tally()
        var random = SeededNumbers(seed: Self.seed)
        var typists = Self.fields.map(Typist.init)
        var earlier: [Earlier] = []
        for round in 0...Self.rounds {
            typists = try await Self.type(typists, host, for: .milliseconds(5), at: .zero) {}
            // Nobody types: what the file holds is what the fields show.
            let now = Earlier(
                bytes: try host.archive.read(), numbers: try shown(typists, host))
            // Never the one of now: where nothing is typed before it is there it changes nothing.
            let given = earlier.randomElement(using: &random)
            earlier.append(now)
            if earlier.count > 8 { earlier.removeFirst() }
            guard let given else { continue }
            let isGood = round.isMultiple(of: 2)
            var bytes = given.bytes
            if !isGood {
                if Bool.random(using: &random) {
                    bytes.removeLast(Int.random(in: 1...40, using: &random))
                } else {
                    bytes[Int.random(in: 100..<bytes.count, using: &random)] ^= 0x41
                }
            }
            let source = host.folder.appending("replacing")
            try source.write(bytes)
            let way = Way.allCases.randomElement(using: &random) ?? .moved
            let before = Numbers(
                generation: newest(host.savedState.appending("history")),
                quarantined: try host.quarantined().count)
            let hasLostName = Mutex(false)
            let length = Duration.microseconds(Int.random(in: 0..<30_000, using: &random))
            let moment = Duration.microseconds(Int.random(in: 0..<30_000, using: &random))
            let known = typists
            typists = try await Self.type(typists, host, for: moment + length, at: moment) {
                let isLost = try way.put(source, over: host.archive)
                hasLostName.withLock { $0 = isLost }
            }
            let client = try ControlClient(host)
            let note = "round \(round), \(way), \(isGood ? "good" : "bad")"
            var isQuarantined: Bool {
                get throws { try host.quarantined().count > before.quarantined }
            }
            let isTaken = try await awaitChange(
                client, note, mayMiss: hasLostName.withLock { $0 }
            ) {
                try isQuarantined
                    || isGood && newest(host.savedState.appending("history")) != before.generation
            }
            let isRefused = try isQuarantined
            if isTaken, isGood, !isRefused {
                // The answer comes when the scenes from before are gone.
                for field in Self.fields { _ = try client.content(of: field) }
                let history = host.savedState.appending("history")
                let generation = history.appending(newest(history))
                let kept = try await numbers(in: generation, of: typists, host)
                for (index, typist) in typists.enumerated() {
                    let live = try shown(typist, host)
                    let isLive = live == typist.acknowledged
                    let isBefore = kept[index] == typist.acknowledged
                    // What was live when it was replaced is kept, and what came later lives.
                    if kept[index] < known[index].acknowledged
                        || !(isLive || isBefore && live == given.numbers[index])
                    {
                        tally.lost += 1
                        tally.other.append(
                            "\(note): \(typist) shows \(live), \(kept[index]) is kept, "
                                + "\(known[index].acknowledged) was before")
                    }
                }
                tally.restored += 1
            } else {
                for typist in typists {
                    let live = try shown(typist, host)
                    guard live != typist.acknowledged else { continue }
                    tally.lost += 1
                    tally.other.append("\(note): \(typist) shows \(live)")
                }
                switch (isTaken, isGood, hasLostName.withLock { $0 }) {
                case (true, false, _): tally.refused += 1
                case (false, _, _), (true, true, true): tally.missed += 1
                case (true, true, false):
                    let name = try host.quarantined().max() ?? ""
                    let kept = host.savedState.appending("quarantine").appending(name)
                    try Violation.unless(
                        way != .moved && (try kept.read()).starts(with: bytes),
                        "\(note): a good one went to quarantine")
                    tally.extended += 1
                }
            }
        }
        return tally
    }

    private struct Numbers {
        var generation: String
        var quarantined: Int
    }

    private func newest(_ history: FilePath) -> String {
        history.entries.filter { $0.hasSuffix(".archive") }.max() ?? ""
    }

    /// Asks the daemon until it has done something about the archive.
    ///
    /// - Parameter mayMiss: whether it need not.
    /// - Returns: false if it does not although it need not.
    private func awaitChange(
        _ client: ControlClient, _ note: String, mayMiss: Bool,
        isDone: () throws -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(mayMiss ? 2 : 20)
        while try !isDone() {
            let status = try client.status()
            if .now < deadline { continue }
            try Violation.unless(mayMiss, "\(note): nothing was done: \(status)")
            return false
        }
        return true
    }

    private func shown(_ typists: [Typist], _ host: Host) throws -> [Int] {
        try typists.map { try shown($0, host) }
    }

    private func shown(_ typist: Typist, _ host: Host) throws -> Int {
        let content = try ControlClient(host).content(of: typist.field)
        guard let number = typist.field.number(of: content.text) else {
            throw Violation("half a text: \(content.text.prefix(100))")
        }
        return number
    }

    /// The numbers of the texts in a generation.
    private func numbers(
        in generation: FilePath, of typists: [Typist], _ host: Host
    ) async throws -> [Int] {
        let result = try await host.inspect("--json", generation.string)
        try Violation.unless(result.status.isSuccess, "\(result)")
        let inspected = try JSONDecoder().decode(
            Inspected.self, from: Data(result.output.utf8))
        return try typists.map { typist in
            let scene = inspected.scenes.first { $0.name == typist.field.scene }
            // The text is the controller's, above the field.
            let path = FilePath(typist.field.path).removingLastComponent().string
            let object = scene?.objects.first { $0.path == path }
            guard let number = typist.field.number(of: object?.values.text ?? "") else {
                throw Violation("half a text in \(generation)")
            }
            return number
        }
    }

    /// - Parameter output: where its output goes; nil: where this process' does.
    private static func run(_ command: [String], output: CInt? = nil) throws {
        var process = pid_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        let arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawnp(&process, command[0], &actions, nil, arguments, environ) == 0 else {
            throw Errno(rawValue: errno)
        }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        try Violation.unless(status == 0, "\(command) failed")
    }

    private static func type(
        _ typists: [Typist], _ host: Host, for duration: Duration, at moment: Duration,
        act: @escaping @Sendable () throws -> Void
    ) async throws -> [Typist] {
        try await onOwnThread {
            var load = try Load(typists, to: host.socket)
            let now = ContinuousClock.now
            try load.run(until: now + duration, at: now + moment, act: act)
            return load.typists
        }
    }
}

/// What `reprisectl inspect --json` tells, as far as the test looks at it.
private struct Inspected: Decodable {
    struct Scene: Decodable {
        var name: String
        var objects: [Object]
    }

    struct Object: Decodable {
        var path: String
        var values: Values
    }

    struct Values: Decodable {
        var text: String?
    }

    var scenes: [Scene]
}
