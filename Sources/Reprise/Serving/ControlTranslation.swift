import FoundationEssentials
import Preservation
import RepriseControl
import StateRestoration

// What the applications tell, as the interface `org.reprise.Control` says it.

extension TellsSaved {
    /// Tells how safe a change is.
    mutating func take(_ saved: Saved) {
        switch saved {
        case .durable: self.saved = .durable
        case .written: self.saved = .written
        case .no(let reason):
            self.saved = .no
            notSavedReason = reason
        }
    }
}

extension SavedReply {
    init(_ saved: Saved) {
        self.init()
        take(saved)
    }

    /// - Parameter reply: of a command that tells why what it changed is not preserved.
    init(_ reply: Reply<String?>) {
        self.init(reply.result.map(Saved.no) ?? reply.saved)
    }
}

extension ApplicationDescription {
    init(_ status: ApplicationStatus) {
        self.init()
        bundleIdentifier = status.bundleIdentifier
        bundleVersion = status.bundleVersion
        switch status.phase {
        case .stopped: phase = .stopped
        case .launching: phase = .launching
        case .running: phase = .running
        case .failed(let reason):
            phase = .failed
            failure = reason
        }
        scenes = status.scenes.map(SceneDescription.init)
        take(status.saved)
        notDurableWrites = status.notDurableWrites
        notDurableSince = status.notDurableSince.map(timeOfDay)
        lastPass = status.lastPass.map(timeOfDay)
        lastError = status.lastError
        lastErrorTime = status.lastErrorTime.map(timeOfDay)
    }
}

/// A time in microseconds since 1970-01-01 UTC, by RFC 3339.
func timeOfDay(_ microseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
        .formatted(Date.ISO8601FormatStyle())
}

extension SceneDescription {
    init(_ status: SceneStatus) {
        self.init()
        name = status.name.text
        switch status.phase {
        case .saved: phase = .saved
        case .restoring: phase = .restoring
        case .running: phase = .running
        case .failed(let reason):
            phase = .failed
            failure = reason
        }
        guard let report = status.report else { return }
        superfluousCompletions = report.superfluousCompletions
        timedOut = report.hasTimedOut
        launchReason = report.reason.rawValue
        recorded = report.recorded
        restored = report.restored
        // The report does not list all that were not restored.
        unrestored = max(0, report.recorded - report.restored)
    }
}

extension ControlError {
    init(_ error: ApplicationError) {
        self =
            switch error {
            case .notRunning(let name): .applicationNotRunning(application: name)
            case .failed(let name, let reason):
                .applicationFailed(application: name, reason: reason)
            case .noSuchScene(let name, let scene, _): .noSuchScene(application: name, scene: scene)
            case .tooManyCommands(let name, _): .tooManyCommands(application: name)
            case .alreadyRunning(let name): .applicationRunning(application: name)
            case .ending(let name):
                .applicationFailed(application: name, reason: "the daemon is ending")
            case .sceneExists(let name, let scene): .sceneExists(application: name, scene: scene)
            case .invalidSceneName(let name, let scene, let reason):
                .invalidSceneName(application: name, scene: scene, reason: reason)
            case .sceneFailed(let name, let scene, let reason):
                .sceneFailed(application: name, scene: scene, reason: reason)
            case .sceneNotLaunched(let name, let scene):
                .sceneNotLaunched(application: name, scene: scene)
            case .sceneNotSaved(let name, let scene, let reason):
                .sceneNotSaved(application: name, scene: scene, reason: reason)
            case .stateNotRemoved(let name, let reason):
                .stateNotRemoved(application: name, reason: reason)
            case .historyUnreadable(let name, let reason):
                .historyUnreadable(application: name, reason: reason)
            case .noSuchGeneration(let name, let generation, let generations):
                .noSuchGeneration(
                    application: name, generation: generation, generations: generations)
            case .generationUnreadable(let name, let generation, let reason):
                .generationUnreadable(application: name, generation: generation, reason: reason)
            case .quarantineUnreadable(let name, let reason):
                .quarantineUnreadable(application: name, reason: reason)
            case .notInQuarantine(let name, let file):
                .notInQuarantine(application: name, name: file)
            case .notPutBack(let name, let file, let cause, let reason):
                .notPutBack(application: name, name: file, cause: cause.rawValue, reason: reason)
            case .notRolledBack(let name, let generation, let cause, let reason):
                .notRolledBack(
                    application: name, generation: generation, cause: cause.rawValue,
                    reason: reason)
            case .notReset(let name, let cause, let reason):
                .notReset(application: name, cause: cause.rawValue, reason: reason)
            case .notReloaded(let name, let reason):
                .notReloaded(application: name, reason: reason)
            }
    }
}
