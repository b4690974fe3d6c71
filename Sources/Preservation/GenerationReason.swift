import StateRestoration

/// Why what is saved is kept as a generation.
enum GenerationReason: Equatable, CustomStringConvertible {
    /// The delegate did not want the saved state (L6).
    case refused
    /// Recorded objects could not be placed (R16).
    case unplaced
    /// Another version of the program saved it (L6).
    case otherVersion(String)

    /// Why a launch keeps what it was given; nil if it does not.
    init?(_ report: RestorationReport, savedBy version: String, now bundleVersion: String) {
        if report.isRefused {
            self = .refused
        } else if report.isAnythingUnplaced {
            self = .unplaced
        } else if version != bundleVersion {
            self = .otherVersion(version)
        } else {
            return nil
        }
    }

    var description: String {
        switch self {
        case .refused: "the application refused it"
        case .unplaced: "not all of it could be restored"
        case .otherVersion(let version): "version \(version) of the program saved it"
        }
    }
}
