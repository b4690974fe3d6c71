import DaemonHost
import FoundationEssentials
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Replacement of a live archive by another program, at random times and under load.
struct ReplacementTests {
    private static let roundCount = number("REPRISE_ROUNDS") ?? 200
    private static let seed = UInt64(number("REPRISE_SEED") ?? 1)

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }

    private static let applications =
        "[{ bundleIdentifier: org.reprise.ChildViews, scenes: [main, second] }]"

    /// One field is so large that the archive is compacted every few changes.
    private static let fields = [
        Field.child1, Field(path: Field.child2.path, byteCount: 60_000),
        Field(scene: "second", path: Field.child1.path, byteCount: 200),
    ]

    /// Way in which a program replaces the contents of the archive.
    private enum ReplacementMethod: CaseIterable {
        case copied
        case moved
        case written

        /// Replaces the archive with a file, using the tools of an operator.
        ///
        /// - Returns: Whether the written file had lost the name of the archive, because the archive was compacted at
        ///   the same time.
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

    /// An archive from an earlier time, with the numbers of its strings.
    private struct SavedArchive {
        var bytes: [UInt8]
        var numbers: [Int]
    }

    private struct Tally {
        var restored = 0
        var refused = 0
        /// Number of replacements that were written to a file without the archive's name and had no effect.
        var missed = 0
        /// Number of replacements that were written between the daemon's check of the file and its append.
        var extended = 0
        var lost = 0
        var details: [String] = []
    }

    @Test func `L8: replacing the archive at any time loses no change that is not in the history`()
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
            archives replaced under load: \(Self.roundCount), restored: \(tally.restored), \
            refused: \(tally.refused), missed: \(tally.missed), extended: \(tally.extended), \
            lost: \(tally.lost)
            """)
        try outcome.get()
        try #require(tally.lost == 0, "\(tally.details)")
        try #require(tally.missed <= Self.roundCount / 10)
        try #require(tally.extended <= Self.roundCount / 50)
    }

    private func replace(_ host: Host) async throws -> Tally {
        var tally = Tally()
        var random = SeededNumbers(seed: Self.seed)
        var typists = Self.fields.map(Typist.init)
        var earlier: [SavedArchive] = []
        for round in 0...Self.roundCount {
            typists = try await Self.type(typists, host, for: .milliseconds(5), at: .zero) {}
            // No client types, so the file contains what the fields show.
            let current = SavedArchive(
                bytes: try host.archive.read(), numbers: try shownNumbers(typists, host))
            // The current archive is not used. If nothing is typed before it is replaced, the replacement changes
            // nothing.
            let replacement = earlier.randomElement(using: &random)
            earlier.append(current)
            if earlier.count > 8 { earlier.removeFirst() }
            guard let replacement else { continue }
            let isValid = round.isMultiple(of: 2)
            var bytes = replacement.bytes
            if !isValid {
                if Bool.random(using: &random) {
                    bytes.removeLast(Int.random(in: 1...40, using: &random))
                } else {
                    bytes[Int.random(in: 100..<bytes.count, using: &random)] ^= 0x41
                }
            }
            let source = host.directory.appending("replacing")
            try source.write(bytes)
            let method = ReplacementMethod.allCases.randomElement(using: &random) ?? .moved
            let before = HistoryState(
                generation: newest(host.savedState.appending("history")),
                quarantined: try host.quarantined().count)
            let hasLostName = Mutex(false)
            let length = Duration.microseconds(Int.random(in: 0..<30_000, using: &random))
            let delay = Duration.microseconds(Int.random(in: 0..<30_000, using: &random))
            let known = typists
            typists = try await Self.type(typists, host, for: delay + length, at: delay) {
                let isLost = try method.put(source, over: host.archive)
                hasLostName.withLock { $0 = isLost }
            }
            let client = try ControlClient(host)
            let note = "round \(round), \(method), \(isValid ? "good" : "bad")"
            var isQuarantined: Bool {
                get throws { try host.quarantined().count > before.quarantined }
            }
            let didReact = try await awaitChange(
                client, note, mayMiss: hasLostName.withLock { $0 }
            ) {
                try isQuarantined
                    || isValid && newest(host.savedState.appending("history")) != before.generation
            }
            let isRefused = try isQuarantined
            if didReact, isValid, !isRefused {
                // The replies arrive after the previous scenes have been replaced.
                for field in Self.fields { _ = try client.content(of: field) }
                let history = host.savedState.appending("history")
                let generation = history.appending(newest(history))
                let storedNumbers = try await numbers(in: generation, of: typists, host)
                for (index, typist) in typists.enumerated() {
                    let live = try shownNumber(typist, host)
                    let isLive = live == typist.acknowledged
                    let isInHistory = storedNumbers[index] == typist.acknowledged
                    // The state that was live at the time of the replacement is in the history, and later changes are
                    // live.
                    if storedNumbers[index] < known[index].acknowledged
                        || !(isLive || isInHistory && live == replacement.numbers[index])
                    {
                        tally.lost += 1
                        tally.details.append(
                            "\(note): \(typist) shows \(live), \(storedNumbers[index]) is kept, "
                                + "\(known[index].acknowledged) was before")
                    }
                }
                tally.restored += 1
            } else {
                for typist in typists {
                    let live = try shownNumber(typist, host)
                    guard live != typist.acknowledged else { continue }
                    tally.lost += 1
                    tally.details.append("\(note): \(typist) shows \(live)")
                }
                switch (didReact, isValid, hasLostName.withLock { $0 }) {
                case (true, false, _): tally.refused += 1
                case (false, _, _), (true, true, true): tally.missed += 1
                case (true, true, false):
                    let name = try host.quarantined().max() ?? ""
                    let quarantinedFile = host.savedState.appending("quarantine").appending(name)
                    try Violation.unless(
                        method != .moved && (try quarantinedFile.read()).starts(with: bytes),
                        "\(note): a good one went to quarantine")
                    tally.extended += 1
                }
            }
        }
        return tally
    }

    private struct HistoryState {
        var generation: String
        var quarantined: Int
    }

    private func newest(_ history: FilePath) -> String {
        history.entries.filter { $0.hasSuffix(".archive") }.max() ?? ""
    }

    /// Waits until the daemon has reacted to the archive.
    ///
    /// - Parameter mayMiss: Whether the daemon may fail to react.
    /// - Returns: `false` if the daemon did not react.
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

    private func shownNumbers(_ typists: [Typist], _ host: Host) throws -> [Int] {
        try typists.map { try shownNumber($0, host) }
    }

    private func shownNumber(_ typist: Typist, _ host: Host) throws -> Int {
        let content = try ControlClient(host).content(of: typist.field)
        guard let number = typist.field.number(of: content.text) else {
            throw Violation("half a text: \(content.text.prefix(100))")
        }
        return number
    }

    /// Returns the numbers of the strings in a generation.
    private func numbers(
        in generation: FilePath, of typists: [Typist], _ host: Host
    ) async throws -> [Int] {
        let result = try await host.inspect("--json", generation.string)
        try Violation.unless(result.status.isSuccess, "\(result)")
        let inspection = try JSONDecoder().decode(
            Inspection.self, from: Data(result.output.utf8))
        return try typists.map { typist in
            let scene = inspection.scenes.first { $0.name == typist.field.scene }
            // The string belongs to the controller, which is above the field.
            let path = FilePath(typist.field.path).removingLastComponent().string
            let object = scene?.objects.first { $0.path == path }
            guard let number = typist.field.number(of: object?.values.text ?? "") else {
                throw Violation("half a text in \(generation)")
            }
            return number
        }
    }

    /// Runs a command.
    ///
    /// - Parameter output: Descriptor for its output, or `nil` for the output of this process.
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
        _ typists: [Typist], _ host: Host, for duration: Duration, at delay: Duration,
        act: @escaping @Sendable () throws -> Void
    ) async throws -> [Typist] {
        try await runOnOwnThread {
            var load = try Load(typists, to: host.socket)
            let now = ContinuousClock.now
            try load.run(until: now + duration, at: now + delay, act: act)
            return load.typists
        }
    }
}

/// Output of `reprisectl inspect --json`, as far as the test needs it.
private struct Inspection: Decodable {
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
