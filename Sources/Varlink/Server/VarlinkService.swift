import Glibc
public import Logging
import Synchronization

/// The methods of a service, without any connection: takes a call, gives a reply.
public struct VarlinkService: Sendable {
    private struct Method: Sendable {
        let definition: MethodDefinition
        let interface: InterfaceDefinition
        let body: InterfaceImplementation.Body?
        let isLooking: Bool
        let isStreaming: Bool
    }

    private var methods: [String: Method] = [:]
    private var definitions: [String: InterfaceDefinition] = [:]
    private let observe: @Sendable (Call, Peer) -> Void
    private let faults: FaultLog
    private let refusal: VarlinkError?

    /// A service with these interfaces and `org.varlink.service`.
    /// - Parameters:
    ///   - info: What `GetInfo` tells.
    ///   - interfaces: The interfaces, with a function for each method.
    ///   - observe: Is told of each call that fits its definition, before it is carried out.
    ///   - refusal: Answers every call of who may call, and none is carried out; nil: they are.
    ///   - logger: Is told of faults of the functions.
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
                isStreaming: interface.streaming.contains(method.name))
        }
    }

    /// Whether a method may have several replies.
    public func isStreaming(_ call: Call) -> Bool { methods[call.method]?.isStreaming == true }

    /// Whether a method only looks, so that it changes nothing for a client that has gone.
    package func isLooking(_ call: Call) -> Bool { methods[call.method]?.isLooking == true }

    /// Carries one call out. The function runs where the caller runs.
    /// - Parameters:
    ///   - call: The call.
    ///   - peer: The process that calls.
    ///   - access: What the peer may call.
    ///   - stream: Takes the replies before the last one, of a call that asked for `more`.
    ///   - roomForReply: Returns when the reply of the function may be made.
    ///   - hasCallerGone: Tells on any thread whether the peer has closed the connection. It is not asked for a call
    ///     that wants no reply.
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
    /// The error for what a function throws that the protocol has no name for.
    ///
    /// - Parameter message: what the caller may know.
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

/// Logs what functions throw that callers are not told, once a minute for each method.
private final class FaultLog: Sendable {
    private static let pause = Duration.seconds(60)

    private let logger: Logger
    /// Until when nothing is logged of a method, and what was held back since.
    private let told = Mutex<[String: (until: ContinuousClock.Instant, heldBack: Int)]>([:])

    init(_ logger: Logger) {
        self.logger = logger
    }

    func note(_ error: any Error, in method: String) {
        let now = ContinuousClock.now
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

/// What `org.varlink.service.GetInfo` tells of a service.
public struct ServiceInfo: Encodable, Sendable, Equatable {
    /// Who makes the service.
    public let vendor: String

    /// What it is called.
    public let product: String

    /// Its version.
    public let version: String

    /// Where to read about it.
    public let url: String

    /// The interfaces that it has, which the service adds itself.
    fileprivate(set) var interfaces: [String] = []

    /// What a service tells of itself.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
