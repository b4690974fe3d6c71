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
            let reason: LaunchReason = isClosed ? .restore : .recover
            guard let torn else { return Loaded(reason: reason) }
            let sentence =
                "\(archive.path) ends in \(torn.byteCount) bytes that were never complete, from byte "
                + "\(torn.offset) on: \(torn.reason); they are left out, a copy of the file goes to "
                + "quarantine, and nothing that was durable is missing"
            log.tell(.warning, .quarantined, sentence, reason: torn.reason)
            return Loaded(reason: reason, damage: sentence)
        case .damaged(let damage):
            let sentence =
                "\(archive.path) is damaged at byte \(damage.offset): \(damage.reason); it is kept as "
                + "\(damage.quarantinedAs), and \(Self.outcome(of: damage))"
            log.tell(.error, .quarantined, sentence, reason: damage.reason)
            return Loaded(reason: .recover, damage: sentence)
        }
    }

    private static func outcome(of damage: Damage) -> String {
        let used =
            if let source = damage.source {
                "the newest state before it, \(source), is used"
            } else if damage.salvaged == nil {
                "as there is no older state the launch is pristine"
            } else {
                "the part before the damage is used"
            }
        return "\(used); \(damage.cause.remedy)"
    }
}
