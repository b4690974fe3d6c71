import Logging
import SavedState
import StateRestoration

/// Loads an application's archive for a launch, and tells what was wrong with it.
struct ArchiveLoader {
    let archive: ApplicationArchive
    let log: ApplicationLog

    /// - Returns: why saved scenes are launched (R2).
    /// - Throws: why the archive cannot be loaded (L5).
    func load() throws(LoadError) -> LaunchReason {
        // Then the file lacks what an earlier quit could not save.
        if archive.hasPending { return .restore }
        switch try archive.load() {
        case .none:
            return .pristine
        case .loaded(let isClosed, let torn):
            guard let torn else { return isClosed ? .restore : .recover }
            let sentence =
                "\(archive.path) ends in \(torn.byteCount) bytes that were never complete, from byte "
                + "\(torn.offset) on: \(torn.reason); they are left out, and a copy of the file goes "
                + "to quarantine. A write that a power cut or a kill ended leaves such an end, and "
                + "nobody was told that it is saved; if something else cut the file, what it took "
                + "is missing, and `reprisectl history` lists what was kept before"
            log.tellProblem(.warning, .quarantined, sentence, reason: torn.reason)
            return isClosed ? .restore : .recover
        case .damaged(let damage):
            let sentence =
                "\(archive.path) is damaged at byte \(damage.offset): \(damage.reason); it is kept as "
                + "\(damage.quarantinedAs), and \(Self.outcome(of: damage))"
            log.tellProblem(.error, .quarantined, sentence, reason: damage.reason)
            return .recover
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
