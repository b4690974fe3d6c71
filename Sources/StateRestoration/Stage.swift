/// A named point in the life of a scene, in the order in which a launch, a turn and a pass reach
/// them. Tells how far a launch came, and where a debug command ends the program.
public enum Stage: String, Sendable, CaseIterable {
    /// Nothing of the launch has run yet.
    case launchBegin = "launch-begin"
    /// The delegate has made the base objects (R1).
    case launchMade = "launch-made"
    /// Every recorded object was looked for.
    case launchFound = "launch-found"
    /// Every found object has decoded.
    case launchDecoded = "launch-decoded"
    /// Every object and the delegate were told; the launch is complete unless it is extended (R13).
    case launchFinished = "launch-finished"
    /// A turn begins; its commands have not run.
    case turnBegin = "turn-begin"
    /// The turn's commands have run, and nothing of what they changed is saved.
    case turnCommands = "turn-commands"
    /// The turn's changes are written, and nobody was answered.
    case turnWritten = "turn-written"
    /// A pass begins; nothing has encoded.
    case passBegin = "pass-begin"
    /// Everything of the pass has encoded, and nothing is written.
    case passEncoded = "pass-encoded"
}
