import StateRecords

@testable import SavedState

/// Archives of various shapes, which contain every type of record.
enum ArchiveSeeds {
    /// Contents of an application's file after each turn, after it is closed, after it is opened again, and after it is
    /// cut off.
    static var all: [[UInt8]] {
        let disk = FuzzDisk()
        var seeds: [[UInt8]] = []
        func addSeed() { seeds += disk.file(ArchiveFuzzer.path).map { [$0.bytes] } ?? [] }
        do {
            let archive = ApplicationArchive(
                bundleIdentifier: ArchiveFuzzer.application, below: disk.root)
            _ = try archive.load()
            for turn in [first, second, third] {
                _ = try archive.append(turn)
                addSeed()
            }
            if let job = archive.beginSync() { try archive.endSync(job, job.run()) }
            _ = try archive.append(fourth)
            addSeed()
            try archive.close()
            addSeed()
            try archive.markOpened()
            addSeed()
            _ = try archive.append(fifth)
            addSeed()
        } catch {
            fatalError("a seed could not be made: \(error)")
        }
        return seeds + seeds.suffix(2).map { $0.dropLast(9) }
    }

    private static func header(_ number: UInt32, below parent: UInt32, _ id: String) -> ObjectHeader
    {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: id, classToken: 1)
    }

    private static var first: TurnRecords {
        var turn = TurnRecords()
        turn.addName("Token", number: 1)
        turn.addName("text", number: 2)
        turn.addObject(header(1, below: 0, "main"), values: [])
        turn.addObject(header(2, below: 1, "nav"), values: [1, 2, 3])
        turn.addObject(header(3, below: 2, "wörld 🌍"), values: 0..<40)
        turn.addObject(header(4, below: 1, "side"), values: [9])
        turn.endPass(PassEnd(scene: 1, timestamp: 1_000_000))
        return turn
    }

    private static var second: TurnRecords {
        var turn = TurnRecords()
        turn.addObject(header(3, below: 2, "wörld 🌍"), values: [7, 7])
        turn.addRemoval(4)
        turn.endPass(PassEnd(scene: 1, timestamp: 2_000_000))
        turn.addObject(header(5, below: 0, "other"), values: [5])
        turn.addObject(header(6, below: 5, "child"), values: [6])
        turn.endPass(PassEnd(scene: 5, timestamp: 2_000_001))
        return turn
    }

    private static var third: TurnRecords {
        var turn = TurnRecords()
        turn.addPlacement(header(3, below: 1, "above"))
        turn.addPlacement(header(2, below: 3, "below"))
        turn.endPass(PassEnd(scene: 1, timestamp: 3_000_000))
        return turn
    }

    /// Changes part of the values, which is written as a patch, and an out-of-line value.
    private static var fourth: TurnRecords {
        var turn = TurnRecords()
        turn.addObject(record(Array(repeating: 7, count: 200), outOfLine: [1, 2]))
        turn.endPass(PassEnd(scene: 5, timestamp: 4_000_000))
        return turn
    }

    private static var fifth: TurnRecords {
        var turn = TurnRecords()
        var values = [UInt8](repeating: 7, count: 200)
        values[100] = 8
        turn.addObject(record(values, outOfLine: [1, 3]))
        turn.endPass(PassEnd(scene: 5, timestamp: 5_000_000))
        turn.endPass(PassEnd(scene: 1, timestamp: 5_000_001))
        return turn
    }

    private static func record(_ values: [UInt8], outOfLine: [UInt8]) -> ObjectRecord {
        ObjectRecord(
            header: header(6, below: 5, "child"), values: values[...],
            outOfLine: outOfLine.enumerated().map {
                OutOfLineValue(key: UInt32($0 + 1), bytes: Array(repeating: $1, count: 60)[...])
            })
    }
}
