import Logging

/// Kind of refusal or failure that can occur while a server handles clients.
public enum Refusal: Sendable, CaseIterable {
    /// A connection that exceeded a limit was closed.
    case tooManyConnections
    /// A connection was closed because a call was too large.
    case requestTooLarge
    /// A connection was closed because a message was not a call.
    case malformed
    /// A connection was closed because its peer did not read replies.
    case unread
    /// A call was refused because the peer is not permitted to make it.
    case notPermitted
    /// Calls were dropped because their client had disconnected.
    case abandonedCalls
    /// A connection was closed because it could not be set up, for example because the system did not identify its
    /// peer.
    case setUpFailed
    /// A connection could not be accepted.
    case acceptFailed

    /// Sentence for the log, without its full stop.
    var sentence: String {
        switch self {
        case .tooManyConnections, .requestTooLarge: "A connection is refused and closed"
        case .malformed: "A connection is closed without a reply"
        case .unread: "A connection is closed, because its peer does not read"
        case .notPermitted: "A call is refused"
        case .abandonedCalls: "Calls are dropped, because their client has disconnected"
        case .setUpFailed: "A connection could not be set up, and is closed"
        case .acceptFailed: "A connection could not be accepted"
        }
    }

    /// Log level. A failure of the system has a higher level than a refusal that a client caused.
    var logLevel: Logger.Level {
        switch self {
        case .setUpFailed, .acceptFailed: .warning
        default: .notice
        }
    }
}
