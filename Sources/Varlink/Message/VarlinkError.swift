/// An error that a method replies: the protocol's way to refuse a call.
///
/// A handler throws it to refuse; a client throws it when it was refused.
public struct VarlinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fully qualified name, for example `org.varlink.service.InvalidParameter`.
    public let name: String

    /// The error's parameters as one JSON object in UTF-8.
    public let parameters: [UInt8]

    /// An error whose parameters are JSON already.
    /// - Parameters:
    ///   - name: The fully qualified name.
    ///   - parameters: One JSON object in UTF-8; `{}` by default.
    public init(name: String, parameters: [UInt8] = Array("{}".utf8)) {
        self.name = name
        self.parameters = parameters
    }

    /// An error with typed parameters.
    /// - Parameters:
    ///   - name: The fully qualified name.
    ///   - parameters: A value that is encoded as a JSON object.
    /// - Throws: `EncodingError` if the value cannot be JSON.
    public init(name: String, encoding parameters: some Encodable) throws {
        self.init(name: name, parameters: try JSONText.encode(parameters))
    }

    /// The parameters as a typed value.
    /// - Throws: `DecodingError` if they are of another shape.
    public func parameters<Parameters: Decodable>(
        as type: Parameters.Type
    ) throws -> Parameters {
        try JSONText.decode(type, from: parameters)
    }

    /// One sentence: for a standard error in plain words, else the name with its parameters.
    public var description: String {
        switch StandardName(rawValue: name) {
        case .interfaceNotFound:
            "The service has no interface \"\(subject)\"; GetInfo lists those it has."
        case .methodNotFound:
            "The service has no method \"\(subject)\"; its interface description lists those it has."
        case .methodNotImplemented:
            "The service does not carry out the method \"\(subject)\", although its interface has it."
        case .invalidParameter:
            "The parameter \"\(subject)\" is unknown, missing or of the wrong type; compare it with the interface description."
        case .permissionDenied:
            "The service does not let this user call it; call it as its own user, as root or as a member of its group."
        case .expectedMore: "The method replies several times; call it with \"more\"."
        case nil where parameters == Call.noParameters: "The service refused: \(name)."
        case nil: "The service refused: \(name) \(String(decoding: parameters, as: UTF8.self))."
        }
    }

    /// The one string that a standard error carries; "?" for one whose parameters are of another
    /// shape.
    private var subject: String {
        do {
            return try parameters(as: [String: String].self).values.first ?? "?"
        } catch {
            return "?"
        }
    }
}

/// The errors of `org.varlink.service`. Source: varlink.org, "Service Interface".
extension VarlinkError {
    /// The names of the standard errors.
    public enum StandardName: String, Sendable, CaseIterable {
        /// The service has no such interface.
        case interfaceNotFound = "org.varlink.service.InterfaceNotFound"
        /// The interface has no such method.
        case methodNotFound = "org.varlink.service.MethodNotFound"
        /// The interface has the method, but this service does not carry it out.
        case methodNotImplemented = "org.varlink.service.MethodNotImplemented"
        /// A parameter is unknown, missing or of the wrong type.
        case invalidParameter = "org.varlink.service.InvalidParameter"
        /// The caller may not call this service.
        case permissionDenied = "org.varlink.service.PermissionDenied"
        /// The method replies several times and must be called with `more`.
        case expectedMore = "org.varlink.service.ExpectedMore"
    }

    /// `InterfaceNotFound` for the interface of that name.
    public static func interfaceNotFound(_ interface: String) -> Self {
        Self(.interfaceNotFound, "interface", interface)
    }

    /// `MethodNotFound` for the fully qualified method.
    public static func methodNotFound(_ method: String) -> Self {
        Self(.methodNotFound, "method", method)
    }

    /// `MethodNotImplemented` for the fully qualified method.
    public static func methodNotImplemented(_ method: String) -> Self {
        Self(.methodNotImplemented, "method", method)
    }

    /// `InvalidParameter` for the parameter of that name.
    public static func invalidParameter(_ parameter: String) -> Self {
        Self(.invalidParameter, "parameter", parameter)
    }

    /// `PermissionDenied`.
    public static let permissionDenied = Self(name: StandardName.permissionDenied.rawValue)

    /// `ExpectedMore`.
    public static let expectedMore = Self(name: StandardName.expectedMore.rawValue)

    private init(_ standard: StandardName, _ field: String, _ value: String) {
        self.init(name: standard.rawValue, parameters: JSONText.object(field, value))
    }
}
