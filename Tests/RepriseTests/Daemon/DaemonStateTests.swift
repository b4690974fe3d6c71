import Testing

@testable import Reprise

@Suite struct DaemonStateTests {
    @Test func `only warnings that the previous configuration did not cause are new`() {
        let state = DaemonState(Configuration(applications: []))
        let warnings = ["a", "b", "c"].map {
            ConfigurationWarning(socket: $0, in: "/f", insteadOf: "/s")
        }
        #expect(state.updateWarnings(Array(warnings.prefix(2))) == Array(warnings.prefix(2)))
        #expect(state.updateWarnings(warnings) == [warnings[2]])
        #expect(state.updateWarnings(warnings) == [])
        #expect(state.updateWarnings([]) == [])
        #expect(state.updateWarnings([warnings[1]]) == [warnings[1]])
        #expect(state.values.warnings == [warnings[1]])
    }

    @Test func `an update reports whether it changed a value`() {
        let state = DaemonState(Configuration(applications: []))
        let changes = [true, true, false].map { isReloading in
            state.update { $0.isReloading = isReloading }
        }
        #expect(changes == [true, false, true])
    }
}
