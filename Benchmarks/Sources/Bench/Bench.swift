import Foundation

/// Measures everything, or some parts, and prints one table. `script/bench` calls it.
@main struct Bench {
    private static let parts = [
        "programs", "control", "following", "attach", "watch", "scenes", "objects", "collection",
        "growth",
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first else {
            print("usage: Bench FOLDER [--quick] [--without-container] [--profile] [PART...]")
            exit(2)
        }
        let chosen = arguments.dropFirst().filter { !$0.hasPrefix("--") }
        let run = Run(
            folder: folder, repository: FileManager.default.currentDirectoryPath,
            isQuick: arguments.contains("--quick"),
            hasContainer: !arguments.contains("--without-container"))
        do {
            if arguments.contains("--profile") {
                try Loop.shared.run {
                    for part in chosen { try await Profile(run: run).run(part) }
                }
            } else {
                try Loop.shared.run {
                    try await measure(chosen.isEmpty ? parts : Array(chosen), run)
                }
            }
        } catch {
            run.tell("\(error)")
            exit(1)
        }
    }

    /// Measures parts. One that fails is told of, and the others are measured all the same.
    @LoopActor private static func measure(_ parts: [String], _ run: Run) async throws {
        let results = Results()
        var failed: [String] = []
        for part in parts {
            run.tell("measuring \(part) ...")
            do {
                try await measure(part, run, results)
            } catch {
                run.tell("\(part) was not measured to its end: \(error)")
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
        case "growth": try await GrowthMeasures(run: run, results: results).measureObjects()
        case "scenes": try await GrowthMeasures(run: run, results: results).measureScenes()
        default: throw Failure("there is no part \(part), but \(parts.joined(separator: ", "))")
        }
    }
}

/// What a run measures with.
struct Run: Sendable {
    /// A folder of its own, which is where the disk is measured.
    let folder: String
    /// The sources, with the programs that `script/release` built.
    let repository: String
    let isQuick: Bool
    /// Whether Debian 13 can be booted as a container.
    let hasContainer: Bool

    /// How often what takes long is measured.
    var rounds: Int { isQuick ? 2 : 7 }

    func program(_ name: String) -> String { "\(repository)/.build/install/\(name)" }

    /// The program that does nothing else.
    var barePeer: String {
        (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/BarePeer"
    }

    /// Tells who waits what goes on.
    func tell(_ text: String) {
        FileHandle.standardError.write(Data("script/bench: \(text)\n".utf8))
    }
}

/// What `script/bench profile` runs below perf(1), which takes samples only while it is told to.
@LoopActor private struct Profile {
    let run: Run

    func run(_ part: String) async throws {
        let keeper = LibraryKeeper(.hundredThousand, folder: run.folder)
        let perf = try Perf(folder: run.folder)
        switch part {
        case "pass":
            for _ in 0..<20 {
                try await keeper.begin()
                try perf.tell("enable")
                try await keeper.saveAll()
                try perf.tell("disable")
            }
            try await keeper.end()
        case "restore":
            try await keeper.begin()
            try await keeper.saveAll()
            try await keeper.end()
            for _ in 0..<20 {
                try perf.tell("enable")
                _ = try await keeper.restore()
                try perf.tell("disable")
                _ = try await keeper.endRestored()
            }
        case "change":
            try await keeper.begin()
            try await keeper.saveAll()
            try perf.tell("enable")
            for _ in 0..<100_000 { try await keeper.saveChange() }
            try perf.tell("disable")
            try await keeper.end()
        case "element":
            let jobs = (0..<1000).map(CollectionMeasures.Job.init)
            let collection = try await KeptCollection(jobs, in: run.folder + "/jobs")
            try perf.tell("enable")
            _ = try await collection.change(100_000)
            try perf.tell("disable")
            try await collection.end()
        default:
            throw Failure(
                "there is no profile of \(part), but of pass, restore, change and element")
        }
    }

    /// The two named pipes that `perf record --control` listens to and answers by.
    private struct Perf {
        private let control: FileHandle
        private let answers: FileHandle

        init(folder: String) throws {
            control = try FileHandle(forWritingTo: URL(filePath: folder + "/control"))
            answers = try FileHandle(forReadingFrom: URL(filePath: folder + "/answers"))
        }

        func tell(_ command: String) throws {
            try control.write(contentsOf: Data("\(command)\n".utf8))
            guard try answers.read(upToCount: 5)?.starts(with: Data("ack".utf8)) == true else {
                throw Failure("perf did not take the command \(command)")
            }
        }
    }
}
