import NIOCore
import Preservation
import RepriseControl
import StateRestoration
import Varlink
import VarlinkServing

// Conversions from the types of applications to the types of the `org.reprise.Control` interface.

extension SaveOutcome {
    /// Creates an outcome with the durability level of a change.
    init(_ durability: DurabilityLevel) {
        self.init()
        record(durability)
    }

    /// Sets the durability level of a change.
    mutating func record(_ durability: DurabilityLevel) {
        switch durability {
        case .replicated: self.saved = .replicated
        case .durable: self.saved = .durable
        case .written: self.saved = .written
        case .notSaved(let reason):
            self.saved = .no
            notSavedReason = reason
        }
    }
}

extension ReplacementReply {
    init(_ result: StateChangeResult) {
        self.init(result.saved)
        scenes = result.scenes
        generation = result.generation
    }
}

extension ApplicationDescription {
    init(_ status: ApplicationStatus) {
        let phase: ApplicationPhase
        var failure: String?
        switch status.phase {
        case .stopped: phase = .stopped
        case .launching: phase = .launching
        case .running: phase = .running
        case .failed(let reason): (phase, failure) = (.failed, reason)
        }
        self.init(
            bundleIdentifier: status.bundleIdentifier, bundleVersion: status.bundleVersion,
            phase: phase, failure: failure, scenes: status.scenes.map(SceneDescription.init),
            launchedScenes: status.launchedSceneCount, failedScenes: status.failedSceneCount,
            savedScenes: status.savedSceneCount, saved: .no, unwanted: status.isUnsavedByOptOut,
            notDurableWrites: status.notDurableWrites,
            notDurableSince: status.notDurableSince.map(rfc3339String),
            notDurableSeconds: status.notDurableDuration.map { Int($0.components.seconds) },
            preservationInterval: status.interval / .seconds(1), notKept: status.historyFailure,
            quarantinedSinceStart: 0, lastPass: status.lastPass.map(rfc3339String),
            lastError: status.lastError, lastErrorTime: status.lastErrorTime.map(rfc3339String))
        record(status.saved)
    }
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
        omission = status.omission
        guard let report = status.report else { return }
        superfluousCompletions = report.superfluousCompletions
        timedOut = report.hasTimedOut
        launchReason = report.reason.rawValue
        recorded = report.recorded
        restored = report.restored
        // The report may not list every object that was not restored.
        unrestored = max(0, report.recorded - report.restored)
        firstUnrestored = report.unrestored.first.map(UnrestoredDescription.init)
    }
}

extension UnrestoredDescription {
    init(_ object: UnrestoredObject) {
        self.init(
            path: object.path, reason: object.code.rawValue, detail: object.detail,
            remedy: object.remedy.isEmpty ? nil : object.remedy)
    }
}

extension ReportCall.Reply {
    init(_ scene: RestorationIdentifier, _ report: RestorationReport) {
        self.init(
            scene: scene.text, launchReason: report.reason.rawValue, recorded: report.recorded,
            restored: report.restored,
            unrestored: report.unrestored.map(UnrestoredDescription.init),
            duplicates: report.duplicates.map(UnrestoredDescription.init),
            unclaimed: report.unclaimed, expired: report.expired, expiring: report.expiring,
            gone: report.gone, precedingDeath: report.precedingDeath, unlisted: report.unlisted,
            refused: report.isRefused, displaced: report.displaced, vanished: report.vanished,
            timedOut: report.hasTimedOut, superfluousCompletions: report.superfluousCompletions,
            found: [])
    }
}

extension FoundDescription {
    init(_ object: FoundObject) {
        self.init(
            path: object.path, class: object.classToken,
            foundBy: RepriseControl.FindingStep(object.step), unreadKeys: object.unreadKeys)
    }
}

extension RepriseControl.FindingStep {
    init(_ step: StateRestoration.FindingStep) {
        self =
            switch step {
            case .restorationClass: .restorationClass
            case .delegate: .delegate
            case .existing: .existing
            case .storyboard: .storyboard
            }
    }
}

extension ExplainCall.Reply {
    init(_ explanation: Explanation) {
        self.init()
        path = explanation.address
        launchReason = explanation.launchReason.rawValue
        story = explanation.sentences
        recordedPath = explanation.path
        unrestored = explanation.unrestoredObject.map(UnrestoredDescription.init)
        expired = explanation.isSavedStateExpired
        unclaimedLaunches = explanation.unclaimedRecord?.failedLaunchCount
        guard let object = explanation.liveObject else { return }
        live = true
        `class` = object.classToken
        preserved = object.omission == nil
        reason = object.omission?.description ?? explanation.unsavedReason
        if case .ancestorWithoutIdentifier(let address) = object.omission {
            gap = address
        }
        restored = object.isRestored
        foundBy = object.foundObject.map { RepriseControl.FindingStep($0.step) }
        unreadKeys = object.foundObject?.unreadKeys ?? []
        switch object.state {
        case .values(let count, let bytes, let problems):
            (values, self.bytes, self.problems) = (count, bytes, problems)
        case .failed(let reason): encodeFailure = reason
        case nil: break
        }
    }
}

extension ControlError {
    /// Creates the interface's error for an application's error.
    init(_ error: ApplicationError) {
        self =
            switch error {
            case .notRunning(let name): .applicationNotRunning(application: name)
            case .ownedElsewhere(let name): .ownedElsewhere(application: name)
            case .alreadyRunning(let name): .applicationRunning(application: name)
            case .failed(let name, let reason):
                .applicationFailed(application: name, reason: reason)
            case .ending(let name):
                .applicationFailed(
                    application: name, reason: "it was quit permanently, or the daemon is stopping")
            case .noSuchObject(let name, _, _, _), .restoring(let name):
                .applicationFailed(application: name, reason: "\(error)")
            case .tooManyCommands(let name, _): .tooManyCommands(application: name)
            case .notReloaded(let name, let reason):
                .notReloaded(application: name, reason: reason)
            case .noSuchScene(let name, let scene, _):
                .noSuchScene(application: name, scene: scene)
            case .sceneExists(let name, let scene): .sceneExists(application: name, scene: scene)
            case .invalidSceneName(let name, let scene, let reason):
                .invalidSceneName(application: name, scene: scene, reason: reason)
            case .sceneFailed(let name, let scene, let reason):
                .sceneFailed(application: name, scene: scene, reason: reason)
            case .sceneNotLaunched(let name, let scene):
                .sceneNotLaunched(application: name, scene: scene)
            case .sceneNotSaved(let name, let scene, let reason):
                .sceneNotSaved(application: name, scene: scene, reason: reason)
            default: Self(ofSavedState: error)
            }
    }

    private init(ofSavedState error: ApplicationError) {
        self =
            switch error {
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
            case .notInQuarantine(let name, let entry):
                .notInQuarantine(application: name, name: entry)
            case .notBackedUp(let name, let reason):
                .notBackedUp(application: name, reason: reason)
            case .notDeleted(let name, let entry, let reason):
                .notDeleted(application: name, name: entry, reason: reason)
            case .notPutBack(let name, let entry, let cause, let reason):
                .notPutBack(
                    application: name, name: entry, cause: cause.rawValue, reason: reason)
            case .notRolledBack(let name, let generation, let cause, let reason):
                .notRolledBack(
                    application: name, generation: generation, cause: cause.rawValue,
                    reason: reason)
            case .notReset(let name, let cause, let reason):
                .notReset(application: name, cause: cause.rawValue, reason: reason)
            default: .internalError(message: "\(error)")
            }
    }
}

extension ClientDescription {
    /// Creates the entry for a client in the reply to `Clients`.
    init(_ client: ClientReport, now: NIODeadline) {
        self.init(
            processIdentifier: Int(client.peer.pid), user: Int(client.peer.uid),
            program: client.peer.programName,
            seconds: Int((now - client.acceptedTime).nanoseconds / 1_000_000_000),
            calls: client.callCount, receivedBytes: client.receivedByteCount,
            sentBytes: client.sentByteCount,
            unreadBytes: client.unreadByteCount, following: client.streamingMethod,
            followed: client.followedObject)
    }
}
