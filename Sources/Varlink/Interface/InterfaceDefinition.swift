/// Definition of a Varlink interface, with its types, methods and errors.
///
/// ``init(parsing:)`` creates a definition from its text. The text is stored unchanged, because
/// `GetInterfaceDescription` returns it. Source: varlink.org, "Interface Definition".
public struct InterfaceDefinition: Sendable, Equatable {
    /// Name of the interface in reverse-domain form, for example `org.varlink.service`.
    public let name: String

    /// Comment above the `interface` line, without `#`, with its lines joined by newlines. Empty if there is no
    /// comment.
    public let documentation: String

    /// Text of the definition, exactly as it was parsed.
    public let text: String

    /// Named types, in the order of their declarations.
    public let types: [TypeDefinition]

    /// Methods, in the order of their declarations.
    public let methods: [MethodDefinition]

    /// Errors, in the order of their declarations.
    public let errors: [ErrorDefinition]

    /// Fully qualified names of the methods, for example `org.varlink.service.GetInfo`.
    public var qualifiedMethods: [String] { methods.map { "\(name).\($0.name)" } }

    /// Returns the method with the given name, or `nil` if the interface has no such method.
    ///
    /// - Parameter name: The name without the interface, for example `GetInfo`.
    public func method(named name: String) -> MethodDefinition? {
        methods.first { $0.name == name }
    }

    /// Returns the type with the given name, or `nil` if the interface has no such type.
    public func type(named name: String) -> TypeDefinition? {
        types.first { $0.name == name }
    }
}

/// Type of a field, which determines the JSON values that the field may contain.
public indirect enum ValueType: Sendable, Equatable {
    /// `bool`: true or false.
    case bool
    /// `int`: a signed 64-bit integer.
    case int
    /// `float`: any JSON number.
    case float
    /// `string`: a JSON string.
    case string
    /// `object`: any JSON value except null. The interface does not describe its structure.
    case object
    /// A named type that the interface declares.
    case named(String)
    /// An anonymous structure.
    case structure([Field])
    /// An enumeration: one of these names, as a JSON string.
    case enumeration([EnumerationCase])
    /// `[]T`: a JSON array.
    case array(ValueType)
    /// `[string]T`: a JSON object with arbitrary keys.
    case map(ValueType)
    /// `?T`: the value may be null or absent.
    case nullable(ValueType)
}

/// Field of a structure, or parameter of a method or an error.
public struct Field: Sendable, Equatable {
    /// Name of the field in JSON.
    public let name: String
    /// Type of the field.
    public let type: ValueType
    /// Comment above the field. Empty if there is no comment.
    public let documentation: String
}

/// Case of an enumeration.
public struct EnumerationCase: Sendable, Equatable {
    /// Name of the case in JSON.
    public let name: String
    /// Comment above the case. Empty if there is no comment.
    public let documentation: String
}

/// Named type, which is always a structure or an enumeration.
public struct TypeDefinition: Sendable, Equatable {
    /// Name of the type, for example `SceneState`.
    public let name: String
    /// Either ``ValueType/structure(_:)`` or ``ValueType/enumeration(_:)``.
    public let type: ValueType
    /// Comment above the type. Empty if there is no comment.
    public let documentation: String
}

/// Method with its parameters and its reply.
public struct MethodDefinition: Sendable, Equatable {
    /// Name of the method without the interface, for example `GetInfo`.
    public let name: String
    /// Parameters of a call.
    public let parameters: [Field]
    /// Parameters of the reply.
    public let reply: [Field]
    /// Comment above the method. Empty if there is no comment.
    public let documentation: String
}

/// Error that the interface's methods can return.
public struct ErrorDefinition: Sendable, Equatable {
    /// Name of the error without the interface, for example `InterfaceNotFound`.
    public let name: String
    /// Parameters of the error.
    public let parameters: [Field]
    /// Comment above the error. Empty if there is no comment.
    public let documentation: String
}

extension InterfaceDefinition {
    /// Maximum nesting depth of types.
    public static let maximumDepth = 64

    /// Parses an interface definition.
    ///
    /// The text may come from an untrusted source: any text yields either a definition or an error. Comments directly
    /// above a declaration become its documentation.
    /// - Throws: ``InterfaceSyntaxError`` with the line and column of the error. Source: varlink.org, "Interface
    ///   Definition".
    public init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text: text)
        self = try parser.parse()
    }
}

extension InterfaceDefinition {
    /// Name of the interface that every Varlink service provides.
    public static let serviceName = "org.varlink.service"

    /// Definition of the `org.varlink.service` interface, as published on varlink.org.
    static let serviceText = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()

        """
}
