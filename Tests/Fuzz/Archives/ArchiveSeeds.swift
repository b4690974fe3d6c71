@testable import SavedState

/// Archives of several shapes, with every type of record in them.
enum ArchiveSeeds {
    /// All of them.
    static var all: [[UInt8]] {
        let turns = [first, second, third]
        return saved(turns)
            + [
                log(turns, published: 0, synced: 0), log(turns, published: 3),
                log([], published: 0),
            ]
            + [Array(log(turns, published: 0, synced: 0).dropLast(9))]
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

    private static var fourth: TurnRecords {
        var turn = TurnRecords()
        turn.addObject(header(6, below: 5, "child"), values: [8])
        turn.endPass(PassEnd(scene: 5, timestamp: 4_000_000))
        return turn
    }

    /// What an application's file is after each of these turns, when it is closed, and when it is
    /// opened again.
    private static func saved(_ turns: [TurnRecords]) -> [[UInt8]] {
        let disk = FuzzDisk()
        var seeds: [[UInt8]] = []
        func take() { seeds += disk.file(ArchiveFuzzer.path).map { [$0] } ?? [] }
        do {
            let archive = try StateDirectory(locked: disk.root, pid: 1)
                .archive(of: ArchiveFuzzer.application)
            _ = try archive.load()
            for turn in turns {
                _ = try archive.append(turn)
                take()
            }
            try archive.close()
            take()
            try archive.markOpened()
            take()
            _ = try archive.append(fourth)
            take()
        } catch {
            fatalError("a seed could not be made: \(error)")
        }
        return seeds
    }

    /// The turns one after the other in one file.
    private static func log(
        _ turns: [TurnRecords], published: UInt64, synced: UInt64? = nil
    ) -> [UInt8] {
        let header = ArchiveHeader(
            fileID: Array(1...16), publishedSequence: published,
            bundleIdentifier: ArchiveFuzzer.application)
        var encoder = ArchiveEncoder(header: header, after: 0)
        for record in turns.flatMap(\.records) { encoder.append(record, synced: synced) }
        return encoder.bytes
    }
}
