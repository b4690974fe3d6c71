import Logging
package import StateRestoration

/// Something that happened in an application, for those who follow it.
package struct ApplicationEvent: Sendable {
    /// What happened.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// A scene was launched: whatever was known of its objects is to be looked at anew.
        case launched
        /// A scene was restored, wholly or in part.
        case restored
        /// An object was not restored.
        case notRestored
        /// A scene was closed; what is saved of it stays.
        case closed
        /// The application ended.
        case ended
        /// The saved state was exchanged, or taken away: by a rollback, a reset, a put-back, a forced
        /// quit, other storyboards, or another program.
        case exchanged
        /// An object that was not saved before is.
        case appeared
        /// Saved values of an object, or of the scene itself, changed.
        case changed
        /// An object, with all below it, is saved no more.
        case disappeared
        /// So much of a scene changed at once that it is not told: its objects are to be looked at anew.
        case manyChanged
        /// A pass had something to save.
        case pass
        /// Everything is durable.
        case durable
        /// A generation was made, or generations were removed.
        case generation
        /// Another program changed the archive.
        case fileChanged
        /// Something went to quarantine, or was removed there.
        case quarantined
        /// What is intact of a damaged archive is used.
        case salvaged
        /// Something went wrong.
        case problem
        /// What went wrong with saving is over.
        case resumed
    }

    /// What became of a saved value.
    package enum ChangedValue: Sendable, Equatable {
        /// It is this now.
        case value(StoredValue)
        /// It is larger than ``ObjectChanges/largestValue``.
        case large(bytes: Int)
        /// There is none any more.
        case removed
    }

    /// What happened.
    package var kind: Kind
    /// The name of the scene that it is about.
    package var scene: String?
    /// The restoration path of the object that it is about.
    package var path: String?
    /// What became of the object's values, by key.
    package var values: [String: ChangedValue] = [:]
    /// How many bytes the values that are told have in their records.
    package var byteCount = 0
    /// The path of a generation.
    package var generation: String?
    /// A clause, or a sentence, for a person.
    package var message: String?

    /// An event; what is left out is not known.
    package init(
        _ kind: Kind, scene: String? = nil, path: String? = nil,
        values: [String: ChangedValue] = [:], generation: String? = nil, message: String? = nil
    ) {
        self.kind = kind
        self.scene = scene
        self.path = path
        self.values = values
        self.generation = generation
        self.message = message
    }
}

/// Is told what happens in applications.
package protocol ApplicationFollower: Sendable {
    /// Whether anybody wants to know; otherwise nothing is told. Asked often, from any thread.
    var isFollowing: Bool { get }

    /// Something happened. Called on the application's executor, in the order of the events: it must
    /// not block.
    ///
    /// - Parameter application: the bundle identifier.
    func note(_ events: [ApplicationEvent], of application: String)
}

extension LogEvent {
    /// What those are told who follow the application; nil: nothing, or more elsewhere.
    ///
    /// - Parameter level: how it is logged.
    func kind(at level: Logger.Level) -> ApplicationEvent.Kind? {
        switch self {
        case .archiveReplaced: level > .notice ? .problem : nil
        case .launched, .launchedAgain: .launched
        case .restored: .restored
        case .notRestored: .notRestored
        case .closed: .closed
        case .stopped: .ended
        case .stateRemoved, .replaced, .reloaded, .putBack: .exchanged
        case .generationMade, .generationsRemoved: .generation
        case .quarantined, .quarantineRemoved: .quarantined
        case .saveResumed: .resumed
        case .launchFailed, .notRun, .saveFailed, .generationFailed, .generationsNotRemoved,
            .quarantineUnreadable, .quarantineNotRemoved, .compactionFailed, .putBackFailed,
            .notPreserved,
            .notInvalidated, .vanished, .exchangeFailed, .extensionMisused, .heldBack,
            .guardImpaired, .died, .expiring, .slow, .passedBy, .documentRestored, .documentMissing:
            .problem
        case .passed, .saved, .found, .extended, .debugExitArmed, .compacted, .takenOver: nil
        }
    }
}
