import Preservation
import RepriseControl
import StateRestoration

// What became of the objects of a scene, as the interface `org.reprise.Control` says it.

extension UnrestoredDescription {
    init(_ object: UnrestoredObject) {
        self.init()
        path = object.path
        reason = object.code.rawValue
        detail = object.detail
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
        unlisted = report.unlisted
        refused = report.isRefused
        timedOut = report.hasTimedOut
        superfluousCompletions = report.superfluousCompletions
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
        reason = object.omission?.description
        if case .gap(let address) = object.omission { gap = address }
        restored = object.isRestored
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
