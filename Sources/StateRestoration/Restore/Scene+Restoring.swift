extension Scene {
    /// Keeps the launch in restoration until ``completeStateRestoration()`` was called as often
    /// (R13): the scene is not saved and the program not ready before.
    public func extendStateRestoration() {
        restorationExtensions += 1
    }

    /// Ends what ``extendStateRestoration()`` began. A call too many is ignored and reported (R13).
    public func completeStateRestoration() {
        guard restorationExtensions > 0 else {
            superfluousCompletions += 1
            return
        }
        restorationExtensions -= 1
        if restorationExtensions == 0, awaitsCompletion { completeLaunch() }
    }

    /// Ends a launch that was extended and whose callbacks have all returned; also when the wait
    /// for it is over. Does nothing if the launch does not wait.
    package func completeLaunch() {
        guard awaitsCompletion else { return }
        awaitsCompletion = false
        isLaunched = true
        onLaunchCompleted?()
    }
}
