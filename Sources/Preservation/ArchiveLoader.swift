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
        case .loaded(let contents, let torn):
            if let torn {
                log.tell(
                    .warning, .quarantined,
                    "the saved state ended in \(torn.byteCount) bytes that were never complete, "
                        + "at offset \(torn.offset): \(torn.reason); they were cut")
            }
            return Loaded(reason: contents.closed ? .restore : .recover)
        case .damaged(let damage):
            let outcome =
                damage.salvaged == nil ? "the launch is pristine" : "an older state is used"
            let sentence =
                "the saved state is damaged at offset \(damage.offset): \(damage.reason); "
                + "it is kept as \(damage.quarantinedAs), and \(outcome)"
            log.tell(.error, .quarantined, sentence, reason: damage.reason)
            return Loaded(reason: .recover, damage: sentence)
        }
    }
}
