import ExactText
package import StateRestoration

/// How safe a change is when a command is answered.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Saved: Sendable, Equatable {
    /// It survives the host: a quorum of the cluster's servers has it.
    case replicated
    /// It survives a power cut.
    case durable
    /// It survives the end of the process.
    case written
    /// It is not saved; the live state has it, and saving is tried again.
    case notSaved(reason: String)
}

/// What a command gave, and how safe what it changed is.
public struct CommandReply<Result: Sendable>: Sendable {
    /// What the command gave.
    public let result: Result
    /// How safe the change is.
    public let saved: Saved
}

/// What a turn's pass made of a scene, for the answers of its commands (P21).
package struct TurnEvidence {
    /// Whether the model data had changes, which are written before the state (P19).
    package var isModelChanged = false
    /// What objects could not save (P9), and whether that was not so before.
    package var losses: [(diagnostic: PassDiagnostic, isNew: Bool)] = []

    package init(
        isModelChanged: Bool = false, losses: [(diagnostic: PassDiagnostic, isNew: Bool)] = []
    ) {
        self.isModelChanged = isModelChanged
        self.losses = losses
    }

    /// The first loss of the scene as a sentence, whoever made the change that is not saved.
    package var anyLoss: String? { losses.first.map { "\($0.diagnostic)" } }
}

/// Tells after its turn's pass why what a command changed is not saved; nil: it is (P21).
package typealias ChangeVerdict = (TurnEvidence) -> String?
