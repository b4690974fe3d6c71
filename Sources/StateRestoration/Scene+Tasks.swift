extension Scene {
    /// Makes the scene's root know its scene, before the first pass does: a launch whose restoration
    /// is extended may wait for what the root's tasks do (R13, S4).
    package func attachRoot() {
        delegate.restorationRoot?.restoration.records = records
    }
}
