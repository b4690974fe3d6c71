/// Error that a client throws if it receives no valid reply. If the service refuses the call, the client throws a
/// ``VarlinkError`` instead.
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No socket exists at the path.
    case noSuchSocket(path: String)
    /// A socket exists at the path, but no process listens on it.
    case refused(path: String)
    /// The permissions of the socket or of a directory above it do not allow the caller to connect.
    case permissionDenied(path: String)
    /// The path is empty or has more bytes than the system allows. Source: unix(7), `sun_path`.
    case badPathLength(path: String)
    /// The service closed the connection before it replied. The call may have taken effect.
    case disconnected(path: String, method: String)
    /// The service closed the connection before it read the complete call, so the call had no effect. The service is
    /// stopping, or does not accept calls of this size.
    case notReceived(path: String, method: String)
    /// The connection was not established, or the reply did not arrive, within the timeout.
    case timedOut(path: String, Duration)
    /// The parameters are not a JSON object, or services would reject them, for example because they are nested too
    /// deeply.
    case badParameters(method: String, reason: String)
    /// The call was not sent, because the connection is still receiving the replies to another call.
    case occupied(by: String, method: String)
    /// The received message is not a valid reply.
    case badReply(path: String, method: String, MessageError)
    /// A system call failed.
    case system(SocketError, path: String)

    /// Whether the same call may succeed soon, because the service may be starting or restarting.
    public var isTransient: Bool {
        switch self {
        case .noSuchSocket, .refused, .disconnected, .notReceived: true
        default: false
        }
    }

    /// Sentence that describes the failure, with the path of the socket and, in most cases, what to do.
    public var description: String {
        switch self {
        case .noSuchSocket(let path):
            "There is no socket at \"\(path)\"; start the service, or specify its socket."
        case .refused(let path):
            "No service is listening on \"\(path)\"; start the service."
        case .permissionDenied(let path):
            "This user has no permission to connect to \"\(path)\"; run as the service's user, as root or as a member of its group."
        case .badPathLength(let path):
            "The socket path \"\(path)\" has \(path.utf8.count) bytes, but must have 1 to \(UnixAddress.maximumPathLength); choose another path."
        case .disconnected(let path, let method):
            "The service at \"\(path)\" closed the connection before it replied to \(method); it may have restarted, refused the request as malformed or too large, or reached the maximum number of connections: check before you repeat the call."
        case .notReceived(let path, let method):
            "The service at \"\(path)\" closed the connection before it read \(method), which was "
                + "not carried out: it is restarting, or does not accept calls of that size."
        case .timedOut(let path, let timeout):
            "The service at \"\(path)\" did not respond within \(timeout); see its log."
        case .badParameters(let method, let reason):
            "The parameters of \(method) cannot be sent: \(reason)."
        case .occupied(let streamingMethod, let method):
            "\(method) was not called, because the replies to \(streamingMethod) occupy the connection; use another connection."
        case .badReply(let path, let method, let error):
            "The reply to \(method) from \"\(path)\" is not Varlink: \(error); check that this is the correct socket."
        case .system(let error, let path):
            "The connection to \"\(path)\" failed: \(error)."
        }
    }
}
