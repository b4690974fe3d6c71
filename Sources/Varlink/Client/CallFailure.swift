/// Error that a generated client throws if a call fails.
public enum CallFailure<Refusal: InterfaceError & Equatable>: Error, Sendable, Equatable,
    CustomStringConvertible
{
    /// The service refused the call with an error that the interface declares.
    case refused(Refusal)
    /// The service refused the call with an error that the interface does not declare, such as a standard error of
    /// `org.varlink.service`.
    case error(VarlinkError)
    /// No valid reply arrived. The associated value gives the reason.
    case connection(ClientError)
    /// The task was cancelled before it made the call.
    case cancelled(method: String)
    /// The reply does not match the interface definition, possibly because the client and the service have different
    /// versions.
    case unreadable(method: String)

    /// Sentence that describes the failure.
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

    /// Varlink error to send in a reply. Never evaluated, because this type has no values.
    public var varlinkError: VarlinkError { switch self {} }
}
