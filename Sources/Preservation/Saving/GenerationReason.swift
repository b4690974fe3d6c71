import ExactText
import StateRestoration

/// Reason why the saved state is added to the history.
enum GenerationReason: Equatable, CustomStringConvertible {
    /// The delegate refused a scene's saved state (L6).
    case stateRefused(scene: RestorationIdentifier, version: String)
    /// Some recorded objects in a scene could not be restored (R16).
    case incompletelyRestored(scene: RestorationIdentifier)
    /// Another version of the program saved a scene (L6).
    case savedByOtherVersion(String, scene: RestorationIdentifier)
    /// Another executable saved the scene, or the storyboards have changed, so some of the scene's state may be
    /// unusable.
    case savedByOtherProgram(scene: RestorationIdentifier)
    /// The application stopped in an orderly way.
    case applicationStopped
    /// The history interval has elapsed.
    case historyInterval
    /// A forced quit removes the saved state (L1).
    case forcedQuit
    /// A file from quarantine replaces the state.
    case putBack(path: String)
    /// Another program replaced the archive.
    case archiveReplaced
    /// The application is rolled back to an earlier generation.
    case rollBack(generation: String)
    /// The application is reset.
    case reset
    /// The application's storyboards have changed.
    case reload
    /// Another program removed the running application's archive (L4).
    case archiveRemoved
    /// Another host has continued from an earlier state.
    case supersededBy(String)
    /// A command that addressed another scene removed view controllers from a scene.
    case controllersVanished(scene: RestorationIdentifier)
    /// A command deleted an item while its view controller contained unsaved changes.
    case draftDeleted(scene: RestorationIdentifier)

    /// Creates the reason why a scene's launch requires a generation, or returns `nil` if no generation is required.
    init?(
        _ report: RestorationReport, of scene: RestorationIdentifier, savedBy version: String,
        launchedBy bundleVersion: String, isFromOtherProgram: Bool
    ) {
        if report.isRefused {
            self = .stateRefused(scene: scene, version: version)
        } else if report.hasUnassignedRecords || report.hasDecodingFailures {
            self = .incompletelyRestored(scene: scene)
        } else if version != bundleVersion {
            self = .savedByOtherVersion(version, scene: scene)
        } else if isFromOtherProgram {
            self = .savedByOtherProgram(scene: scene)
        } else {
            return nil
        }
    }

    /// Phrase that completes a sentence after "because".
    var description: String {
        switch self {
        case .stateRefused(let scene, let version):
            "in the scene \(scene) the application refused the state that version \(version) of "
                + "the program saved"
        case .incompletelyRestored(let scene):
            "not all objects of the scene \(scene) could be restored"
        case .savedByOtherVersion(let version, let scene):
            "the scene \(scene) was saved by version \(version) of the program"
        case .savedByOtherProgram(let scene):
            "the scene \(scene) was saved with another program file or other storyboards"
        case .applicationStopped: "the application was stopped"
        case .historyInterval: "the history interval elapsed"
        case .forcedQuit: "it was removed by a forced quit"
        case .putBack(let path): "\(path) was put back"
        case .archiveReplaced: "another program replaced the archive"
        case .rollBack(let generation): "the application was rolled back to \(generation)"
        case .reset: "the application was reset"
        case .reload: "the storyboards changed"
        case .archiveRemoved: "another program removed the archive"
        case .supersededBy(let host): "the host \(host) continued from an earlier state"
        case .controllersVanished(let scene):
            "a command to another scene removed controllers of the scene \(scene)"
        case .draftDeleted(let scene):
            "a deletion in the scene \(scene) removed unsaved changes"
        }
    }
}
