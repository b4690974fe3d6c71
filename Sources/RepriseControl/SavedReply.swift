/// How safe a change is.
package enum SaveLevel: String, Codable, Sendable, CaseIterable {
    case durable
    case written
    case no
}

/// A message that tells how safe a change is.
package protocol TellsSaved {
    /// How safe it is.
    var saved: SaveLevel { get set }
    /// Why it is not saved; nil if it is.
    var notSavedReason: String? { get set }
}

/// What every changing method answers.
package struct SavedReply: ControlMessage, TellsSaved {
    package var saved = SaveLevel.no
    package var notSavedReason: String?

    package init() {}
}

/// A call that changes something, and is answered when the change was saved.
package protocol ChangingCall: ControlCall where Reply == SavedReply {}

/// What a method answers that gives scenes another state.
package struct ReplacedReply: ControlMessage, TellsSaved {
    /// The scenes that were launched.
    package var scenes: [String] = []
    /// The path of the generation that keeps what was saved before.
    package var generation: String?
    package var saved = SaveLevel.no
    package var notSavedReason: String?

    package init() {}
}
