import ExactText
import Logging
import SavedState
import StateRestoration

/// Decides when what is saved becomes a generation, makes it, and lets the oldest go for it.
///
/// There are three moments: before something takes the place of what is saved (``keep(because:)``),
/// after a launch that did not make all of what it was given, before its first write
/// (``require(_:)``), and at a stop or an interval, if anything changed
/// (``keepChanges(because:)``). None is made of what the newest generation holds already.
final class GenerationPolicy {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// Why the last generation could not be made, if it could not; a sentence.
    private(set) var failure: String?
    /// The newest generation that holds all but what launches themselves added since, and what tells
    /// whether nothing else was saved: the archive's write, or the digest of its state.
    private var addition: (generation: String, write: UInt64, digest: UInt64?)?
    /// What is a change to the history. Where scenes are closed that nobody uses, and launched again
    /// when somebody does, it is none whether they are in use.
    private var counting: StateComparison.Counting
    /// How many generations are kept.
    private var history: HistorySettings
    /// How much is kept in quarantine.
    private var quarantine: QuarantineSettings

    init(_ archive: ApplicationArchive, log: ApplicationLog, settings: PreservationSettings) {
        self.archive = archive
        self.log = log
        history = settings.history
        quarantine = settings.quarantine
        counting = Self.counting(settings)
    }

    private static func counting(_ settings: PreservationSettings) -> StateComparison.Counting {
        settings.idleTime == nil ? .history : .historyBesidesUse
    }

    // MARK: When

    /// Saves what a launch after an orderly stop added, as the records of views that were never
    /// loaded before. If the newest generation has all the rest, that is no change to be kept.
    func saveAddition(_ save: () -> Void) {
        let generation = newestGeneration(besides: \.isAddition)
        save()
        addition = generation.map { ($0, archive.writeNumber, archive.stateDigest()) }
    }

    /// Saves what a launch added after the others, while commands are taken.
    func saveFurtherAddition(_ save: () -> Void) {
        let generation = addition.flatMap { $0.write == archive.writeNumber ? $0.generation : nil }
        save()
        addition = generation.map { ($0, archive.writeNumber, nil) }
    }

    /// No launch adds anything any more.
    func noteLaunchesEnded() {
        guard let addition, addition.digest == nil, addition.write == archive.writeNumber else {
            return
        }
        self.addition?.digest = archive.stateDigest()
    }

    /// Where something is kept, and whether that was made for it.
    typealias Kept = (path: String, isNew: Bool)

    /// Keeps what is in memory before something takes its place, whatever became of the file. What
    /// scenes changed since the last pass is not part of it: make one before, a full one (P18).
    ///
    /// None goes for it yet, as what is to follow may not be done after all: see ``prune()``.
    ///
    /// - Returns: where it is kept, durably, and whether that was made for it; nil if nothing is
    ///   saved.
    /// - Throws: why it could not be kept; what was to follow must not be done then.
    @discardableResult
    func keep(
        because reason: GenerationReason
    ) throws(SaveError) -> Kept? {
        if let path = unchangedGeneration { return (path, isNew: false) }
        do throws(SaveError) {
            guard let path = try archive.makeGeneration(because: "\(reason)") else { return nil }
            noteMade(path, "\(reason)")
            return (path, isNew: true)
        } catch {
            noteFailure("\(error)")
            throw error
        }
    }

    /// What was kept for something that was not done after all goes, unless it was there before.
    func withdraw(_ kept: Kept?) {
        if let kept, kept.isNew { archive.removeGeneration(at: kept.path) }
    }

    /// What is saved has to be kept before anything is written, because of what a scene's launch
    /// made of it (R16, L6).
    func require(_ reason: GenerationReason) throws(SaveError) {
        guard !archive.isGenerationRequired, unchangedGeneration == nil else { return }
        try archive.requireGeneration(because: "\(reason)")
    }

    /// Makes the generation that is required, if one is. Saving does not wait for it: what the
    /// history does not take goes to quarantine, and stays in memory if that does not take it
    /// either, until a later attempt.
    ///
    /// - Returns: why nothing may be written; nil: it may.
    func makeRequired() -> String? {
        guard archive.isGenerationRequired else { return nil }
        do throws(SaveError) {
            try keepRequired()
            return nil
        } catch {
            return keepElsewhere(archive.requiredGenerationReason, "\(error)")
        }
    }

    private func keepRequired() throws(SaveError) {
        let reason = archive.requiredGenerationReason
        guard let path = try archive.makeRequiredGeneration() else { return }
        noteMade(path, reason)
        prune()
    }

    private func keepElsewhere(_ reason: String, _ failure: String) -> String? {
        noteFailure(failure)
        do throws(SaveError) {
            if let path = try archive.quarantineRequired(because: failure) {
                log.tellProblem(
                    .error, .quarantined,
                    "the previous state (\(reason)) is in quarantine as \(path), because it could "
                        + "not be added to the history: \(failure) "
                        + "\(archive.putBackCommand(of: path)) brings it back",
                    reason: reason)
            }
            return nil
        } catch {
            log.tellProblem(
                .error, .generationFailed,
                "the previous state (\(reason)) is only in memory until it can be added to the "
                    + "history: \(error)", reason: reason)
        }
        do throws(SaveError) {
            try archive.deferRequiredGeneration()
            return nil
        } catch {
            return "the previous state (\(reason)) must go to the history, and cannot be read: "
                + "\(error)"
        }
    }

    /// Tries again to keep what is in memory alone.
    func makeOverdue() {
        guard archive.isGenerationOverdue else { return }
        do throws(SaveError) { try keepRequired() } catch { noteFailure("\(error)") }
    }

    /// Keeps what is in memory, unless the newest generation holds it, or all of it but what a launch
    /// added. If it cannot be kept that is told, and saving goes on.
    func keepChanges(because reason: GenerationReason) {
        if let addition, addition.generation == archive.newestGeneration()?.path,
            addition.write == archive.writeNumber || addition.digest == archive.stateDigest()
        {
            return
        }
        do throws(SaveError) {
            try keep(because: reason)
            prune()
        } catch {
            // It was told, and is tried again.
        }
    }

    /// Keeps what is saved and takes it away: a forced quit (L1).
    ///
    /// - Throws: why it could not be kept. Nothing was taken away then.
    ///
    /// - Returns: Path of the generation with the state, or `nil` if there was none.
    func removeState() throws(SaveError) -> String? {
        let reason = "\(GenerationReason.forcedQuit)"
        do throws(SaveError) {
            let path = try archive.remove(because: reason)
            if let path { noteMade(path, reason) }
            prune()
            return path
        } catch {
            noteFailure("\(error)")
            throw error
        }
    }

    // MARK: Bounds

    /// Takes other bounds: the oldest generations that are too many go at once.
    func apply(_ new: PreservationSettings) {
        let before = history
        (history, quarantine) = (new.history, new.quarantine)
        counting = Self.counting(new)
        if history.count != before.count || history.bytes != before.bytes { prune() }
    }

    /// Lets the oldest generations go that are too many.
    func prune() {
        logPruned(
            archive.pruneGenerations(count: history.count, bytes: history.bytes),
            .generationsRemoved, failure: .generationsNotRemoved, of: "history")
    }

    /// Lets the oldest files in quarantine go that are too many.
    ///
    /// - Parameter names: those that a scene may still get back.
    func pruneQuarantine(keeping names: [String]) {
        logPruned(
            archive.pruneQuarantine(
                count: quarantine.count, bytes: quarantine.bytes, keeping: names),
            .quarantineRemoved, failure: .quarantineNotRemoved, of: "quarantine")
    }

    private func logPruned(
        _ pruned: PrunedFiles, _ removal: LogEvent, failure event: LogEvent, of folder: String
    ) {
        if !pruned.removed.isEmpty {
            let names = pruned.removed.joined(separator: ", ")
            log.tell(.info, removal, "removed from the \(folder): \(names)")
        }
        if let failure = pruned.failure {
            log.tellProblem(
                .warning, event, "old files could not be removed from the \(folder): \(failure)",
                reason: "\(failure)")
        }
    }

    /// No generation can be made, which is told once.
    private func noteFailure(_ reason: String) {
        let sentence = "the saved state could not be added to the history: \(reason)"
        if failure == nil { log.tell(.error, .generationFailed, sentence, reason: reason) }
        log.noteProblem(sentence)
        failure = reason
    }

    private func noteMade(_ path: String, _ reason: String) {
        if failure != nil {
            log.tell(.notice, .generationMade, "state can be added to the history again")
            failure = nil
        }
        log.tell(
            .notice, .generationMade,
            "the saved state is in the history as \(path), because \(reason)",
            generation: path, reason: reason)
    }

    // MARK: What the newest generation holds

    /// The path of the newest generation, if it holds just what is in memory: only the times of
    /// passes and the numbers of records may differ. Nil as well if that cannot be found out.
    private var unchangedGeneration: String? { newestGeneration() }

    /// The path of the newest generation, if what is in memory differs from it in nothing but what
    /// does not count.
    ///
    /// - Parameter isUncounted: whether a difference from it does not count; nil: all count.
    private func newestGeneration(
        besides isUncounted: ((StateDifference) -> Bool)? = nil
    ) -> String? {
        guard !archive.isGenerationRequired else { return nil }
        if let path = archive.unchangedGeneration() { return path }
        guard let contents = archive.contents, !contents.objects.isEmpty else { return nil }
        do {
            guard let newest = archive.newestGeneration() else { return nil }
            let kept = try archive.contents(ofGeneration: newest.name)
            guard kept.shortfall == nil else { return nil }
            let differences = StateComparison.differences(
                from: kept.contents.comparisonSide, to: contents.comparisonSide,
                limit: isUncounted == nil ? 1 : StateComparison.mostListed, counting: counting)
            let isHeld =
                differences.unlisted == 0
                && differences.listed.allSatisfy { isUncounted?($0) == true }
            return isHeld ? newest.path : nil
        } catch {
            return nil
        }
    }
}

extension StateDifference {
    /// Whether nothing of the first state is another in the second, or lacks there: an object or a
    /// value came.
    fileprivate var isAddition: Bool {
        switch change {
        case .appeared: path != nil
        case .value(_, from: nil, _), .trait(_, from: nil, _): true
        case .value, .trait, .disappeared, .unreadable: false
        }
    }
}
