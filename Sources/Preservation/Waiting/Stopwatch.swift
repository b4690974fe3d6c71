extension Clock<Duration> {
    /// Begins to measure: what is returned tells how much time has passed since.
    package func stopwatch() -> () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
