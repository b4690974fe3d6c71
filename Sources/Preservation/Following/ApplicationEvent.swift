import Logging
package import StateRestoration

/// Event in an application, for clients that follow it.
package struct ApplicationEvent: Sendable {
    /// Type of an event.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// A scene was launched; everything known about its objects must be read again.
        case launched
        /// A scene was restored, completely or partly.
        case restored
        /// An object was not restored.
        case notRestored
        /// A scene was closed; its state stays saved.
        case closed
        /// The application was stopped.
        case ended
        /// The saved state was replaced or removed.
        ///
        /// The cause is a rollback, a reset, a put-back, a forced quit, new storyboards, or another program.
        case exchanged
        /// An object was saved for the first time.
        case appeared
        /// Saved values of an object, or of the scene itself, changed.
        case changed
        /// An object and its descendants are no longer saved.
        case disappeared
        /// So many objects of a scene changed at once that the changes are not listed; the objects must be
        /// read again.
        case manyChanged
        /// A pass had something to save.
        case pass
        /// All state is durable.
        case durable
        /// A generation was made, or generations were removed from the history.
        case generation
        /// Another program changed the archive.
        case fileChanged
        /// A file was moved to quarantine or removed from it.
        case quarantined
        /// The intact parts of a damaged archive are used.
        case salvaged
        /// A problem occurred.
        case problem
        /// Saving works again after a problem.
        case resumed
    }

    /// Change of a saved value.
    package enum ChangedValue: Sendable, Equatable {
        /// The value is now this one.
        case value(StoredValue)
        /// The value is larger than ``ObjectChanges/largestValue``.
        case large(bytes: Int)
        /// The value was removed.
        case removed
    }

    /// The type of the event.
    package var kind: Kind
    /// The name of the scene that the event is about.
    package var scene: String?
    /// The restoration path of the object that the event is about.
    package var path: String?
    /// The changes of the object's values, by key.
    package var values: [String: ChangedValue] = [:]
    /// The number of bytes that the reported values have in their records.
    package var byteCount = 0
    /// The path of the generation that the event is about.
    package var generation: String?
    /// A phrase or sentence for the user.
    package var message: String?

    /// Creates an event; arguments that are left out are unknown.
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

/// Receiver of the events of applications.
package protocol ApplicationFollower: Sendable {
    /// Whether any client wants events, which is checked often and from any thread.
    ///
    /// If `false`, no events are sent.
    var isFollowing: Bool { get }

    /// Receives events in the order in which they occurred.
    ///
    /// This method is called on the application's executor and must not block.
    ///
    /// - Parameter application: Bundle identifier of the application.
    func receive(_ events: [ApplicationEvent], of application: String)
}

extension LogEvent {
    /// Returns the type of the event that followers receive for a log event, or `nil` if they receive none,
    /// or receive a more detailed one from another place.
    ///
    /// - Parameter level: Level at which the event is logged.
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
            .guardImpaired, .died, .expiring, .expired, .slow, .passedBy, .documentReplaced,
            .documentRestored, .documentMissing:
            .problem
        case .passed, .saved, .found, .extended, .debugExitArmed, .compacted, .takenOver: nil
        }
    }
}
