import Testing

@testable import StateRestoration

@Suite struct CountedTraitTests {
    private let old = StateSketch(StateSketch.Object(path: "x"))
    private let new = StateSketch(StateSketch.Object(path: "x", class: "Other"))

    @Test(arguments: [StateComparison.CountedChanges.all, .history, .historyIgnoringInUse])
    func `P13: a changed class counts in every comparison`(
        counting: StateComparison.CountedChanges
    ) {
        #expect(
            old.differences(to: new, counting: counting).listedDifferences.map(\.change)
                == [.trait(.class, from: "Thing", to: "Other")])
    }

    @Test(arguments: [0, 1])
    func `differences are not empty, whether they are listed or only counted`(limit: Int) {
        let differences = old.differences(to: new, limit: limit)
        #expect(differences.listedDifferences.count == limit)
        #expect(differences.unlistedCount == 1 - limit)
        #expect(!differences.isEmpty)
        #expect(old.differences(to: old, limit: limit).isEmpty)
    }
}
