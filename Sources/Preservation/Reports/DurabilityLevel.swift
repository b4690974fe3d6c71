import ExactText
package import StateRestoration

/// Level of durability that a change has reached when the reply to its command is sent.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum DurabilityLevel: Sendable, Equatable {
    /// The change survives the loss of the host. A quorum of the cluster's servers stores the change.
    case replicated
    /// The change survives a power cut.
    case durable
    /// The change survives a crash of the process.
    case written
    /// The change is only in memory. Saving is retried.
    case notSaved(reason: String)

    /// Whether the change is saved and survives at least a crash of the process.
    public var isSaved: Bool { if case .notSaved = self { false } else { true } }
}

/// Result of a command and the durability level of its change.
public struct CommandReply<Result: Sendable>: Sendable {
    /// Value that the command returned.
    public let result: Result
    /// Durability level of the change.
    public let saved: DurabilityLevel

    /// Whether the change is saved and survives at least a crash of the process.
    public var isSaved: Bool { saved.isSaved }
}

extension CommandReply {
    /// Returns the reply, or throws an error if the command's changes are not saved.
    ///
    /// - Throws: ``UnsavedChange`` if the changes are not saved.
    func requiringSaved(by bundleIdentifier: String) throws(UnsavedChange) -> CommandReply {
        if case .notSaved(let reason) = saved {
            throw UnsavedChange(application: bundleIdentifier, reason: reason)
        }
        return self
    }
}

/// Error for a change that was made in memory but was not saved with the required durability.
///
/// The reason describes the failure. In most cases, such as a full disk, saving is retried in later turns and at the
/// preservation interval. A value that cannot be encoded is saved only after it has changed again.
public struct UnsavedChange: Error, Sendable, Equatable, CustomStringConvertible {
    /// Bundle identifier of the application.
    public let application: String
    /// Reason why the change is not saved.
    public let reason: String

    /// Sentence that describes the error.
    public var description: String {
        "the change to \(application) is not saved as required: \(reason)"
    }
}

/// Outcome of a scene's pass. It determines the replies to the commands in the turn (P21).
package struct PassOutcome {
    /// Whether the model data has changed. Changes to the model data are written before the state (P19).
    package var isModelChanged = false
    /// Values that could not be saved (P9), each with a flag that indicates whether the loss is new in this pass.
    package var losses: [(diagnostic: PassDiagnostic, isNew: Bool)] = []

    package init(
        isModelChanged: Bool = false, losses: [(diagnostic: PassDiagnostic, isNew: Bool)] = []
    ) {
        self.isModelChanged = isModelChanged
        self.losses = losses
    }

    /// Description of the first loss in the scene, whichever command caused it, or `nil` if nothing was lost.
    package var firstLossDescription: String? { losses.first.map { "\($0.diagnostic)" } }
}

/// Function that returns the reason why the turn's pass did not save a command's change, or `nil` if the change was
/// saved (P21).
package typealias PersistenceCheck = (PassOutcome) -> String?
