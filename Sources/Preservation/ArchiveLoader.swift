import Logging
import SavedState
import StateRestoration

/// Loads an application's archive for a launch, and tells what was wrong with it.
struct ArchiveLoader {
    let archive: ApplicationArchive
    let log: ApplicationLog

    /// What a launch has to know besides the archive itself.
    struct Loaded {
        /// Why saved scenes are launched (R2).
        var reason: LaunchReason
        /// One sentence; nil if the archive is whole.
        var damage: String?
    }

    /// - Throws: why the archive cannot be loaded (L5).
    func load() throws -> Loaded {
        if archive.hasPending {
            // The file has not what an earlier quit could not save.
            return Loaded(reason: .restore)
        }
        switch try archive.load() {
        case .none:
            return Loaded(reason: .pristine)
        case .loaded(let isClosed, let torn):
            if let torn {
                log.tell(
                    .warning, .quarantined,
                    "\(archive.path) ends in \(torn.byteCount) bytes that were never complete, from "
                        + "byte \(torn.offset) on: \(torn.reason); a copy of it goes to quarantine "
                        + "before they are cut off")
            }
            return Loaded(reason: isClosed ? .restore : .recover)
        case .damaged(let damage):
            let sentence =
                "\(archive.path) is damaged at byte \(damage.offset): \(damage.reason); it is kept as "
                + "\(damage.quarantinedAs), and \(Self.outcome(of: damage))"
            log.tell(.error, .quarantined, sentence, reason: damage.reason)
            return Loaded(reason: .recover, damage: sentence)
        }
    }

    private static func outcome(of damage: Damage) -> String {
        if let source = damage.source { return "the newest state before it, \(source), is used" }
        return damage.salvaged == nil
            ? "as there is no older state the launch is pristine"
            : "the part before the damage is used"
    }
}
