import Glibc
public import Logging
import Synchronization

/// Service that handles calls and returns replies, but does not manage connections.
public struct VarlinkService: Sendable {
    private struct Method: Sendable {
        let interface: any InterfaceDispatcher
        /// Index of the method in the definition.
        let index: Int
        /// Properties of the method, or `nil` if no function implements it.
        let traits: MethodTraits?
    }

    private var methods: [String: Method] = [:]
    private var interfaceNames: Set<String> = []
    private let observeCall: @Sendable (Call, Peer) -> Void
    private let unexpectedErrorLog: UnexpectedErrorLog
    private let refusalError: VarlinkError?

    /// Creates a service that provides the given interfaces and `org.varlink.service`.
    /// - Parameters:
    ///   - info: The reply to `GetInfo`.
    ///   - interfaces: The interfaces, with the functions that implement their methods.
    ///   - observe: A closure that the service calls before it handles a call whose parameters match the definition.
    ///   - refusal: The error with which the service refuses every call from a peer that has access, or `nil` to handle
    ///     calls.
    ///   - logger: The logger for unexpected errors that functions throw.
    /// - Throws: ``InterfaceImplementation/RegistrationError`` if two interfaces have the same name.
    public init(
        info: ServiceInfo, interfaces: [any InterfaceDispatcher],
        observe: @escaping @Sendable (Call, Peer) -> Void = { _, _ in },
        refusal: VarlinkError? = nil, logger: Logger
    ) throws {
        self.observeCall = observe
        self.refusalError = refusal
        unexpectedErrorLog = UnexpectedErrorLog(logger)
        var definitionTexts: [String: String] = [:]
        let serviceInterface = try InterfaceDefinition(parsing: InterfaceDefinition.serviceText)
        for definition in [serviceInterface] + interfaces.map(\.definition) {
            guard definitionTexts.updateValue(definition.text, forKey: definition.name) == nil
            else {
                throw InterfaceImplementation.RegistrationError.repeatedInterface(
                    name: definition.name)
            }
        }
        let descriptions = definitionTexts
        var info = info
        info.interfaces = descriptions.keys.sorted()
        let infoReply = try JSONText.encode(info)
        var implementation = InterfaceImplementation(serviceInterface)
        try implementation.on(json: "GetInfo", MethodTraits(isReadOnly: true)) { _, _ in infoReply }
        try implementation.on("GetInterfaceDescription", isReadOnly: true) {
            (parameters: [String: String], _) in
            let interfaceName = parameters["interface", default: ""]
            guard let definitionText = descriptions[interfaceName] else {
                throw VarlinkError.interfaceNotFound(interfaceName)
            }
            return ["description": definitionText]
        }
        add(implementation)
        for interface in interfaces { add(interface) }
    }

    private mutating func add(_ interface: any InterfaceDispatcher) {
        let definition = interface.definition
        interfaceNames.insert(definition.name)
        for (index, method) in definition.methods.enumerated() {
            methods["\(definition.name).\(method.name)"] = Method(
                interface: interface, index: index, traits: interface.traits(of: index))
        }
    }

    /// Returns whether a call's method may reply several times.
    public func isStreaming(_ call: Call) -> Bool {
        methods[call.method]?.traits?.isStreaming == true
    }

    /// Returns whether a call's method is read-only. Running such a call after its client has
    /// disconnected does no harm.
    package func isReadOnly(_ call: Call) -> Bool {
        methods[call.method]?.traits?.isReadOnly == true
    }

    /// Returns a call's queue, or `nil` if the call starts after the replies to all earlier calls on its connection.
    ///
    /// A call may start before the reply to an earlier call in the same queue is sent. Large calls have no queue,
    /// because searching their parameters would take too long.
    package func queue(of call: Call) -> CallQueueIdentity? {
        guard let method = methods[call.method], let parameterNames = method.traits?.queue,
            !call.more,
            call.parameters.count <= CallQueueIdentity.maximumParameterBytes
        else { return nil }
        var parameterValues: [ArraySlice<UInt8>?] = []
        for name in parameterNames {
            let value = call.value(of: name)
            // The JSON text is compared, so calls do not share a queue if they write equal strings with different
            // escape sequences.
            if let value, value.first != UInt8(ascii: "\"") { return nil }
            parameterValues.append(value)
        }
        return CallQueueIdentity(
            interfaceName: method.interface.definition.name, parameterNames: parameterNames,
            parameterValues: parameterValues)
    }

    /// Handles one call. The method's function runs on the caller's executor.
    /// - Parameters:
    ///   - call: The call.
    ///   - peer: Process that makes the call.
    ///   - access: Access rights of the peer.
    ///   - stream: Stream for intermediate replies, or `nil` if the caller accepts only one reply.
    ///   - waitForReplyCapacity: Closure that returns when the function's reply may be encoded.
    ///   - hasCallerDisconnected: Closure that returns whether the peer has closed the connection. It can be called on
    ///     any thread. It is not used for a call that expects no reply.
    public func answer(
        _ call: Call, from peer: Peer, access: Access, stream: ReplyStream? = nil,
        waitForReplyCapacity: @escaping @Sendable () async -> Void = {},
        hasCallerDisconnected: @escaping @Sendable () -> Bool = { false }
    ) async -> ReplyMessage.Outcome {
        if case .none = access { return .error(.permissionDenied) }
        if let refusalError { return .error(refusalError) }
        guard let method = methods[call.method] else { return .error(notFoundError(call.method)) }
        guard let traits = method.traits else {
            return .error(access == .all ? .methodNotImplemented(call.method) : .permissionDenied)
        }
        if case .readOnly = access, !traits.isReadOnly { return .error(.permissionDenied) }
        if call.upgrade { return .error(.methodNotImplemented(call.method)) }
        var context = CallContext(
            peer: peer, access: access, method: call.method, oneway: call.oneway, stream: stream)
        context.waitForReplyCapacity = waitForReplyCapacity
        if !call.oneway { context.hasCallerDisconnected = hasCallerDisconnected }
        let request = MethodRequest(
            method: method.index, context: context, call: call, observeCall: observeCall)
        do {
            let reply = try await method.interface.answer(request)
            guard reply.first == UInt8(ascii: "{") else { throw NotAnObject() }
            return .parameters(reply)
        } catch {
            return .error(replyError(for: error, of: method.interface.definition, in: call.method))
        }
    }

    /// Returns the error to send in the reply after a function has thrown an error.
    private func replyError(
        for error: any Error, of interface: InterfaceDefinition, in method: String
    ) -> VarlinkError {
        switch error {
        case let error as VarlinkError: return error
        case let error as any InterfaceError: return error.varlinkError
        case is CancellationError: return interface.internalError("the service is stopping")
        default:
            unexpectedErrorLog.logFailure(error, in: method)
            return interface.internalError("an internal error occurred")
        }
    }

    private func notFoundError(_ method: String) -> VarlinkError {
        guard let dotIndex = method.lastIndex(of: ".") else { return .methodNotFound(method) }
        let interfaceName = String(method[..<dotIndex])
        return interfaceNames.contains(interfaceName)
            ? .methodNotFound(method) : .interfaceNotFound(interfaceName)
    }
}

extension InterfaceDefinition {
    /// Returns the error to send instead of an error that the caller must not see.
    ///
    /// - Parameter message: Text that the caller may see.
    fileprivate func internalError(_ message: String) -> VarlinkError {
        let isDeclared = errors.contains {
            $0.name == "InternalError" && $0.parameters.map(\.name) == ["message"]
                && $0.parameters.map(\.type) == [.string]
        }
        return isDeclared
            ? VarlinkError(
                name: "\(name).InternalError",
                parameters: JSONText.objectWithMember("message", message))
            : VarlinkError(
                name: "io.systemd.System",
                parameters: Array(#"{"errno":\#(EIO),"errnoName":"EIO","origin":"linux"}"#.utf8))
    }
}

/// Log for errors that callers do not see. It logs at most one error a minute for each method.
final class UnexpectedErrorLog: Sendable {
    private static let suppressionInterval = Duration.seconds(60)

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// For each method, the time until which its errors are not logged, and the number of errors suppressed since the
    /// last logged error.
    private let loggedFailures = Mutex<
        [String: (suppressionEnd: ContinuousClock.Instant, suppressedCount: Int)]
    >(
        [:])

    init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    func logFailure(_ error: any Error, in method: String) {
        let now = now()
        let suppressedCount: Int? = loggedFailures.withLock { loggedFailures in
            if let lastFailure = loggedFailures[method], lastFailure.suppressionEnd > now {
                loggedFailures[method]?.suppressedCount += 1
                return nil
            }
            let suppressedCount = loggedFailures[method]?.suppressedCount ?? 0
            loggedFailures[method] = (now + Self.suppressionInterval, 0)
            return suppressedCount
        }
        guard let suppressedCount else { return }
        var metadata: Logger.Metadata = [
            "method": "\(method)", "error": "\(SanitizedText(String(describing: error)))",
        ]
        if suppressedCount > 0 { metadata["before"] = "\(suppressedCount)" }
        logger.error(
            "A method failed with an error that its interface does not define.", metadata: metadata)
    }
}

/// Description of a service, returned by `org.varlink.service.GetInfo`.
public struct ServiceInfo: Encodable, Sendable, Equatable {
    /// Vendor of the service.
    public let vendor: String

    /// Name of the product.
    public let product: String

    /// Version of the product.
    public let version: String

    /// URL of a page about the service.
    public let url: String

    /// Names of the interfaces that the service provides. ``VarlinkService`` sets this property.
    fileprivate(set) var interfaces: [String] = []

    /// Creates the description of a service.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}

/// Identity of the queue to which a call adds its work; see ``VarlinkService/queue(of:)``.
package struct CallQueueIdentity: Equatable, Sendable {
    /// Maximum size of a call's parameters, in bytes. A call with larger parameters has no queue.
    static let maximumParameterBytes = 1 << 16

    let interfaceName: String
    /// Names of the parameters that identify the queue.
    let parameterNames: [String]
    /// JSON text of each parameter in ``parameterNames``, or `nil` if the call does not contain the parameter.
    let parameterValues: [ArraySlice<UInt8>?]

    package init(
        interfaceName: String, parameterNames: [String], parameterValues: [ArraySlice<UInt8>?]
    ) {
        self.interfaceName = interfaceName
        self.parameterNames = parameterNames
        self.parameterValues = parameterValues
    }
}
