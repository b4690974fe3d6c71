import Logging
package import StateRestoration

/// Event in an application.
///
/// The daemon converts this event to an `Event`, the type that clients receive. `Event` is defined in
/// `org.reprise.Control.varlink`.
package struct ApplicationEvent: Sendable {
    /// Type of an event.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// A scene was launched. Clients must read all of its objects again.
        case launched
        /// A scene was restored, completely or partly.
        case restored
        /// An object was not restored.
        case notRestored
        /// A scene was closed. Its state remains saved.
        case closed
        /// The application was stopped.
        case ended
        /// The saved state was replaced or removed.
        ///
        /// Possible causes are a rollback, a reset, a put-back, a forced quit, new storyboards, or another program.
        case exchanged
        /// An object was saved for the first time.
        case appeared
        /// Saved values of an object or of the scene have changed.
        case changed
        /// An object and its descendants are no longer saved.
        case disappeared
        /// So many objects in a scene changed at once that the changes are not listed. Clients must read the objects
        /// again.
        case manyChanged
        /// A pass found changes to save.
        case pass
        /// All state is durable.
        case durable
        /// A generation was added to the history, or generations were removed from it.
        case generation
        /// Another program changed the archive.
        case fileChanged
        /// A file was moved to quarantine or removed from it.
        case quarantined
        /// The application continues from the intact parts of a damaged archive.
        case salvaged
        /// A problem occurred.
        case problem
        /// Saving works again after a problem.
        case resumed
    }

    /// Change to a saved value.
    package enum ChangedValue: Sendable, Equatable {
        /// The new value.
        case value(StoredValue)
        /// The value is larger than ``ObjectChanges/maximumValueSize``, and only its size is reported.
        case large(bytes: Int)
        /// The value was removed.
        case removed
    }

    /// Type of the event.
    package var kind: Kind
    /// Name of the scene that the event relates to, or `nil` if the event relates to the whole application.
    package var scene: String?
    /// Restoration path of the object that the event relates to, or `nil` if the event does not relate to an object.
    package var path: String?
    /// Changes to the object's values, keyed by name.
    package var values: [String: ChangedValue] = [:]
    /// Number of bytes that the reported values occupy in their records.
    package var byteCount = 0
    /// Path of the generation that the event relates to, or `nil` if the event does not relate to a generation.
    package var generation: String?
    /// Phrase or sentence for the user, or `nil` if the event has no message.
    package var message: String?

    /// Creates an event. Omitted properties are `nil` or empty.
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

/// Object that receives events from applications.
package protocol ApplicationEventFollower: Sendable {
    /// Whether any client wants to receive events. If `false`, no events are sent.
    ///
    /// This property is read often and from any thread.
    var isFollowing: Bool { get }

    /// Receives events in the order they occurred.
    ///
    /// This method is called on the application's executor and must not block.
    ///
    /// - Parameter bundleIdentifier: The bundle identifier of the application.
    func receive(_ events: [ApplicationEvent], of bundleIdentifier: String)
}

extension LogEvent {
    /// Returns the type of the follower event that corresponds to this log event.
    ///
    /// - Parameter level: The level at which the event is logged.
    /// - Returns: The type, or `nil` if followers do not receive this event or receive a more detailed event instead.
    func followerEventKind(at level: Logger.Level) -> ApplicationEvent.Kind? {
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
        case .launchFailed, .neverStarted, .saveFailed, .generationFailed, .generationsNotRemoved,
            .quarantineUnreadable, .quarantineNotRemoved, .compactionFailed, .putBackFailed,
            .notPreserved,
            .notInvalidated, .controllersVanished, .replacementFailed, .extensionMisused,
            .launchBlocked,
            .guardImpaired, .crashedDuringLaunch, .recordsExpiring, .recordsExpired, .operationSlow,
            .stateSuperseded,
            .documentReplaced,
            .documentRestored, .documentMissing:
            .problem
        case .passFinished, .saved, .migrated, .objectFound, .restorationExtended, .debugExitArmed,
            .compacted,
            .takenOver:
            nil
        }
    }
}
