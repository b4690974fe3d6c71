import NIOCore
import Preservation
import RepriseControl
import StateRestoration
import Varlink
import VarlinkServing

// Conversions from the types of applications to the types of the interface `org.reprise.Control`.

extension TellsSaved {
    /// Sets the durability level of a change.
    mutating func take(_ saved: Saved) {
        switch saved {
        case .replicated: self.saved = .replicated
        case .durable: self.saved = .durable
        case .written: self.saved = .written
        case .notSaved(let reason):
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
        launchedScenes = status.launchedSceneCount
        failedScenes = status.failedSceneCount
        savedScenes = status.savedSceneCount
        take(status.saved)
        unwanted = status.isUnwanted
        notDurableWrites = status.notDurableWrites
        notDurableSince = status.notDurableSince.map(timeOfDay)
        notDurableSeconds = status.notDurableTime.map { Int($0.components.seconds) }
        preservationInterval = status.interval / .seconds(1)
        notKept = status.notKept
        lastPass = status.lastPass.map(timeOfDay)
        lastError = status.lastError
        lastErrorTime = status.lastErrorTime.map(timeOfDay)
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
        // The report does not list every object that was not restored.
        unrestored = max(0, report.recorded - report.restored)
        firstUnrestored = report.unrestored.first.map(UnrestoredDescription.init)
    }
}

extension UnrestoredDescription {
    init(_ object: UnrestoredObject) {
        self.init()
        path = object.path
        reason = object.code.rawValue
        detail = object.detail
        remedy = object.remedy.isEmpty ? nil : object.remedy
    }
}

extension ReportCall.Reply {
    init(_ scene: RestorationIdentifier, _ report: RestorationReport) {
        self.init()
        self.scene = scene.text
        launchReason = report.reason.rawValue
        recorded = report.recorded
        restored = report.restored
        unrestored = report.unrestored.map(UnrestoredDescription.init)
        duplicates = report.duplicates.map(UnrestoredDescription.init)
        unclaimed = report.unclaimed
        expired = report.expired
        expiring = report.expiring
        gone = report.gone
        precedingDeath = report.precedingDeath
        unlisted = report.unlisted
        refused = report.isRefused
        displaced = report.displaced
        vanished = report.vanished
        timedOut = report.hasTimedOut
        superfluousCompletions = report.superfluousCompletions
    }
}

extension FoundDescription {
    init(_ object: FoundObject) {
        self.init()
        path = object.path
        `class` = object.classToken
        foundBy = RepriseControl.FindingStep(object.step)
        unreadKeys = object.unreadKeys
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
        unrestored = explanation.unrestored.map(UnrestoredDescription.init)
        expired = explanation.isExpired
        unclaimedLaunches = explanation.unclaimed?.launches
        guard let object = explanation.live else { return }
        live = true
        `class` = object.classToken
        preserved = object.omission == nil
        reason = object.omission?.description ?? explanation.unsaved
        if case .gap(let address) = object.omission { gap = address }
        restored = object.isRestored
        foundBy = object.found.map { RepriseControl.FindingStep($0.step) }
        unreadKeys = object.found?.unreadKeys ?? []
        switch object.state {
        case .values(let count, let bytes, let problems):
            values = count
            self.bytes = bytes
            self.problems = problems
        case .failed(let reason): encodeFailure = reason
        case nil: break
        }
    }
}

extension ControlError {
    /// Creates the error with the same name and fields as an application's error.
    ///
    /// The interface has other names for some of the errors.
    ///
    /// - Throws: `DecodingError` if the interface has no such error.
    init(_ error: ApplicationError) throws {
        switch error {
        case .notRunning(let name): self = .applicationNotRunning(application: name)
        case .ownedElsewhere(let name): self = .ownedElsewhere(application: name)
        case .alreadyRunning(let name): self = .applicationRunning(application: name)
        case .failed(let name, let reason):
            self = .applicationFailed(application: name, reason: reason)
        case .ending(let name):
            self = .applicationFailed(application: name, reason: "the daemon is stopping")
        case .noSuchObject(let name, _, _, _), .restoring(let name):
            self = .applicationFailed(application: name, reason: "\(error)")
        case .noSuchScene, .tooManyCommands, .sceneExists, .invalidSceneName, .sceneFailed,
            .sceneNotLaunched, .sceneNotSaved, .stateNotRemoved, .historyUnreadable,
            .noSuchGeneration, .generationUnreadable, .quarantineUnreadable, .notInQuarantine,
            .notBackedUp, .notDeleted, .notPutBack, .notRolledBack, .notReset, .notReloaded:
            self = try VarlinkError(name: "", encoding: error).parameters(as: Self.self)
        }
    }
}

extension ClientDescription {
    /// Creates the description of a client, as `Clients` returns it.
    init(_ client: ClientReport, now: NIODeadline) {
        self.init()
        processIdentifier = Int(client.peer.pid)
        user = Int(client.peer.uid)
        program = client.peer.program
        seconds = Int((now - client.accepted).nanoseconds / 1_000_000_000)
        calls = client.calls
        receivedBytes = client.receivedBytes
        sentBytes = client.sentBytes
        unreadBytes = client.unreadBytes
        following = client.following
        followed = client.followed
    }
}
