extension Clock<Duration> {
    /// Returns a stopwatch: a function that returns the time since this call.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
