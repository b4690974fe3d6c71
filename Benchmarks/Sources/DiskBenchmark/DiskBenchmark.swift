import Foundation

/// Measures what reaches the disk: full passes, restores and single changes of 100,000 objects of
/// five values each, beside others that do the same, by turns in one run, and beside a bare file of
/// as many bytes, which is what the disk alone takes; and changes among few and many objects, also
/// while the archive is compacted.
@main
struct DiskBenchmark {
    private let rounds: Int
    private let folder: String
    private let hasPeers: Bool
    private var figures: [Step: Figures] = [:]
    /// The bytes that each keeper's full pass writes.
    private var fullBytes: [String: Int] = [:]
    /// The bytes that one change of each keeper writes.
    private var changeBytes: [String: Int] = [:]

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 2, let rounds = Int(arguments[1]), rounds > 0,
            ["", "--without-peers"].contains(arguments.dropFirst(2).joined(separator: " "))
        else {
            print("usage: DiskBenchmark ROUNDS FOLDER [--without-peers]")
            exit(2)
        }
        try FileManager.default.createDirectory(
            atPath: arguments[2], withIntermediateDirectories: true)
        var benchmark = DiskBenchmark(
            rounds: rounds, folder: arguments[2], hasPeers: arguments.count == 2)
        try benchmark.measureKeepers()
        try ChangeMeasurement(rounds: rounds, folder: arguments[2]).run()
    }

    private init(rounds: Int, folder: String, hasPeers: Bool) {
        self.rounds = rounds
        self.folder = folder
        self.hasPeers = hasPeers
    }

    private mutating func measureKeepers() throws {
        let shape = Shape.nested
        let reprise = RepriseKeeper(shape, folder: folder)
        // With a tenth of the objects, so that a run does not take many minutes.
        let keyed = KeyedKeeper(shape.tenth, folder: folder)
        let json = JSONKeeper(shape, folder: folder)
        let sqlite = SQLiteKeeper(shape, folder: folder)
        // The first round warms up.
        for round in 0...rounds {
            try measure(reprise, changes: 1000)
            try measureBareFile(among: reprise.count)
            if hasPeers {
                try measure(keyed, changes: 1)
                try measure(json, changes: 1)
                try measure(sqlite, changes: 1000)
            }
            if round == 0 { figures = [:] }
        }
        report([reprise.name, keyed.name, json.name, sqlite.name], shape, keyed.count)
    }

    private mutating func measure(_ keeper: some Keeper, changes: Int) throws {
        let name = keeper.name
        try keeper.begin()
        let start = try writtenBytes()
        try measure(.full, name, among: keeper.count) { try keeper.saveAll() }
        let before = try writtenBytes()
        fullBytes[name] = before - start
        try keeper.expectChanges(durably: false)
        for _ in 0..<changes {
            try measure(.change, name) { try keeper.saveChange() }
        }
        changeBytes[name] = (try writtenBytes() - before) / changes
        try keeper.expectChanges(durably: true)
        for _ in 0..<min(changes, Self.durableChanges) {
            try measure(.durable, name) { try keeper.saveChange() }
        }
        try keeper.end()
        let restored = try measure(.restore, name, among: keeper.count) {
            try keeper.restore()
        }
        guard keeper.countEqual(restored) == keeper.count else {
            throw Failure("\(name): \(Step.restore.rawValue)")
        }
    }

    private mutating func measure<Made>(
        _ step: Step, _ name: String, among count: Int = 1, _ work: () throws -> Made
    ) rethrows -> Made {
        try figures[step, default: Figures()].measure(name, among: count, work)
    }

    private static let durableChanges = 100
    private static let bareFile = "bare file"

    private mutating func measureBareFile(among count: Int) throws {
        let whole = BareFile.bytes(fullBytes["Reprise"] ?? 1 << 20)
        try BareFile.remove(in: folder)
        try measure(.full, Self.bareFile, among: count) { [folder] in
            try BareFile(folder: folder, whole).appendDurably()
        }
        let read = try measure(.restore, Self.bareFile, among: count) { [folder] in
            try BareFile.read(in: folder)
        }
        guard read == whole else { throw Failure(Self.bareFile) }
        let file = try BareFile(folder: folder, BareFile.bytes(changeBytes["Reprise"] ?? 64))
        for _ in 0..<Self.durableChanges {
            try measure(.change, Self.bareFile) { try file.append() }
        }
        for _ in 0..<Self.durableChanges {
            try measure(.durable, Self.bareFile) { try file.appendDurably() }
        }
    }

    private func report(_ names: [String], _ shape: Shape, _ keyedCount: Int) {
        print(
            "\(shape.name): \(shape.count) objects, \(keyedCount) for NSKeyedArchiver; "
                + "median, minimum")
        for step in Step.allCases {
            print("\n\(step.rawValue)")
            let all = names + [Self.bareFile]
            for name in all {
                figures[step]?.report(name, peers: name == names[0] ? Array(all.dropFirst()) : [])
            }
        }
        print("\none change; bytes handed to write(2)")
        for name in names {
            guard let count = changeBytes[name] else { continue }
            let bytes = String(format: "%13d", count)
            print(name.padding(toLength: 44, withPad: " ", startingAt: 0) + bytes)
        }
        print("")
    }

    /// What is measured of each keeper.
    private enum Step: String, CaseIterable {
        case full = "full pass to disk, durable; µs an object"
        case restore = "restore from disk, and making the objects; µs an object"
        case change = "one change, written; µs"
        case durable = "one change, durable; µs"
    }
}

/// Something that was measured did not do what it should.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ step: String) {
        description = "\(step): not everything was saved or restored as it should be"
    }
}
