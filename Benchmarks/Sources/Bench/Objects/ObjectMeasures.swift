import Encryption
import Foundation

/// Benchmarks for full passes, restores and single changes of 100,000 objects with five values
/// each.
///
/// Reprise and its peers are measured alternately in one run.
@LoopActor struct ObjectMeasures {
    let run: Run
    let results: Results

    private static let full = Measure(
        "full pass of 100,000 objects, written", .microsecondsPerObject)
    private static let durableFull = Measure(
        "full pass of 100,000 objects, durable", .microsecondsPerObject)
    private static let restore = Measure(
        "restore of 100,000 objects, including their creation", .microsecondsPerObject)
    private static let change = Measure("one change among 100,000 objects, written", .microseconds)
    private static let durableChange = Measure(
        "one change among 100,000 objects, durable", .microseconds)
    private static let changeBytes = Measure("data written for one change", .bytes)

    func measure() async throws {
        let shape = Shape.hundredThousand
        // Slow peers save fewer objects, so that a run does not take many minutes.
        let fewer = run.isQuick ? Shape.tenThousand : shape
        let ours = ReprisePersister(shape, directory: run.directory)
        let peers: [(String, any Persister)] = [
            (
                "NSKeyedArchiver",
                FilePersister.keyed(
                    run.isQuick ? .thousand : .tenThousand, directory: run.directory)
            ),
            ("PropertyListEncoder", FilePersister.propertyList(fewer, directory: run.directory)),
            ("JSONEncoder", FilePersister.json(fewer, directory: run.directory)),
            ("SQLite", SQLitePersister(fewer, directory: run.directory)),
            (
                "the same, encrypted",
                ReprisePersister(
                    shape, directory: run.directory + "/encrypted",
                    keys: EncryptionKeys(sealing: try EncryptionKey(Array(1...32))))
            ),
        ]
        // The first round is a warm-up.
        for round in 0...run.rounds {
            let target = round == 0 ? Results() : results
            let written = try await measure(ours, .ours, changes: 1000, target)
            try await measureLimits(written, among: ours.count, target)
            try await measureRedis(written.full, among: ours.count, target)
            for (name, persister) in peers {
                try await measure(
                    persister, .peer(name),
                    changes: persister is SQLitePersister || persister is ReprisePersister
                        ? 1000 : 1, target)
            }
        }
        try await measureCommand(ours)
        try await measureCompaction(ours)
        try await measureAmplification()
    }

    /// Measures the cost of a change, excluding the cost of an empty command.
    private func measureCommand(_ persister: ReprisePersister) async throws {
        let above = Measure("one change, excluding the cost of an empty command", .microseconds)
        try await persister.begin()
        try await persister.saveAll()
        for round in 0...run.rounds * 10 {
            let block = Results()
            for _ in 0..<100 {
                try await block.time(Self.change) { try await persister.saveChange() }
                try await block.time(above) { try await persister.changeNothing() }
            }
            guard round > 0, let change = block.figure(Self.change),
                let nothing = block.figure(above)
            else { continue }
            results.add(change - nothing, to: above)
        }
        try await persister.end()
    }

    /// Measures one way of saving the objects.
    ///
    /// - Returns: The number of bytes written for a full pass, and the number of bytes written for
    ///   one change.
    @discardableResult private func measure(
        _ persister: some Persister, _ subject: Subject, changes: Int, _ results: Results
    ) async throws -> (full: Int, change: Int) {
        try await persister.begin()
        try await persister.prepareSaves(durably: true)
        try await results.time(Self.durableFull, of: subject, among: persister.count) {
            try await persister.saveAll()
        }
        for _ in 0..<min(changes, 100) {
            try await results.time(Self.durableChange, of: subject) {
                try await persister.saveChange()
            }
        }
        try await persister.end()
        try await persister.begin()
        try await persister.prepareSaves(durably: false)
        let start = try writtenBytes()
        try await results.time(Self.full, of: subject, among: persister.count) {
            try await persister.saveAll()
        }
        let middle = try writtenBytes()
        for _ in 0..<changes {
            try await results.time(Self.change, of: subject) { try await persister.saveChange() }
        }
        let bytes = (try writtenBytes() - middle) / changes
        results.add(Double(bytes), to: Self.changeBytes, of: subject)
        try await persister.end()
        let begin = ContinuousClock.now
        let time = try await persister.restore() - begin
        results.add(time.microseconds / Double(persister.count), to: Self.restore, of: subject)
        // One object has been changed.
        guard try await persister.endAndCountRestored() >= persister.count - 1 else {
            throw Failure("some objects were not restored with the saved values: \(subject)")
        }
        return (middle - start, bytes)
    }

    /// Measures the time to copy, write and read the same number of bytes without any other work.
    private func measureLimits(
        _ written: (full: Int, change: Int), among count: Int, _ results: Results
    ) async throws {
        let path = run.directory + "/bare"
        let whole = [UInt8](repeating: 7, count: written.full)
        var copy = [UInt8](repeating: 0, count: written.full)
        for measure in [Self.full, Self.durableFull] {
            let file = try BareFile(path: path)
            try await results.time(measure, of: .limit, among: count) {
                try copy.withUnsafeMutableBytes { copy in
                    whole.withUnsafeBytes { copy.copyMemory(from: $0) }
                    try file.append(UnsafeRawBufferPointer(copy))
                }
                if measure == Self.durableFull { try file.synchronize() }
            }
        }
        try await results.time(Self.restore, of: .limit, among: count) {
            guard try BareFile.readAndAdd(path) > 0 else { throw Failure("\(path) is empty") }
        }
        let change = [UInt8](repeating: 7, count: written.change)
        for measure in [Self.change, Self.durableChange] {
            let file = try BareFile(path: path)
            for _ in 0..<100 {
                try await results.time(measure, of: .limit) {
                    try change.withUnsafeBytes(file.append)
                    if measure == Self.durableChange { try file.synchronize() }
                }
            }
        }
    }

    /// Measures the time that Redis takes to load an append-only file with the same number of
    /// bytes.
    private func measureRedis(_ bytes: Int, among count: Int, _ results: Results) async throws {
        let seconds = try RedisServer.secondsToLoad(bytes, in: run.directory)
        results.add(
            seconds * 1e6 / Double(count), to: Self.restore,
            of: .peer("Redis, append-only file of the same size"))
    }

    // MARK: Compaction

    /// Measures changes during compactions and changes between compactions.
    private func measureCompaction(_ persister: ReprisePersister) async throws {
        let during = Measure("one change during compaction", .microseconds)
        let alone = Subject.peer("without compaction")
        let enough = run.isQuick ? 1000 : 5000
        try await persister.begin()
        try await persister.saveAll()
        let copy = persister.archive + ".compacted"
        var count = 0
        for _ in 0..<200 where count < enough {
            // Append a record of every object to the file until a compaction starts.
            try await persister.changeAll()
            var isCompacting = access(copy, F_OK) == 0
            // A compaction finishes long before this number of changes has been made.
            for _ in 0..<1_000_000 where isCompacting {
                let start = ContinuousClock.now
                try await persister.saveChange()
                let time = (ContinuousClock.now - start).microseconds
                isCompacting = access(copy, F_OK) == 0
                guard isCompacting else { break }
                for measure in [during, during.p99] { results.add(time, to: measure) }
                count += 1
            }
            for _ in 0..<1000 {
                let start = ContinuousClock.now
                try await persister.saveChange()
                let time = (ContinuousClock.now - start).microseconds
                guard access(copy, F_OK) != 0 else { break }
                for measure in [during, during.p99] { results.add(time, to: measure, of: alone) }
            }
        }
        try await persister.end()
        guard count >= enough else { throw Failure("only \(count) changes met a compaction") }
    }

    /// Measures the write amplification.
    ///
    /// This is the number of bytes written for changes and compactions, divided by the number of
    /// bytes in the changes.
    private func measureAmplification() async throws {
        let amplification = Measure(
            "write amplification, 10,000 changes among 4,041 objects", .factor)
        let persister = ReprisePersister(Shape(widths: [40, 100]), directory: run.directory)
        try await persister.begin()
        try await persister.saveAll()
        let inode = try Self.inode(persister.archive)
        let start = try writtenBytes()
        try await persister.saveChange()
        let once = try writtenBytes() - start
        for _ in 1..<10_000 { try await persister.saveChange() }
        try await persister.end()
        results.add(Double(try writtenBytes() - start) / Double(once * 10_000), to: amplification)
        guard try Self.inode(persister.archive) != inode else {
            throw Failure("10,000 changes did not start a compaction")
        }
    }

    private static func inode(_ path: String) throws -> UInt {
        var status = stat()
        try check("stat \(path)", stat(path, &status))
        return UInt(status.st_ino)
    }
}
