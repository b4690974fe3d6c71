/// Error with which a method refuses a call.
///
/// In a service, the function that implements a method throws this error to refuse a call. A client throws the error if
/// the service has refused its call.
public struct VarlinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Fully qualified name, for example `org.varlink.service.InvalidParameter`.
    public let name: String

    /// Parameters of the error, as one JSON object in UTF-8.
    public let parameters: [UInt8]

    /// Creates an error with parameters that are already JSON.
    /// - Parameters:
    ///   - name: The fully qualified name of the error.
    ///   - parameters: One JSON object in UTF-8; `{}` by default.
    public init(name: String, parameters: [UInt8] = Array("{}".utf8)) {
        self.name = name
        self.parameters = parameters
    }

    /// Creates an error with typed parameters.
    /// - Parameters:
    ///   - name: The fully qualified name of the error.
    ///   - parameters: A value that is encoded as a JSON object.
    /// - Throws: `EncodingError` if the value cannot be encoded as JSON.
    public init(name: String, encoding parameters: some Encodable) throws {
        self.init(name: name, parameters: try JSONText.encode(parameters))
    }

    /// Creates an error with parameters of a generated type.
    /// - Parameters:
    ///   - name: The fully qualified name of the error.
    ///   - fields: The parameters. If they contain a number that JSON cannot represent, the error has no parameters.
    public init(name: String, fields: some JSONMessage) {
        do throws(JSONWritingError) {
            self.init(name: name, parameters: try JSONText.write(fields))
        } catch {
            self.init(name: name)
        }
    }

    /// Reads the parameters as a generated type. Unknown parameters are ignored.
    public func read<Fields: JSONMessage>(
        _ type: Fields.Type
    ) throws(JSONReadingError) -> Fields {
        try JSONText.read(type, from: parameters)
    }

    /// Decodes the parameters as a typed value.
    /// - Throws: `DecodingError` if the parameters do not match the type.
    public func parameters<Parameters: Decodable>(
        as type: Parameters.Type
    ) throws -> Parameters {
        try JSONText.decode(type, from: parameters)
    }

    /// Sentence that explains a standard error, or that states the name and parameters of any other error.
    public var description: String {
        switch StandardName(rawValue: name) {
        case .interfaceNotFound:
            "The service has no interface \"\(offendingName)\"; GetInfo lists its interfaces."
        case .methodNotFound:
            "The service has no method \"\(offendingName)\"; its interface description lists its methods."
        case .methodNotImplemented:
            "The service does not implement the method \"\(offendingName)\" of its interface."
        case .invalidParameter:
            "The parameter \"\(offendingName)\" is unknown, missing or of the wrong type; compare it with the interface description."
        case .permissionDenied:
            "This user has no permission to call the service; call it as the service's user, as root or as a member of its group."
        case .expectedMore: "The method sends more than one reply; call it with \"more\"."
        case nil where parameters == Call.noParameters: "The service returned the error \(name)."
        case nil:
            "The service returned the error \(name) \(String(decoding: parameters, as: UTF8.self))."
        }
    }

    /// Name of the interface, method or parameter that caused a standard error, or "?" if the parameters of the error
    /// have an unexpected format.
    private var offendingName: String {
        do {
            return try parameters(as: [String: String].self).values.first ?? "?"
        } catch {
            return "?"
        }
    }
}

/// Standard errors of `org.varlink.service`. Source: varlink.org, "Service Interface".
extension VarlinkError {
    /// Name of a standard error.
    public enum StandardName: String, Sendable, CaseIterable {
        /// The service does not provide the interface.
        case interfaceNotFound = "org.varlink.service.InterfaceNotFound"
        /// The interface does not define the method.
        case methodNotFound = "org.varlink.service.MethodNotFound"
        /// The interface defines the method, but this service does not implement it.
        case methodNotImplemented = "org.varlink.service.MethodNotImplemented"
        /// A parameter is unknown, is missing or has the wrong type.
        case invalidParameter = "org.varlink.service.InvalidParameter"
        /// The caller may not call this method.
        case permissionDenied = "org.varlink.service.PermissionDenied"
        /// The method replies several times, so the call must set `more`.
        case expectedMore = "org.varlink.service.ExpectedMore"
    }

    /// Creates an `InterfaceNotFound` error for an interface name.
    public static func interfaceNotFound(_ interface: String) -> Self {
        Self(.interfaceNotFound, "interface", interface)
    }

    /// Creates a `MethodNotFound` error for a fully qualified method name.
    public static func methodNotFound(_ method: String) -> Self {
        Self(.methodNotFound, "method", method)
    }

    /// Creates a `MethodNotImplemented` error for a fully qualified method name.
    public static func methodNotImplemented(_ method: String) -> Self {
        Self(.methodNotImplemented, "method", method)
    }

    /// Creates an `InvalidParameter` error for a parameter name.
    public static func invalidParameter(_ parameter: String) -> Self {
        Self(.invalidParameter, "parameter", parameter)
    }

    /// `PermissionDenied` error.
    public static let permissionDenied = Self(name: StandardName.permissionDenied.rawValue)

    /// `ExpectedMore` error.
    public static let expectedMore = Self(name: StandardName.expectedMore.rawValue)

    private init(_ standardName: StandardName, _ fieldName: String, _ value: String) {
        self.init(
            name: standardName.rawValue, parameters: JSONText.objectWithMember(fieldName, value))
    }
}
