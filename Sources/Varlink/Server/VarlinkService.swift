public import Logging

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
    private let logger: Logger

    /// A service with these interfaces and `org.varlink.service`.
    /// - Parameter observe: Is told of each call that fits its definition, before it is carried out.
    /// - Throws: ``InterfaceImplementation/RegistrationError``.
    public init(
        info: ServiceInfo, interfaces: [InterfaceImplementation],
        observe: @escaping @Sendable (Call, Peer) -> Void = { _, _ in }, logger: Logger
    ) throws {
        self.observe = observe
        self.logger = logger
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

    /// Carries one call out. The function runs where the caller runs.
    /// - Parameters:
    ///   - access: What the peer may call.
    ///   - stream: Takes the replies before the last one, of a call that asked for `more`.
    public func answer(
        _ call: Call, from peer: Peer, access: Access, stream: ReplyStream? = nil
    ) async -> ReplyMessage.Outcome {
        if case .none = access { return .error(.permissionDenied) }
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
            let reply = try await body(
                call.parameters,
                CallContext(
                    peer: peer, access: access, method: call.method, oneway: call.oneway,
                    stream: stream))
            guard reply.first == UInt8(ascii: "{") else {
                return .error(internalError(call, "the reply is not a JSON object", method))
            }
            return .parameters(reply)
        } catch let error as VarlinkError {
            return .error(error)
        } catch is CancellationError {
            return .error(internalError(call, "the service ends", method, isTold: false))
        } catch {
            return .error(internalError(call, String(describing: error), method))
        }
    }

    private func notFound(_ method: String) -> VarlinkError {
        guard let dot = method.lastIndex(of: ".") else { return .methodNotFound(method) }
        let interface = String(method[..<dot])
        return definitions[interface] == nil
            ? .interfaceNotFound(interface) : .methodNotFound(method)
    }

    private func internalError(
        _ call: Call, _ reason: String, _ method: Method, isTold: Bool = true
    ) -> VarlinkError {
        if isTold {
            logger.error(
                "A method failed with an error that its interface does not have.",
                metadata: ["method": "\(call.method)", "error": "\(reason)"])
        }
        return VarlinkError(
            name: "\(method.interface.name).InternalError",
            parameters: JSONText.object("message", reason))
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
