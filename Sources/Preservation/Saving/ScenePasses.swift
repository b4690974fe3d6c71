import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Receipt for a turn's passes. It determines the replies to the turn's commands (P21).
///
/// The receipt lists the scenes and values that the passes did not record.
struct TurnReceipt {
    /// Whether the model data has changed in the turn.
    fileprivate var isModelChanged = false
    /// Names of scenes that were not saved because their delegates do not opt in to saving (P1).
    fileprivate var optedOutSceneNames: [RestorationIdentifier] = []
    /// Values that the passes could not save, keyed by scene.
    fileprivate var losses: [RestorationIdentifier: [(diagnostic: PassDiagnostic, isNew: Bool)]] =
        [:]

    /// Returns the reason why a command's change is not recorded, or `nil` if the change is recorded.
    func omissionReason(in scene: RestorationIdentifier, _ check: PersistenceCheck) -> String? {
        optOutReason(of: scene)
            ?? check(PassOutcome(isModelChanged: isModelChanged, losses: losses[scene] ?? []))
    }

    /// Returns whether a scene is not saved because its delegate does not opt in to saving.
    func isOptedOut(_ scene: RestorationIdentifier) -> Bool { optedOutSceneNames.contains(scene) }

    /// Returns the reason why a scene is not saved, or `nil` if the scene's delegate opts in to saving.
    func optOutReason(of scene: RestorationIdentifier) -> String? {
        isOptedOut(scene) ? "the application does not save the scene \(scene)" : nil
    }

    /// Returns a description of a scene's first value that could not be saved, or `nil` if all of its values were
    /// saved.
    func lossDescription(of scene: RestorationIdentifier) -> String? {
        losses[scene]?.first.map { "\($0.diagnostic)" }
    }
}

/// Object that makes a turn's passes over an application's scenes and records which state the passes omit.
///
/// A pass omits scenes whose delegates do not opt in to saving, and values that could not be encoded.
final class ScenePasses {
    private let archive: ApplicationArchive
    private let log: ApplicationLog
    private let generations: GenerationWriter
    /// Whether missed invalidations are detected after each command (see
    /// ``PreservationSettings/detectsMissedInvalidations``).
    var detectsMissedInvalidations = false
    /// Summary of the passes made since the last logged summary.
    var summary = SavingSummary()
    /// Receipt for the last turn.
    private(set) var receipt = TurnReceipt()
    /// For each scene, the first value that this or an earlier pass could not save.
    private(set) var firstLosses: [RestorationIdentifier: PassDiagnostic] = [:]
    /// Diagnostics that have been logged since the launch.
    private var loggedDiagnostics: Set<ExactString> = []

    private static let maximumLoggedDiagnostics = 1000

    init(archive: ApplicationArchive, log: ApplicationLog, generations: GenerationWriter) {
        self.archive = archive
        self.log = log
        self.generations = generations
    }

    /// Prepares for a launch. Diagnostics that were logged before the launch are logged again if they recur.
    func prepareForLaunch() {
        receipt = TurnReceipt()
        firstLosses = [:]
        loggedDiagnostics = []
    }

    // MARK: Passes

    /// Records produced by a turn's passes, and the time of the last pass.
    struct Output {
        var records = TurnRecords()
        /// Time of the last pass with changes, or `nil` if no pass had changes.
        var lastPassTime: Int64?
    }

    /// Makes a pass over each of the given scenes.
    ///
    /// - Parameters:
    ///   - closingScene: The scene to encode completely because it is being closed, or `nil` if no scene is being
    ///     closed.
    ///   - isModelChanged: Whether the model data has changed in this turn.
    func makePasses(
        over scenes: some Sequence<some ScenePreserving>, _ reason: TurnReason,
        closing closingScene: Scene?, isModelChanged: Bool, passMetadata: () -> PassMetadata
    ) -> Output {
        var output = Output()
        var events: [ApplicationEvent] = []
        receipt = TurnReceipt(isModelChanged: isModelChanged)
        for candidate in scenes {
            let scene = candidate.scene
            let passMetadata = passMetadata()
            let scope =
                scene === closingScene
                ? .everything(snapshot: true)
                : scope(of: reason, hasPendingMutation: candidate.hasPendingMutation)
            if case .slice = scope, reason == .commands { scene.markNeedsFullScan() }
            guard let pass = candidate.preserve(passMetadata, scope) else {
                if scene.needsPass { receipt.optedOutSceneNames.append(scene.name) }
                continue
            }
            if !pass.isEmpty {
                if log.isFollowed { events += self.events(of: pass, of: scene) }
                output.records.add(pass.records)
                summary.add(pass)
                countPass(pass.records)
                output.lastPassTime = passMetadata.timestampMicroseconds
            }
            let hasRemovedUnsavedController = scene.hasRemovedUnsavedController
            scene.hasRemovedUnsavedController = false
            if !pass.records.removals.isEmpty {
                if hasRemovedUnsavedController {
                    snapshotRemovedObjects(pass, of: scene, .deletion)
                } else if scenes.contains(where: { $0.hasPendingMutation && $0.scene !== scene }) {
                    snapshotRemovedObjects(
                        pass, of: scene, candidate.hasPendingMutation ? .anyScene : .otherScene)
                }
            }
            recordLosses(pass, of: scene)
            logResult(pass, of: scene, reason)
        }
        log.notifyFollower(events)
        return output
    }

    private func scope(of reason: TurnReason, hasPendingMutation: Bool) -> PassScope {
        let needsScan = reason == .commands && hasPendingMutation && detectsMissedInvalidations
        return needsScan ? TurnReason.interval.scope : reason.scope
    }

    private func countPass(_ records: PassRecords) {
        log.metrics.countPass(
            objects: records.objectCount + records.placements.count + records.removals.count,
            bytes: records.objects.payloadByteCount)
    }

    /// Returns the events that describe a pass's changes to clients.
    private func events(of pass: PassOutput, of scene: Scene) -> [ApplicationEvent] {
        ObjectChanges(
            pass.records, of: scene.name.text, in: archive, names: scene.records.names,
            hasReferences: scene.records.hasReferences
        ).applicationEvents() + [ApplicationEvent(.pass, scene: scene.name.text)]
    }

    /// Records the values that a pass could not save.
    ///
    /// A loss is new if it has not been logged since the launch, or if the object had no losses before the pass.
    private func recordLosses(_ pass: PassOutput, of scene: Scene) {
        firstLosses[scene.name] = scene.records.losses.values.first
        let diagnostics = pass.diagnostics.filter(\.isLoss)
        if diagnostics.isEmpty { return }
        let losses = diagnostics.map { diagnostic in
            let path = diagnostic.incompletelySavedPath.map(ExactString.init)
            let isRepeated = path.map(pass.pathsOfRepeatedLosses.contains) ?? false
            let key = ExactString("\(scene.name) \(diagnostic)")
            return (diagnostic: diagnostic, isNew: !isRepeated || !loggedDiagnostics.contains(key))
        }
        receipt.losses[scene.name] = losses
        log.recordProblem("\(diagnostics[0])")
    }

    /// Reason why view controllers disappeared although no command dismissed them.
    private enum VanishingCause {
        /// A command that addressed another scene.
        case otherScene
        /// A command that addressed another scene or the scene itself.
        case anyScene
        /// A command that deleted an item while the view controller that showed the item had unsaved changes.
        case deletion

        /// Predicate of a sentence that explains what happened to a view controller.
        var predicate: String {
            switch self {
            case .otherScene: "disappeared because of a command to another scene"
            case .anyScene: "disappeared during commands to this scene and to another scene"
            case .deletion: "contained unsaved changes and disappeared because its item was deleted"
            }
        }
    }

    /// Adds the state to the history if view controllers disappeared without being dismissed, and logs each of them.
    private func snapshotRemovedObjects(
        _ pass: PassOutput, of scene: Scene, _ cause: VanishingCause
    ) {
        let removedPaths = pass.records.removals.compactMap {
            archive.path(of: $0, kind: RestorationKind.viewController.rawValue)
        }
        if removedPaths.isEmpty { return }
        var remedy = "the state could not be added to the history"
        do throws(SaveError) {
            let reason: GenerationReason =
                switch cause {
                case .deletion: .draftDeleted(scene: scene.name)
                case .otherScene, .anyScene: .controllersVanished(scene: scene.name)
                }
            if let generation = try generations.saveToHistory(because: reason) {
                remedy =
                    "the state is in the history as \(generation.path): "
                    + (archive.hasControlSocket ? "`reprisectl inspect` shows it, and " : "")
                    + archive.rollBackCommand(to: generation.path, scene: scene.name.text)
                    + " restores it"
                generations.pruneHistory()
            }
        } catch {
            // The failure has been logged.
        }
        for path in removedPaths {
            let sentence = "\(path) \(cause.predicate); \(remedy)"
            log.log(
                .notice, .controllersVanished, sentence, scene: scene.name.text, path: path,
                reason: remedy)
            scene.report(vanished: "\(path): \(remedy)")
        }
    }

    /// Logs the result of a pass, and each diagnostic that has not been logged yet.
    ///
    /// A diagnostic is logged only once, because a problem that prevents an object from being saved recurs in each
    /// pass.
    private func logResult(_ pass: PassOutput, of scene: Scene, _ reason: TurnReason) {
        for diagnostic in pass.diagnostics
        where loggedDiagnostics.count < Self.maximumLoggedDiagnostics {
            guard loggedDiagnostics.insert(ExactString("\(scene.name) \(diagnostic)")).inserted
            else { continue }
            let event = diagnostic.logEvent
            log.log(
                .warning, event.event, "\(diagnostic)", scene: scene.name.text, path: event.path)
            if loggedDiagnostics.count == Self.maximumLoggedDiagnostics {
                log.log(
                    .warning, .notPreserved,
                    "\(loggedDiagnostics.count) problems were logged; further problems are not logged until the next "
                        + "launch")
            }
        }
        let isRoutine = [.commands, .interval, .history].contains(reason)
        let level: Logger.Level = isRoutine ? .debug : .info
        log.log(
            level, .passFinished,
            "preserved: \(countPhrase(pass.encodedObjectCount, "object")) encoded, "
                + "\(countPhrase(pass.records.objectCount, "record")) written, "
                + "\(pass.records.removals.count) removed",
            scene: scene.name.text, reason: reason.rawValue)
    }

    // MARK: Omissions

    /// Reason why part of the scenes' state is not recorded although no write failed, or `nil` if all state is
    /// recorded.
    var omissionReason: String? {
        firstLosses.values.first.map { "\($0)" }
            ?? receipt.optedOutSceneNames.last.flatMap(receipt.optOutReason)
    }

    /// Whether the only omitted state belongs to scenes whose delegates do not opt in to saving.
    var isUnsavedByOptOut: Bool { firstLosses.isEmpty && !receipt.optedOutSceneNames.isEmpty }
}

/// Scene that can be saved in passes.
protocol ScenePreserving {
    /// The scene.
    var scene: Scene { get }
    /// Whether a command that may change the scene has run since the last pass.
    var hasPendingMutation: Bool { get }

    /// Makes a pass over the scene (see ``StateRestoration/Scene/preserve(_:_:)``).
    func preserve(_ passMetadata: PassMetadata, _ scope: PassScope) -> PassOutput?
}

extension Scene: ScenePreserving {
    var scene: Scene { self }
    var hasPendingMutation: Bool { true }
}

extension PassDiagnostic {
    /// Log event for the diagnostic, and the object's path if the event includes one.
    fileprivate var logEvent: (event: LogEvent, path: String?) {
        if case .notInvalidated(let path, _) = self { return (.notInvalidated, path.description) }
        return (.notPreserved, nil)
    }
}
