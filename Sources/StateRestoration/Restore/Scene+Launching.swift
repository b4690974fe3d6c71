extension Scene {
    /// Launches the scene, in the order of R1.
    ///
    /// - Parameters:
    ///   - saved: what the archive holds of the scene; nil: nothing.
    ///   - storyboards: the last way to find a view controller (R3).
    /// - Throws: what the delegate threw. The scene is not launched then, and is never saved (P17).
    package func launch(
        restoring saved: SavedScene?, storyboards: (any StoryboardFinding)? = nil
    ) throws {
        onStage?(.launchBegin)
        try delegate.application(self, willFinishLaunchingWith: launchReason)
        onStage?(.launchMade)
        if let saved {
            var run = RestorationRun(scene: self, saved: saved, storyboards: storyboards)
            report = run.run()
        }
        try delegate.application(self, didFinishLaunchingWith: launchReason)
        onStage?(.launchFinished)
        if restorationExtensions == 0 { isLaunched = true } else { awaitsCompletion = true }
    }
}
