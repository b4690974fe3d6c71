import Foundation

/// Program that runs all benchmarks, or selected benchmarks, and prints a table of the results.
///
/// `script/bench` calls this program.
@main struct Bench {
    private static let parts = [
        "programs", "control", "following", "attach", "watch", "scenes", "objects", "collection",
        "library", "growth", "json",
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let directory = arguments.first else {
            print("usage: Bench DIRECTORY [--quick] [--without-container] [--profile] [PART...]")
            exit(2)
        }
        let chosen = arguments.dropFirst().filter { !$0.hasPrefix("--") }
        let run = Run(
            directory: directory, repository: FileManager.default.currentDirectoryPath,
            isQuick: arguments.contains("--quick"),
            hasContainer: !arguments.contains("--without-container"))
        do {
            if arguments.contains("--restart"), let store = chosen.first {
                try Loop.shared.run { try await LibraryMeasures.restart(store, in: directory) }
            } else if arguments.contains("--profile") {
                try Loop.shared.run {
                    for part in chosen { try await Profile(run: run).run(part) }
                }
            } else {
                try Loop.shared.run {
                    try await measure(chosen.isEmpty ? parts : Array(chosen), run)
                }
            }
        } catch {
            run.log("\(error)")
            exit(1)
        }
    }

    /// Runs benchmarks and prints the results.
    ///
    /// If a benchmark fails, logs the error and continues with the other benchmarks.
    @LoopActor private static func measure(_ parts: [String], _ run: Run) async throws {
        let results = Results()
        var failed: [String] = []
        for part in parts {
            run.log("measuring \(part) ...")
            do {
                try await measure(part, run, results)
            } catch {
                run.log("the benchmark \(part) failed: \(error)")
                failed.append(part)
            }
        }
        print(results.table)
        if !failed.isEmpty { throw Failure("\(failed.joined(separator: ", ")) failed") }
    }

    @LoopActor private static func measure(
        _ part: String, _ run: Run, _ results: Results
    ) async throws {
        switch part {
        case "programs": try await ProgramMeasures(run: run, results: results).measure()
        case "control": try ControlMeasures(run: run, results: results).measure()
        case "following": try FollowingMeasures(run: run, results: results).measure()
        case "attach": try await AttachMeasures(run: run, results: results).measure()
        case "watch": try WatchMeasures(run: run, results: results).measure()
        case "objects": try await ObjectMeasures(run: run, results: results).measure()
        case "collection":
            try await CollectionMeasures(run: run, results: results).measure()
        case "library": try await LibraryMeasures(run: run, results: results).measure()
        case "growth": try await GrowthMeasures(run: run, results: results).measureObjects()
        case "scenes": try await GrowthMeasures(run: run, results: results).measureScenes()
        case "json": try await JSONMeasures(run: run, results: results).measure()
        default:
            throw Failure("unknown part \(part); the parts are \(parts.joined(separator: ", "))")
        }
    }
}

/// The environment and the options of a run.
struct Run: Sendable {
    /// Directory for the files of the run, on the disk that is measured.
    let directory: String
    /// Path of the repository, which contains the programs that `script/release` has built.
    let repository: String
    let isQuick: Bool
    /// Whether Debian 13 can be booted as a container.
    let hasContainer: Bool

    /// Number of rounds for long benchmarks.
    var rounds: Int { isQuick ? 2 : 7 }

    func program(_ name: String) -> String { "\(repository)/.build/install/\(name)" }

    /// Path of the minimal C program `BarePeer`.
    var barePeer: String {
        (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/BarePeer"
    }

    /// Prints a progress message to standard error.
    func log(_ text: String) {
        FileHandle.standardError.write(Data("script/bench: \(text)\n".utf8))
    }
}

/// The profiles of `script/bench profile`.
///
/// perf(1) samples only the relevant part of each profile.
@LoopActor private struct Profile {
    let run: Run

    func run(_ part: String) async throws {
        let persister = ReprisePersister(.hundredThousand, directory: run.directory)
        let perf = try Perf(directory: run.directory)
        switch part {
        case "pass":
            for _ in 0..<20 {
                try await persister.begin()
                try perf.send("enable")
                try await persister.saveAll()
                try perf.send("disable")
            }
            try await persister.end()
        case "restore":
            try await persister.begin()
            try await persister.saveAll()
            try await persister.end()
            for _ in 0..<20 {
                try perf.send("enable")
                _ = try await persister.restore()
                try perf.send("disable")
                _ = try await persister.endAndCountRestored()
            }
        case "change":
            try await persister.begin()
            try await persister.saveAll()
            try perf.send("enable")
            for _ in 0..<100_000 { try await persister.saveChange() }
            try perf.send("disable")
            try await persister.end()
        case "element":
            let jobs = (0..<1000).map(CollectionMeasures.Job.init)
            let collection = try await CollectionOwner(jobs, in: run.directory + "/jobs")
            try perf.send("enable")
            _ = try await collection.change(100_000)
            try perf.send("disable")
            try await collection.end()
        case "start":
            let jobs = (0..<100_000).map(CollectionMeasures.Job.init)
            let collection = try await CollectionOwner(jobs, in: run.directory + "/jobs")
            for _ in 0..<5 {
                try perf.send("enable")
                _ = try await collection.restart()
                try perf.send("disable")
            }
            try await collection.end()
        default:
            throw Failure(
                "unknown profile \(part); the profiles are pass, restore, change, element and start"
            )
        }
    }

    /// The named pipes for commands to `perf record --control` and for its replies.
    private struct Perf {
        private let control: FileHandle
        private let replies: FileHandle

        init(directory: String) throws {
            control = try FileHandle(forWritingTo: URL(filePath: directory + "/control"))
            replies = try FileHandle(forReadingFrom: URL(filePath: directory + "/answers"))
        }

        func send(_ command: String) throws {
            try control.write(contentsOf: Data("\(command)\n".utf8))
            guard try replies.read(upToCount: 5)?.starts(with: Data("ack".utf8)) == true else {
                throw Failure("perf did not acknowledge the command \(command)")
            }
        }
    }
}
