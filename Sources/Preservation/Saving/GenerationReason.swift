import ExactText
import StateRestoration

/// Reason for which the saved state is kept as a generation.
enum GenerationReason: Equatable, CustomStringConvertible {
    /// The delegate did not want the saved state of a scene (L6).
    case refused(scene: RestorationIdentifier, version: String)
    /// Recorded objects of a scene could not be placed (R16).
    case unplaced(scene: RestorationIdentifier)
    /// Another version of the program saved a scene (L6).
    case otherVersion(String, scene: RestorationIdentifier)
    /// Another executable, or one with other storyboards, launched a scene before: this one may
    /// have no use for all that was saved.
    case otherProgram(scene: RestorationIdentifier)
    /// The application ended in an orderly way.
    case stop
    /// The interval of the history has passed.
    case interval
    /// A forced quit took the saved state away (L1).
    case forcedQuit
    /// Something was put back from quarantine in its place.
    case putBack(path: String)
    /// Another program replaced the archive.
    case replacement
    /// The application went back to an earlier generation.
    case rollBack(generation: String)
    /// The application was reset.
    case reset
    /// The application's storyboards changed.
    case reload
    /// Another program removed the archive of the running application (L4).
    case removal
    /// Another host has gone on from an earlier state.
    case passedBy(String)
    /// What another scene did took controllers of a scene away.
    case vanished(scene: RestorationIdentifier)
    /// A deletion removed a controller with unsaved changes.
    case draftDeleted(scene: RestorationIdentifier)

    /// The reason for which a launch keeps what it was given; nil if it does not.
    init?(
        _ report: RestorationReport, of scene: RestorationIdentifier, savedBy version: String,
        now bundleVersion: String, isOfOtherProgram: Bool
    ) {
        if report.isRefused {
            self = .refused(scene: scene, version: version)
        } else if report.isAnythingUnplaced || report.isAnythingUndecoded {
            self = .unplaced(scene: scene)
        } else if version != bundleVersion {
            self = .otherVersion(version, scene: scene)
        } else if isOfOtherProgram {
            self = .otherProgram(scene: scene)
        } else {
            return nil
        }
    }

    /// A clause.
    var description: String {
        switch self {
        case .refused(let scene, let version):
            "in the scene \(scene) the application refused the state that version \(version) of "
                + "the program saved"
        case .unplaced(let scene): "not all objects of the scene \(scene) could be restored"
        case .otherVersion(let version, let scene):
            "the scene \(scene) was saved by version \(version) of the program"
        case .otherProgram(let scene):
            "the scene \(scene) was saved with another program file or other storyboards"
        case .stop: "the application was stopped"
        case .interval: "the interval of the history passed"
        case .forcedQuit: "it was removed by a forced quit"
        case .putBack(let path): "\(path) was put back"
        case .replacement: "another program replaced the archive"
        case .rollBack(let generation): "the application went back to \(generation)"
        case .reset: "the application was reset"
        case .reload: "the storyboards changed"
        case .removal: "another program removed the archive"
        case .passedBy(let host): "the host \(host) continued from an earlier state"
        case .vanished(let scene):
            "a command to another scene removed controllers of the scene \(scene)"
        case .draftDeleted(let scene):
            "a deletion in the scene \(scene) removed unsaved changes"
        }
    }
}
