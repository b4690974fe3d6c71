extension Clock<Duration> {
    /// Starts a stopwatch, which is a function that returns the time since the start.
    package func stopwatch() -> () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
