import Glibc
public import Logging
import Synchronization

/// Methods of a service without any connection. The service accepts a call and returns a reply.
public struct VarlinkService: Sendable {
    private struct Method: Sendable {
        let definition: MethodDefinition
        let interface: InterfaceDefinition
        let body: InterfaceImplementation.Body?
        let isLooking: Bool
        let isStreaming: Bool
        let queue: [String]?
    }

    private var methods: [String: Method] = [:]
    private var definitions: [String: InterfaceDefinition] = [:]
    private let observe: @Sendable (Call, Peer) -> Void
    private let faults: FaultLog
    private let refusal: VarlinkError?

    /// Creates a service with these interfaces and `org.varlink.service`.
    /// - Parameters:
    ///   - info: The reply to `GetInfo`.
    ///   - interfaces: The interfaces and the functions of their methods.
    ///   - observe: A closure that is called before each call that matches its definition.
    ///   - refusal: The reply to every permitted call, if the service must not carry out calls, or `nil` to carry
    ///     them out.
    ///   - logger: The logger for unexpected errors of the functions.
    /// - Throws: ``InterfaceImplementation/RegistrationError``.
    public init(
        info: ServiceInfo, interfaces: [InterfaceImplementation],
        observe: @escaping @Sendable (Call, Peer) -> Void = { _, _ in },
        refusal: VarlinkError? = nil, logger: Logger
    ) throws {
        self.observe = observe
        self.refusal = refusal
        faults = FaultLog(logger)
        var texts: [String: String] = [:]
        let standard = try InterfaceDefinition(parsing: InterfaceDefinition.serviceText)
        for definition in [standard] + interfaces.map(\.definition) {
            guard texts.updateValue(definition.text, forKey: definition.name) == nil else {
                throw InterfaceImplementation.RegistrationError.repeatedInterface(
                    name: definition.name)
            }
        }
        let descriptions = texts
        var info = info
        info.interfaces = descriptions.keys.sorted()
        let answer = try JSONText.encode(info)
        var service = InterfaceImplementation(standard)
        try service.on(json: "GetInfo", isLooking: true) { _, _ in answer }
        try service.on("GetInterfaceDescription", isLooking: true) { (asked: [String: String], _) in
            let interface = asked["interface", default: ""]
            guard let text = descriptions[interface] else {
                throw VarlinkError.interfaceNotFound(interface)
            }
            return ["description": text]
        }
        for interface in [service] + interfaces { add(interface) }
    }

    private mutating func add(_ interface: InterfaceImplementation) {
        let definition = interface.definition
        definitions[definition.name] = definition
        for method in definition.methods {
            methods["\(definition.name).\(method.name)"] = Method(
                definition: method, interface: definition, body: interface.bodies[method.name],
                isLooking: interface.looking.contains(method.name),
                isStreaming: interface.streaming.contains(method.name),
                queue: interface.queues[method.name])
        }
    }

    /// Returns whether the method of a call may reply several times.
    public func isStreaming(_ call: Call) -> Bool { methods[call.method]?.isStreaming == true }

    /// Returns whether the method of a call is read-only. It then changes nothing, even if its client has
    /// disconnected.
    package func isLooking(_ call: Call) -> Bool { methods[call.method]?.isLooking == true }

    /// Returns whether two calls of a connection go into the same queue, so that the second call may start before the
    /// reply to the first.
    package func runTogether(_ first: Call, _ second: Call) -> Bool {
        guard let one = methods[first.method], let other = methods[second.method],
            let queue = one.queue, queue == other.queue, one.interface.name == other.interface.name,
            !first.more, !second.more
        else { return false }
        return queue.allSatisfy { name in
            switch (first.value(of: name), second.value(of: name)) {
            case (nil, nil): true
            case (.string(let one)?, .string(let other)?): one.utf8.elementsEqual(other.utf8)
            default: false
            }
        }
    }

    /// Carries out one call. The function runs on the caller's executor.
    /// - Parameters:
    ///   - call: The call.
    ///   - peer: Process that makes the call.
    ///   - access: Access of the peer.
    ///   - stream: Sends the replies before the last one, for a call that asked for `more`.
    ///   - roomForReply: Returns when the function's reply may be encoded.
    ///   - hasCallerGone: Returns whether the peer has closed the connection. It can be called on any thread. It is
    ///     not called for a call that expects no reply.
    public func answer(
        _ call: Call, from peer: Peer, access: Access, stream: ReplyStream? = nil,
        roomForReply: @escaping @Sendable () async -> Void = {},
        hasCallerGone: @escaping @Sendable () -> Bool = { false }
    ) async -> ReplyMessage.Outcome {
        if case .none = access { return .error(.permissionDenied) }
        if let refusal { return .error(refusal) }
        guard let method = methods[call.method] else { return .error(notFound(call.method)) }
        if case .looking = access, !method.isLooking { return .error(.permissionDenied) }
        guard let body = method.body, !call.upgrade else {
            return .error(.methodNotImplemented(call.method))
        }
        if let name = method.interface.invalidParameter(
            in: call.members, for: method.definition.parameters)
        {
            return .error(.invalidParameter(name))
        }
        observe(call, peer)
        do {
            var context = CallContext(
                peer: peer, access: access, method: call.method, oneway: call.oneway,
                stream: stream)
            context.roomForReply = roomForReply
            if !call.oneway { context.hasCallerGone = hasCallerGone }
            let reply = try await body(call.parameters, context)
            guard reply.first == UInt8(ascii: "{") else { throw NotAnObject() }
            return .parameters(reply)
        } catch let error as VarlinkError {
            return .error(error)
        } catch is CancellationError {
            return .error(method.interface.internalError("the service is stopping"))
        } catch {
            faults.note(error, in: call.method)
            return .error(
                method.interface.internalError("an internal error, which is logged"))
        }
    }

    private func notFound(_ method: String) -> VarlinkError {
        guard let dot = method.lastIndex(of: ".") else { return .methodNotFound(method) }
        let interface = String(method[..<dot])
        return definitions[interface] == nil
            ? .interfaceNotFound(interface) : .methodNotFound(method)
    }
}

extension InterfaceDefinition {
    /// Returns the reply for an error that is not a ``VarlinkError``.
    ///
    /// - Parameter message: Text that the caller may see.
    fileprivate func internalError(_ message: String) -> VarlinkError {
        let isDeclared = errors.contains {
            $0.name == "InternalError" && $0.parameters.map(\.name) == ["message"]
                && $0.parameters.map(\.type) == [.string]
        }
        return isDeclared
            ? VarlinkError(
                name: "\(name).InternalError", parameters: JSONText.object("message", message))
            : VarlinkError(
                name: "io.systemd.System",
                parameters: Array(#"{"errno":\#(EIO),"errnoName":"EIO","origin":"linux"}"#.utf8))
    }
}

/// Log of the errors that callers do not see. It logs at most one error a minute for each method.
final class FaultLog: Sendable {
    private static let pause = Duration.seconds(60)

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    /// For each method, the time until which its errors are not logged, and the number of errors that were suppressed
    /// since then.
    private let told = Mutex<[String: (until: ContinuousClock.Instant, heldBack: Int)]>([:])

    init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    func note(_ error: any Error, in method: String) {
        let now = now()
        let before: Int? = told.withLock { told in
            if let last = told[method], last.until > now {
                told[method]?.heldBack += 1
                return nil
            }
            let before = told[method]?.heldBack ?? 0
            told[method] = (now + Self.pause, 0)
            return before
        }
        guard let before else { return }
        var metadata: Logger.Metadata = [
            "method": "\(method)", "error": "\(ForeignText(String(describing: error)))",
        ]
        if before > 0 { metadata["before"] = "\(before)" }
        logger.error(
            "A method failed with an error that its interface does not have.", metadata: metadata)
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

    /// Interfaces that the service provides. The service itself sets this property.
    fileprivate(set) var interfaces: [String] = []

    /// Creates the description of a service.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
