import Logging
import SavedState
import StateRestoration

/// Reason for which the saved state is kept as a generation.
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

    /// The reason for which a launch keeps what it was given; nil if it does not.
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
        case .replacement: "another program replaced the archive"
        case .rollBack(let generation): "the application went back to \(generation)"
        case .reset: "the application was reset"
        case .reload: "the storyboards changed"
        }
    }
}

/// Decides when what is saved becomes a generation, makes it, and lets the oldest go for it.
///
/// There are three moments: before something takes the place of what is saved (``keep(because:)``),
/// after a launch that did not make all of what it was given, before its first write
/// (``require(_:)``), and at a stop or an interval, if anything changed
/// (``keepChanges(because:)``). None is made of what the newest generation holds already.
struct SnapshotPolicy {
    let archive: ApplicationArchive
    let log: ApplicationLog
    /// How many generations are kept.
    private var history: HistorySettings
    /// How much is kept in quarantine.
    private var quarantine: QuarantineSettings

    init(_ archive: ApplicationArchive, log: ApplicationLog, settings: PreservationSettings) {
        self.archive = archive
        self.log = log
        history = settings.history
        quarantine = settings.quarantine
    }

    // MARK: When

    /// Keeps what is in memory before something takes its place, whatever became of the file. What
    /// scenes changed since the last pass is not part of it: make one before, a full one (P18).
    ///
    /// - Returns: where it is kept, durably, and whether that was made for it; nil if nothing is
    ///   saved.
    /// - Throws: why it could not be kept; what was to follow must not be done then.
    @discardableResult
    func keep(
        because reason: GenerationReason
    ) throws(SaveError) -> (path: String, isNew: Bool)? {
        if let path = unchangedGeneration { return (path, isNew: false) }
        guard let path = try archive.makeGeneration(because: "\(reason)") else { return nil }
        noteMade(path, "\(reason)")
        return (path, isNew: true)
    }

    /// What was kept for something that was not done after all goes, unless it was there before.
    func withdraw(_ kept: (path: String, isNew: Bool)?) {
        if let kept, kept.isNew { archive.removeGeneration(at: kept.path) }
    }

    /// What is saved has to be kept before anything is written, because of what a scene's launch
    /// made of it (R16, L6).
    func require(_ reason: GenerationReason) throws(SaveError) {
        guard !archive.isGenerationRequired, unchangedGeneration == nil else { return }
        try archive.requireGeneration(because: "\(reason)")
    }

    /// Makes the generation that is required, if one is.
    ///
    /// - Returns: why it could not be made, a clause; nothing may be written then.
    func makeRequired() -> String? {
        guard archive.isGenerationRequired else { return nil }
        let required = archive.requiredGenerationReason
        do throws(SaveError) {
            if let path = try archive.makeRequiredGeneration() { noteMade(path, required) }
            return nil
        } catch {
            return "what was saved before has to be kept in the history, because \(required); "
                + "nothing is written before that works: \(error)"
        }
    }

    /// Keeps what is in memory, unless the newest generation holds it. If it cannot be kept that is
    /// told, and saving goes on.
    func keepChanges(because reason: GenerationReason) {
        do throws(SaveError) {
            try keep(because: reason)
        } catch {
            log.tellProblem(
                .error, .generationFailed,
                "what is saved could not be kept in the history: \(error)", reason: "\(error)")
        }
    }

    /// Keeps what is saved and takes it away: a forced quit (L1).
    ///
    /// - Throws: why it could not be kept. Nothing was taken away then.
    func removeState() throws(SaveError) {
        let reason = "\(GenerationReason.forcedQuit)"
        do throws(SaveError) {
            if let path = try archive.remove(because: reason) { noteMade(path, reason) }
        } catch {
            log.tellProblem(
                .error, .generationFailed, "what is saved could not be kept: \(error)",
                reason: "\(error)")
            throw error
        }
    }

    // MARK: Bounds

    /// Takes other bounds: the oldest generations that are too many go at once.
    mutating func apply(_ new: PreservationSettings) {
        let before = history
        (history, quarantine) = (new.history, new.quarantine)
        if history.count != before.count || history.bytes != before.bytes { prune() }
    }

    /// Lets the oldest generations go that are too many.
    func prune() {
        tell(
            archive.pruneGenerations(count: history.count, bytes: history.bytes),
            .generationsRemoved, of: "history")
    }

    /// Lets the oldest files in quarantine go that are too many.
    ///
    /// - Parameter names: those that a scene may still get back.
    func pruneQuarantine(keeping names: Set<String>) {
        tell(
            archive.pruneQuarantine(
                count: quarantine.count, bytes: quarantine.bytes, keeping: names),
            .quarantineRemoved, of: "quarantine")
    }

    private func tell(_ pruned: PrunedFiles, _ event: LogEvent, of folder: String) {
        if !pruned.removed.isEmpty {
            let names = pruned.removed.joined(separator: ", ")
            log.tell(.info, event, "removed from the \(folder): \(names)")
        }
        if let failure = pruned.failure {
            log.tellProblem(
                .warning, event, "the \(folder) could not be kept within its bounds: \(failure)",
                reason: "\(failure)")
        }
    }

    private func noteMade(_ path: String, _ reason: String) {
        log.tell(
            .notice, .generationMade, "what was saved is kept as \(path), because \(reason)",
            generation: path, reason: reason)
        prune()
    }

    // MARK: What the newest generation holds

    /// The path of the newest generation, if it holds just what is in memory: only the times of
    /// passes and the numbers of records may differ. Nil as well if that cannot be found out.
    private var unchangedGeneration: String? {
        guard !archive.isGenerationRequired else { return nil }
        if let path = archive.unchangedGeneration() { return path }
        guard let contents = archive.contents, !contents.objects.isEmpty else { return nil }
        do {
            guard let newest = try archive.generations().last else { return nil }
            let kept = try archive.contents(ofGeneration: newest.name)
            guard kept.shortfall == nil else { return nil }
            let differences = StateComparison.differences(
                from: kept.contents.comparisonSide, to: contents.comparisonSide, limit: 1)
            return differences.isEmpty ? newest.path : nil
        } catch {
            return nil
        }
    }
}
