import FoundationEssentials
import Preservation
import RepriseControl
import StateRestoration

// What the applications tell, as the interface `org.reprise.Control` says it.

extension SavedReply {
    /// - Parameter reply: of a command that tells why what it changed is not preserved.
    init(_ reply: Reply<String?>) {
        if let omission = reply.result {
            self.init(saved: .no, notSavedReason: omission)
        } else {
            self.init(reply.saved)
        }
    }

    init(_ saved: Saved) {
        switch saved {
        case .durable: self.init(saved: .durable)
        case .written: self.init(saved: .written)
        case .no(let reason): self.init(saved: .no, notSavedReason: reason)
        }
    }
}

extension ApplicationDescription {
    init(_ status: ApplicationStatus) {
        let saved = SavedReply(status.saved)
        var phase = Phase.stopped
        var failure: String?
        switch status.phase {
        case .stopped: break
        case .launching: phase = .launching
        case .running: phase = .running
        case .failed(let reason):
            phase = .failed
            failure = reason
        }
        self.init(
            bundleIdentifier: status.bundleIdentifier, bundleVersion: status.bundleVersion,
            phase: phase, failure: failure, scenes: status.scenes.map(SceneDescription.init),
            saved: saved.saved, notSavedReason: saved.notSavedReason,
            notDurableWrites: status.notDurableWrites,
            notDurableSince: status.notDurableSince.map(Self.timeOfDay),
            lastPass: status.lastPass.map(Self.timeOfDay), lastError: status.lastError,
            lastErrorTime: status.lastErrorTime.map(Self.timeOfDay))
    }

    static func timeOfDay(_ microseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
        return date.formatted(Date.ISO8601FormatStyle())
    }
}

extension QuarantinedDescription {
    init(_ entry: QuarantineEntry) {
        self.init(
            name: entry.name, path: entry.path, kind: FileSort(entry.kind),
            reason: entry.reason, time: entry.time.map(ApplicationDescription.timeOfDay),
            bytes: entry.byteCount)
    }
}

extension FileSort {
    fileprivate init(_ kind: QuarantineEntry.Kind) {
        switch kind {
        case .file: self = .file
        case .folder: self = .folder
        case .link: self = .link
        case .other: self = .other
        }
    }
}

extension PutBackReply {
    init(_ result: PutBackResult) {
        self.init(
            scenes: result.scenes, generation: result.generation, shortfall: result.shortfall,
            saved: SavedReply(result.saved))
    }
}

extension ReplacedReply {
    init(_ replaced: ReplacedState) {
        self.init(
            scenes: replaced.scenes, generation: replaced.generation,
            saved: SavedReply(replaced.saved))
    }
}

extension ControlError {
    init(_ error: ApplicationError) {
        switch error {
        case .notRunning(let application):
            self = .applicationNotRunning(application: application)
        case .failed(let application, let reason):
            self = .applicationFailed(application: application, reason: reason)
        case .noSuchScene(let application, let scene, _):
            self = .noSuchScene(application: application, scene: scene)
        case .tooManyCommands(let application, _):
            self = .tooManyCommands(application: application)
        case .alreadyRunning(let application):
            self = .applicationRunning(application: application)
        case .ending(let application):
            self = .applicationFailed(application: application, reason: "the daemon is ending")
        case .sceneExists(let application, let scene):
            self = .sceneExists(application: application, scene: scene)
        case .invalidSceneName(let application, let scene, let reason):
            self = .invalidSceneName(application: application, scene: scene, reason: reason)
        case .sceneFailed(let application, let scene, let reason):
            self = .sceneFailed(application: application, scene: scene, reason: reason)
        case .sceneNotLaunched(let application, let scene):
            self = .sceneNotLaunched(application: application, scene: scene)
        case .sceneNotSaved(let application, let scene, let reason):
            self = .sceneNotSaved(application: application, scene: scene, reason: reason)
        case .stateNotRemoved(let application, let reason):
            self = .stateNotRemoved(application: application, reason: reason)
        case .historyUnreadable(let application, let reason):
            self = .historyUnreadable(application: application, reason: reason)
        case .noSuchGeneration(let application, let generation, let generations):
            self = .noSuchGeneration(
                application: application, generation: generation, generations: generations)
        case .generationUnreadable(let application, let generation, let reason):
            self = .generationUnreadable(
                application: application, generation: generation, reason: reason)
        case .quarantineUnreadable(let application, let reason):
            self = .quarantineUnreadable(application: application, reason: reason)
        case .notInQuarantine(let application, let name):
            self = .notInQuarantine(application: application, name: name)
        case .notPutBack(let application, let name, let cause, let reason):
            self = .notPutBack(
                application: application, name: name, cause: cause.rawValue, reason: reason)
        case .notRolledBack(let application, let generation, let cause, let reason):
            self = .notRolledBack(
                application: application, generation: generation, cause: cause.rawValue,
                reason: reason)
        case .notReset(let application, let cause, let reason):
            self = .notReset(application: application, cause: cause.rawValue, reason: reason)
        case .notReloaded(let application, let reason):
            self = .notReloaded(application: application, reason: reason)
        }
    }
}
