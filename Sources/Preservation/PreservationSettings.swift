import Glibc

/// How an application's state is saved, and by which clocks.
public struct PreservationSettings: Sendable {
    /// How often what was not saved at once is saved (P14).
    public var interval: Duration
    /// Counts the interval.
    public var clock: any Clock<Duration>
    /// The time of day: microseconds since 1970-01-01 UTC. Only shown and recorded, never
    /// compared.
    public var now: @Sendable () -> Int64
    /// The operating system, as every coder answers it (P4).
    public var systemVersion: String

    /// Settings with the real clocks.
    ///
    /// - Parameter interval: how often what was not saved at once is saved; above zero.
    public init(interval: Duration = .seconds(5)) {
        self.init(
            interval: interval, clock: ContinuousClock(),
            now: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
            },
            systemVersion: SystemVersion.current())
    }

    /// Settings with these clocks.
    public init(
        interval: Duration, clock: any Clock<Duration>, now: @escaping @Sendable () -> Int64,
        systemVersion: String
    ) {
        self.interval = interval
        self.clock = clock
        self.now = now
        self.systemVersion = systemVersion
    }
}
