import ExactText
package import LinuxIO

/// Reason why the launch guard does not work fully. Scenes are launched anyway.
package enum LaunchGuardProblem: Sendable, Equatable, CustomStringConvertible {
    /// The records of earlier launches cannot be used. The file that contains them was renamed.
    case damaged(path: String, reason: String)
    /// Events cannot be stored.
    case eventsNotStored(IOError)
    /// No stamps can be written.
    case stampsUnavailable(reason: String)

    /// One sentence that describes the problem.
    package var description: String {
        switch self {
        case .damaged(let path, let reason):
            """
            The record of earlier launches cannot be used and was renamed to '\(path)', so \
            earlier crashes are no longer counted: \(reason)
            """
        case .eventsNotStored(let error):
            """
            Launches cannot be recorded, so a scene that crashes the program may be launched again: \
            \(error)
            """
        case .stampsUnavailable(let reason):
            "Crashes cannot be distinguished from kills, and more kills than crashes are allowed: \(reason)"
        }
    }
}
