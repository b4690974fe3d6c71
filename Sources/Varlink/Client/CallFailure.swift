/// Reason why a call by a generated client failed.
public enum CallFailure<Refusal: InterfaceError & Equatable>: Error, Sendable, Equatable,
    CustomStringConvertible
{
    /// The service refused the call with an error that the interface declares.
    case refused(Refusal)
    /// The service refused the call with an error that the interface does not declare, such as one from
    /// `org.varlink.service`.
    case error(VarlinkError)
    /// No valid reply arrived, for the reason in the associated value.
    case connection(ClientError)
    /// The task was cancelled before it made the call.
    case cancelled(method: String)
    /// The reply does not match the definition. The client and the service may have different versions.
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

    /// The error as it is sent in a reply. No value of this type exists.
    public var varlinkError: VarlinkError { switch self {} }
}
