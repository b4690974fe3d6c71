import ExactText
package import StateRestoration

/// Durability level of a change at the time of the reply to its command.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Saved: Sendable, Equatable {
    /// The change survives the loss of the host, because a quorum of the cluster's servers stores it.
    case replicated
    /// The change survives a power cut.
    case durable
    /// The change survives the end of the process.
    case written
    /// The change exists only in the live state; saving is retried.
    case notSaved(reason: String)
}

/// Result of a command, with the durability level of its change.
public struct CommandReply<Result: Sendable>: Sendable {
    /// The value that the command returned.
    public let result: Result
    /// The durability level of the change.
    public let saved: Saved
}

extension CommandReply {
    /// Returns the reply if its changes are saved.
    ///
    /// - Throws: ``UnsavedChange`` if they are not saved.
    func requiringSaved(by application: String) throws(UnsavedChange) -> CommandReply {
        if case .notSaved(let reason) = saved {
            throw UnsavedChange(application: application, reason: reason)
        }
        return self
    }
}

/// The error for a change that was made in memory but is not saved, or not with the required durability.
///
/// The reason says what happened. In most cases, for example if the disk is full, saving is retried by later turns and at
/// the preservation interval. A value that cannot be encoded is saved after it has changed again.
public struct UnsavedChange: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bundle identifier of the application.
    public let application: String
    /// The reason why the change is not saved.
    public let reason: String

    /// One sentence that describes the error.
    public var description: String {
        "the change of \(application) is not saved as required: \(reason)"
    }
}

/// Outcome of a pass over one scene, for the replies to the commands of its turn (P21).
package struct PassOutcome {
    /// Whether the model data changed; such changes are written before the state (P19).
    package var isModelChanged = false
    /// Values that objects could not save (P9), and whether each loss is new in this pass.
    package var losses: [(diagnostic: PassDiagnostic, isNew: Bool)] = []
    /// Values of objects after the pass, shared by the checks of all commands of the turn.
    package let encoded: EncodedValues

    package init(
        isModelChanged: Bool = false, losses: [(diagnostic: PassDiagnostic, isNew: Bool)] = [],
        encoded: EncodedValues = EncodedValues()
    ) {
        self.isModelChanged = isModelChanged
        self.losses = losses
        self.encoded = encoded
    }

    /// Sentence about the first loss in the scene, whichever command caused it, or `nil` if there was no
    /// loss.
    package var anyLoss: String? { losses.first.map { "\($0.diagnostic)" } }
}

/// Values that objects encode after a pass. Each object is encoded at most once.
package final class EncodedValues {
    private var values: [ObjectIdentifier: [StoredValue]] = [:]

    package init() {}

    /// Discards all values.
    func removeAll() { values = [:] }

    /// Returns the values of an object.
    ///
    /// - Parameters:
    ///   - object: Object that exists until all checks of the turn have run.
    ///   - encode: Encodes the object.
    package func values(
        of object: any StateRestoring, _ encode: (any StateRestoring) -> [StoredValue]
    ) -> [StoredValue] {
        if let known = values[ObjectIdentifier(object)] { return known }
        let encoded = encode(object)
        values[ObjectIdentifier(object)] = encoded
        return encoded
    }
}

/// Returns why the change of a command was not saved by the pass of its turn, or `nil` if it was saved (P21).
package typealias PersistenceCheck = (PassOutcome) -> String?
