import Logging

/// What a server does not bear of a client, or cannot do for it.
public enum Refusal: Sendable, CaseIterable {
    /// A connection above a limit was closed.
    case tooManyConnections
    /// A connection was closed, as a call has too many bytes.
    case requestTooLarge
    /// A connection was closed, as something on it is no call.
    case malformed
    /// A connection was closed, as its peer does not read.
    case unread
    /// A call was refused, as the peer may not make it.
    case notPermitted
    /// Calls were dropped that a client left behind when it went.
    case leftBehind
    /// A connection was closed, as the system does not tell who is at its other end.
    case setUpFailed
    /// A connection could not be accepted.
    case acceptFailed

    /// A sentence without its full stop.
    var sentence: String {
        switch self {
        case .tooManyConnections, .requestTooLarge: "A connection is refused and closed"
        case .malformed: "A connection is closed without a reply"
        case .unread: "A connection is closed, because its peer does not read"
        case .notPermitted: "A call is refused"
        case .leftBehind: "Calls are dropped, because their client has disconnected"
        case .setUpFailed: "A connection could not be set up, and is closed"
        case .acceptFailed: "A connection could not be accepted"
        }
    }

    /// What is nobody's fault but the system's is graver.
    var level: Logger.Level {
        switch self {
        case .setUpFailed, .acceptFailed: .warning
        default: .notice
        }
    }
}
