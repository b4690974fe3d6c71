import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of random passes. The check of a pass must find every error that a check of all objects would find.
@Suite struct RandomPassTests {
    @Test(arguments: 0..<40)
    func `a pass is accepted only if the resulting objects form a forest`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var store = ObjectStore()
        var parents: [UInt32: UInt32] = [:]
        var accepted = 0
        for round in 0..<200 {
            var pass: [ArchiveEntry] = []
            var recorded: Set<UInt32> = []
            var after = parents
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let number = UInt32.random(in: 1...12, using: &numbers)
                let header = ObjectHeader(
                    number: number, parent: UInt32.random(in: 0...12, using: &numbers), kind: 1,
                    identifier: "x")
                let isPlaced = after[number] != nil && Bool.random(using: &numbers)
                if isPlaced || !recorded.insert(number).inserted {
                    pass.append(ArchiveEntry(.placement(header)))
                } else {
                    pass.append(ArchiveEntry(.object(ObjectRecord(header: header, values: []))))
                }
                after[number] = header.parent
            }
            let stamp = PassEnd(scene: 0, timestamp: 0)
            let isAccepted: Bool
            do {
                try store.check(RecordList(pass), stamp)
                isAccepted = true
            } catch {
                isAccepted = false
            }
            #expect(isAccepted == isForest(after), "round \(round): \(pass)")
            guard isAccepted else { continue }
            accepted += 1
            store.merge(RecordList(pass), stamp)
            parents = after
            #expect(
                Set(
                    store.sceneNumbers.flatMap { store.records(below: $0).objects }.map(
                        \.header.number)
                ) == Set(parents.keys))
            // Exactly the current records count as live.
            let byteCount = store.sceneNumbers.reduce(0) {
                $0 + store.records(below: $1).payloadByteCount
            }
            #expect(store.segments.liveByteCount == byteCount)
        }
        #expect(accepted > 10)
        #expect(accepted < 200)
    }

    private func isForest(_ parents: [UInt32: UInt32]) -> Bool {
        for start in parents.keys {
            var number = start
            for _ in 0...parents.count {
                if number == 0 { break }
                guard let parent = parents[number] else { return false }
                number = parent
            }
            if number != 0 { return false }
        }
        return true
    }
}
