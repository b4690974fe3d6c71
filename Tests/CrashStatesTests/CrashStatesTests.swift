import Testing

@testable import CrashStates

/// A small part of what the program `CrashStates` checks; `script/crash-test` runs all of it.
@Suite struct CrashStatesTests {
    @Test func `every crash leaves a promised state`() async {
        let tally = await CrashSuite.run(states: 600)
        #expect(tally.count >= 600)
        #expect(tally.violations.map(\.description) == [])
    }

    @Test func `with encryption, every crash and every fault leaves a promised state`() async throws
    {
        let tallies = try await EncryptedDisk.$keys.withValue(EncryptedDisk.testKeys()) {
            [await CrashSuite.run(states: 200), await FaultSuite.run(faults: 60)]
        }
        #expect(tallies[0].count >= 200)
        #expect(tallies[1].count >= 60)
        #expect(tallies.flatMap(\.violations).map(\.description) == [])
    }

    @Test func `every fault leaves the saved state intact`() async {
        let tally = await FaultSuite.run(faults: 100)
        #expect(tally.count >= 100)
        #expect(tally.violations.map(\.description) == [])
    }
}
