import PositionedYAML
import Preservation
import StateRestoration
import Testing

@testable import Reprise

@Suite struct PreservationSettingsTests {
    @Test func `P9, R13: interval, launch timeout and limits come from the configuration`() {
        var configuration = Configuration(applications: [])
        configuration.preservation.interval = .seconds(7)
        configuration.launch.timeout = .seconds(9)
        configuration.limits.warningBytes = 2048
        configuration.limits.maximumBytes = 4096
        let settings = PreservationSettings(configuration)
        #expect(settings.interval == .seconds(7))
        #expect(settings.launchTimeout == .seconds(9))
        #expect(settings.limits == ValueLimits(warningBytes: 2048, maximumBytes: 4096))
    }

    @Test func `the limits of the history come from the configuration`() {
        var configuration = Configuration(applications: [])
        configuration.history.count = 3
        configuration.history.bytes = 1 << 20
        configuration.history.interval = .seconds(11)
        let history = PreservationSettings(configuration).history
        #expect(history == HistorySettings(count: 3, bytes: 1 << 20, interval: .seconds(11)))
    }

    @Test func `the limits of the quarantine come from the configuration`() {
        var configuration = Configuration(applications: [])
        configuration.quarantine.count = 3
        configuration.quarantine.bytes = 1 << 20
        let quarantine = PreservationSettings(configuration).quarantine
        #expect(quarantine == QuarantineSettings(count: 3, bytes: 1 << 20))
    }

    @Test func `without configured values, the library's defaults apply`() {
        let settings = PreservationSettings(Configuration(applications: []))
        #expect(settings.limits == ValueLimits())
        #expect(settings.history == HistorySettings())
        #expect(settings.quarantine == QuarantineSettings())
        #expect(settings.launchTimeout == PreservationSettings().launchTimeout)
    }
}
