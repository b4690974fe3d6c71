import Logging
import SavedState

extension Application {
    /// The saved state was removed: all scenes are launched without any, and nothing is written before
    /// something changes (L4).
    func launchWithoutState(_ hosted: HostedScenes) {
        let reason = "its saved state was removed"
        answerUnsaved("\(reason), and the application reset")
        log.tell(.warning, .stateRemoved, "\(reason): it is launched without any", reason: reason)
        for scene in hosted.scenes { launches.note(.ended(scene: key(of: scene.name))) }
        launches.note(.forgotten(application: bundleIdentifier))
        hosted.endAll(isOrderly: true)
        archive.forget()
        saver.noteReset()
        // With the state directory gone nothing can be saved either.
        isLookNeeded = true
        beginLaunch()
    }
}
