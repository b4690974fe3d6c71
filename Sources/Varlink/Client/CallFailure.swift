/// Reason why a call of a generated client failed.
public enum CallFailure<Refusal: InterfaceError & Equatable>: Error, Sendable, Equatable,
    CustomStringConvertible
{
    /// The service refused the call with an error of the interface.
    case refused(Refusal)
    /// The service refused the call with another error, such as an error of `org.varlink.service`.
    case error(VarlinkError)
    /// No reply arrived.
    case connection(ClientError)
    /// The task was cancelled before it made the call.
    case cancelled(method: String)
    /// The reply does not match the definition. Client and service may be of different versions.
    case unreadable(method: String)

    /// Sentence that states what failed.
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .error(let error): "\(error)"
        case .connection(let error): "\(error)"
        case .cancelled(let method):
            "The task was cancelled before it called \(method)."
        case .unreadable(let method):
            "The reply to \(method) does not match its definition; client and service may have different versions."
        }
    }

    init(_ error: any Error, method: String) {
        switch error {
        case let error as VarlinkError:
            self = Refusal(error).map(Self.refused) ?? .error(error)
        case let error as ClientError: self = .connection(error)
        case is CancellationError: self = .cancelled(method: method)
        default: self = .unreadable(method: method)
        }
    }
}

/// Error type for an interface that declares no errors.
public enum NoError: InterfaceError, Equatable {
    /// Returns `nil`, because there are no errors.
    public init?(_ error: VarlinkError) { return nil }

    /// Error in the form in which a service sends it, which never happens.
    public var varlinkError: VarlinkError { switch self {} }
}
