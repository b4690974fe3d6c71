import SimulatedDisk
import Testing

@testable import CrashStates

/// A small part of what the program `CrashStates` checks; `script/crash-test` runs all of it.
@Suite struct CrashStatesTests {
    @Test func `every crash leaves a state that was promised`() async {
        let tally = await CrashSuite.run(states: 1500)
        #expect(tally.count >= 1500)
        #expect(tally.violations.map(\.description) == [])
    }

    @Test func `every fault passes, and leaves what was saved`() async {
        let tally = await FaultSuite.run(faults: 150)
        #expect(tally.count >= 150)
        #expect(tally.violations.map(\.description) == [])
    }
}
