import Preservation
import StateRestoration

extension PreservationSettings {
    /// What a configuration says of saving and launching.
    init(_ configuration: Configuration) {
        self.init(
            interval: configuration.preservation.interval,
            launchTimeout: configuration.launch.timeout,
            crashLimit: configuration.launch.crashLimit,
            limits: ValueLimits(
                warning: configuration.limits.stateWarning, maximum: configuration.limits.state))
        history = HistorySettings(
            count: configuration.history.count, bytes: configuration.history.bytes,
            interval: configuration.history.interval)
        quarantine = QuarantineSettings(
            count: configuration.quarantine.count, bytes: configuration.quarantine.bytes)
        durability = configuration.preservation.durability == .commit ? .commit : .written
    }
}
