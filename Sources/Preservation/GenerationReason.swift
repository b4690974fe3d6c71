import StateRestoration

/// Why what is saved is kept as a generation.
enum GenerationReason: Equatable, CustomStringConvertible {
    /// The delegate did not want the saved state of a scene (L6).
    case refused(scene: RestorationIdentifier)
    /// Recorded objects of a scene could not be placed (R16).
    case unplaced(scene: RestorationIdentifier)
    /// Another version of the program saved a scene (L6).
    case otherVersion(String, scene: RestorationIdentifier)
    /// The application ended in an orderly way.
    case stop
    /// The interval of the history has passed.
    case interval
    /// What was saved was taken away by a forced quit (L1).
    case forcedQuit
    /// Something was put back from quarantine in its place.
    case putBack(path: String)

    /// Why a launch keeps what it was given; nil if it does not.
    init?(
        _ report: RestorationReport, of scene: RestorationIdentifier, savedBy version: String,
        now bundleVersion: String
    ) {
        if report.isRefused {
            self = .refused(scene: scene)
        } else if report.isAnythingUnplaced {
            self = .unplaced(scene: scene)
        } else if version != bundleVersion {
            self = .otherVersion(version, scene: scene)
        } else {
            return nil
        }
    }

    /// A clause.
    var description: String {
        switch self {
        case .refused(let scene): "in the scene \(scene) the application refused it"
        case .unplaced(let scene): "in the scene \(scene) not all of it could be restored"
        case .otherVersion(let version, let scene):
            "in the scene \(scene) version \(version) of the program saved it"
        case .stop: "the application was stopped"
        case .interval: "the interval of the history passed"
        case .forcedQuit: "it was removed by a forced quit"
        case .putBack(let path): "\(path) was put back"
        }
    }
}
