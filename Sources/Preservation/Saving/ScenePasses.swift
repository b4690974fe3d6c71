import ExactText
import Logging
import SavedState
import StateRecords
import StateRestoration

/// Makes the passes of a turn over an application's scenes, and knows what they left out: what a
/// delegate does not want saved, and what could not be encoded.
final class ScenePasses {
    private let archive: ApplicationArchive
    private let log: ApplicationLog
    private let generations: GenerationPolicy
    /// See ``PreservationSettings/looksForForgottenMarksAtOnce``.
    var looksForForgottenMarksAtOnce = false
    /// Counts what passes saved since the last interval that saved something.
    var account = SavingAccount()
    /// The scenes that are not saved although nothing failed: their delegates do not want it (P1).
    private var unwilling: [RestorationIdentifier] = []
    /// What the last pass of each scene could not save, and found in the model.
    private var evidence: [RestorationIdentifier: TurnEvidence] = [:]
    /// Whether the model data changed in the last turn.
    private var isModelChanged = false
    /// What is not saved of each scene since an earlier pass.
    private var losses: [RestorationIdentifier: PassDiagnostic] = [:]
    /// Diagnostics of passes that were told since the launch.
    private var told: Set<ExactString> = []

    private static let mostTold = 1000

    init(archive: ApplicationArchive, log: ApplicationLog, generations: GenerationPolicy) {
        self.archive = archive
        self.log = log
        self.generations = generations
    }

    /// A launch begins: what was left out before is told anew.
    func begin() {
        unwilling = []
        evidence = [:]
        isModelChanged = false
        losses = [:]
        told = []
    }

    // MARK: Passes

    /// What the passes of a turn made.
    struct Made {
        var records = TurnRecords()
        /// When the last pass that recorded something was made; nil: none did.
        var time: Int64?
    }

    /// Makes a pass over each scene.
    ///
    /// - Parameters:
    ///   - closing: a scene that is looked at wholly, because it ends.
    ///   - isModelChanged: whether the model data changed in this turn.
    func make(
        over scenes: some Sequence<some ScenePreserving>, _ reason: TurnReason, closing: Scene?,
        isModelChanged: Bool, stamp: () -> PassStamp
    ) -> Made {
        var made = Made()
        var events: [ApplicationEvent] = []
        unwilling.removeAll()
        evidence.removeAll()
        self.isModelChanged = isModelChanged
        for preserving in scenes {
            let scene = preserving.scene
            let stamp = stamp()
            let scope =
                scene === closing
                ? .everything(snapshot: true)
                : scope(of: reason, isActedOn: preserving.isActedOn)
            if case .slice = scope, reason == .commands { scene.noteCodeRan() }
            guard let pass = preserving.preserve(stamp, scope) else {
                if scene.needsPass { unwilling.append(scene.name) }
                continue
            }
            if !pass.isEmpty {
                if log.isFollowed { events += self.events(of: pass, of: scene) }
                made.records.add(pass.records)
                account.add(pass)
                count(pass.records)
                made.time = stamp.microseconds
            }
            let hasRemovedDraft = scene.hasRemovedDraft
            scene.hasRemovedDraft = false
            if !pass.records.removals.isEmpty {
                if hasRemovedDraft {
                    keepVanished(pass, of: scene, .deletion)
                } else if scenes.contains(where: { $0.isActedOn && $0.scene !== scene }) {
                    keepVanished(pass, of: scene, preserving.isActedOn ? .anyScene : .otherScene)
                }
            }
            noteLosses(pass, of: scene)
            tell(pass, of: scene, reason)
        }
        log.follow(events)
        return made
    }

    private func scope(of reason: TurnReason, isActedOn: Bool) -> PassScope {
        let isLookWanted = reason == .commands && isActedOn && looksForForgottenMarksAtOnce
        return isLookWanted ? TurnReason.interval.scope : reason.scope
    }

    private func count(_ records: PassRecords) {
        log.metrics.notePass(
            objects: records.objectCount + records.placements.count + records.removals.count,
            bytes: records.objects.payloadByteCount)
    }

    /// What a pass changed, for those who follow the application.
    private func events(of pass: PassOutput, of scene: Scene) -> [ApplicationEvent] {
        ObjectChanges(
            pass.records, of: scene.name.text, in: archive, names: scene.records.names,
            hasReferences: scene.records.hasReferences
        ).told() + [ApplicationEvent(.pass, scene: scene.name.text)]
    }

    private func noteLosses(_ pass: PassOutput, of scene: Scene) {
        losses[scene.name] = scene.records.losses.values.first
        let losses = pass.diagnostics.filter(\.isLoss).map {
            (diagnostic: $0, isNew: !told.contains(ExactString("\(scene.name) \($0)")))
        }
        guard let loss = losses.first else { return }
        evidence[scene.name] = TurnEvidence(isModelChanged: isModelChanged, losses: losses)
        log.noteProblem("\(loss.diagnostic)")
    }

    /// What made controllers disappear without a command that left them.
    private enum VanishingCause {
        /// A command to another scene.
        case otherScene
        /// A command to another scene, or one to the scene itself.
        case anyScene
        /// A command to the scene deleted what a controller with unsaved changes showed.
        case deletion

        /// The cause as the predicate of a sentence about a controller.
        var predicate: String {
            switch self {
            case .otherScene: "disappeared because of a command to another scene"
            case .anyScene: "disappeared while another scene was operated as well"
            case .deletion: "held unsaved changes and disappeared with what was deleted"
            }
        }
    }

    /// Saves the state of controllers that disappeared, although no command left them, to the history, and reports it.
    private func keepVanished(_ pass: PassOutput, of scene: Scene, _ cause: VanishingCause) {
        let gone = pass.records.removals.compactMap {
            archive.path(of: $0, kind: RestorationKind.viewController.rawValue)
        }
        if gone.isEmpty { return }
        var remedy = "the state could not be added to the history"
        do throws(SaveError) {
            let reason: GenerationReason =
                switch cause {
                case .deletion: .draftDeleted(scene: scene.name)
                case .otherScene, .anyScene: .vanished(scene: scene.name)
                }
            if let kept = try generations.keep(because: reason) {
                remedy =
                    "the state is in the history as \(kept.path): `reprisectl inspect` shows "
                    + "it, and "
                    + archive.rollBackCommand(to: kept.path, scene: scene.name.text)
                    + " restores it"
                generations.prune()
            }
        } catch {
            // It was told.
        }
        for path in gone {
            let sentence = "\(path) \(cause.predicate); \(remedy)"
            log.tell(
                .notice, .vanished, sentence, scene: scene.name.text, path: path, reason: remedy)
            scene.report(vanished: "\(path): \(remedy)")
        }
    }

    /// Tells what a pass did, and what it could not do unless it was told before: what keeps an
    /// object from being saved is met again at each pass.
    private func tell(_ pass: PassOutput, of scene: Scene, _ reason: TurnReason) {
        for diagnostic in pass.diagnostics where told.count < Self.mostTold {
            guard told.insert(ExactString("\(scene.name) \(diagnostic)")).inserted else { continue }
            let event = diagnostic.event
            log.tell(
                .warning, event.event, "\(diagnostic)", scene: scene.name.text, path: event.path)
            if told.count == Self.mostTold {
                log.tell(
                    .warning, .notPreserved,
                    "\(told.count) problems were logged; further ones are not, until the next "
                        + "launch")
            }
        }
        let isRoutine = [.commands, .interval, .history].contains(reason)
        let level: Logger.Level = isRoutine ? .debug : .info
        log.tell(
            level, .passed,
            "preserved: \(pass.encodedCount) objects encoded, \(pass.records.objectCount) records "
                + "written, \(pass.records.removals.count) removed",
            scene: scene.name.text, reason: reason.rawValue)
    }

    // MARK: What they left out

    /// Reason for which something of the scenes is in no record, though nothing failed to be
    /// written; nil: everything is.
    var omission: String? {
        losses.values.first.map { "\($0)" } ?? unwilling.last.map(unwillingness)
    }

    /// Whether that is only what a delegate does not want saved.
    var isUnwanted: Bool { losses.isEmpty && !unwilling.isEmpty }

    /// Reason for which a command's change is not in a scene's records; nil: it is (P21).
    func omission(in scene: RestorationIdentifier, _ verdict: ChangeVerdict) -> String? {
        if isUnwilling(scene) { return unwillingness(scene) }
        return verdict(evidence[scene] ?? TurnEvidence(isModelChanged: isModelChanged))
    }

    /// Whether the scene's delegate does not want it saved.
    func isUnwilling(_ scene: RestorationIdentifier) -> Bool { unwilling.contains(scene) }

    /// What of a scene could not be saved, if something could not.
    func loss(of scene: RestorationIdentifier) -> String? {
        evidence[scene]?.losses.first.map { "\($0.diagnostic)" }
    }

    private func unwillingness(_ scene: RestorationIdentifier) -> String {
        "the application does not save the scene \(scene)"
    }
}

/// A scene that a saver makes passes over.
protocol ScenePreserving {
    /// The scene.
    var scene: Scene { get }
    /// Whether a command ran on it since the last pass.
    var isActedOn: Bool { get }

    /// Makes one pass over it; see ``StateRestoration/Scene/preserve(_:_:)``.
    func preserve(_ stamp: PassStamp, _ scope: PassScope) -> PassOutput?
}

extension Scene: ScenePreserving {
    var scene: Scene { self }
    var isActedOn: Bool { true }
}

extension PassDiagnostic {
    /// The event that it is in the journal, and the path of the object that it names there.
    fileprivate var event: (event: LogEvent, path: String?) {
        if case .notInvalidated(let path, _) = self { return (.notInvalidated, path.description) }
        return (.notPreserved, nil)
    }
}
