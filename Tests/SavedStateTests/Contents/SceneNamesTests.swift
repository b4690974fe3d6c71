import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of finding scenes by name in a store.
@Suite struct SceneNamesTests {
    private let names = ["main", "second", "third", "fourth"]

    /// Returns a pass that adds, renames, moves or removes one of a few objects.
    private func pass(_ numbers: inout SeededNumbers) -> PassRecords {
        var turn = TurnRecords()
        let number = UInt32.random(in: 1...6, using: &numbers)
        let header = ObjectHeader(
            number: number,
            parent: Int.random(in: 0..<4, using: &numbers) == 0
                ? UInt32.random(in: 1...6, using: &numbers) : 0,
            kind: 1, identifier: names.randomElement(using: &numbers) ?? "")
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: turn.addRemoval(number)
        case 1: turn.addPlacement(header)
        default: turn.addObject(header, values: [])
        }
        turn.endPass(PassEnd(scene: number, timestamp: 1))
        return turn.passes[0]
    }

    @Test(arguments: 0..<20)
    func `S2: a scene is found by its name after any change`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        var store = ObjectStore()
        var mergedCount = 0
        for round in 0..<300 {
            let pass = pass(&numbers)
            guard (try? store.checkAndApply(pass)) != nil else { continue }
            mergedCount += 1
            for name in names {
                let expected = store.sceneNumbers.first { store.header(of: $0)?.identifier == name }
                #expect(store.sceneNumber(named: name) == expected, "\(name) in round \(round)")
            }
            let found = Set(store.sceneNumbers.map { store.header(of: $0)?.identifier })
            #expect(store.sceneCount == found.count, "round \(round)")
        }
        #expect(mergedCount > 50)
    }

    @Test func `a scene that replaces another scene of the same name is counted once`() throws {
        var store = ObjectStore()
        for number in UInt32(1)...2 {
            var turn = TurnRecords()
            turn.addObject(
                ObjectHeader(number: number, parent: 0, kind: 1, identifier: "main"), values: [])
            if number == 2 { turn.addRemoval(1) }
            turn.endPass(PassEnd(scene: number, timestamp: 1))
            _ = try store.checkAndApply(turn.passes[0])
            #expect(store.sceneCount == 1)
        }
    }

    @Test func `S2: a scene is found by its name among many scenes`() throws {
        var store = ObjectStore()
        for number in UInt32(1)...100 {
            var turn = TurnRecords()
            turn.addObject(
                ObjectHeader(number: number, parent: 0, kind: 1, identifier: "scene\(number)"),
                values: [])
            turn.endPass(PassEnd(scene: number, timestamp: 1))
            _ = try store.checkAndApply(turn.passes[0])
        }
        #expect(store.sceneNumber(named: "scene77") == 77)
        #expect(store.sceneNumber(named: "scene101") == nil)
    }
}
