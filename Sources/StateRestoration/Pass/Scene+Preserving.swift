extension Scene {
    /// Makes one preservation pass (P14), full or incremental as the marks ask for.
    ///
    /// - Parameters:
    ///   - stamp: the pass's reserved values (P4).
    ///   - isFull: whether to look at every object, marked or not.
    /// - Returns: what is to be written; nil if the launch has not completed (P17), if nothing is
    ///   marked, or if the delegate does not want to save (P1).
    package func preserve(_ stamp: PassStamp, isFull: Bool = false) -> PassOutput? {
        guard isLaunched, isFull || needsPass else { return nil }
        return PreservationPass.run(on: self, stamp: stamp, isFull: isFull)
    }
}
