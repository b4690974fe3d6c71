/// A Varlink interface: its name and the types, methods and errors that its definition declares.
///
/// Made from text by ``init(parsing:)``; the text is kept unchanged, because
/// `GetInterfaceDescription` answers it. Source: varlink.org, "Interface Definition".
public struct InterfaceDefinition: Sendable, Equatable {
    /// The interface's name in reverse-domain form, for example `org.varlink.service`.
    public let name: String

    /// The comment above the `interface` line, without `#`, lines joined by newlines; empty without
    /// one.
    public let documentation: String

    /// The text that was parsed, byte for byte.
    public let text: String

    /// The named types, in the order of the text.
    public let types: [TypeDefinition]

    /// The methods, in the order of the text.
    public let methods: [MethodDefinition]

    /// The errors, in the order of the text.
    public let errors: [ErrorDefinition]

    /// The names of the methods behind that of the interface: `org.varlink.service.GetInfo`.
    public var qualifiedMethods: [String] { methods.map { "\(name).\($0.name)" } }

    /// The method with this name (`GetInfo`, not `org.varlink.service.GetInfo`), or nil.
    public func method(named name: String) -> MethodDefinition? {
        methods.first { $0.name == name }
    }

    /// The named type with this name, or nil.
    public func type(named name: String) -> TypeDefinition? {
        types.first { $0.name == name }
    }
}

/// The type of a field: what JSON value it may hold.
public indirect enum ValueType: Sendable, Equatable {
    /// `bool`: true or false.
    case bool
    /// `int`: a whole number of 64 bits with a sign.
    case int
    /// `float`: any JSON number.
    case float
    /// `string`: a JSON string.
    case string
    /// `object`: any JSON value but null; its shape is not described by the interface.
    case object
    /// A type that the interface declares under this name.
    case named(String)
    /// A structure written in place.
    case structure([Field])
    /// One of these words, as a JSON string.
    case enumeration([EnumerationCase])
    /// `[]T`: a JSON array.
    case array(ValueType)
    /// `[string]T`: a JSON object with any keys.
    case map(ValueType)
    /// `?T`: the value may be null or absent.
    case nullable(ValueType)
}

/// One field of a structure, or one parameter of a method or an error.
public struct Field: Sendable, Equatable {
    /// The name, as it stands in JSON.
    public let name: String
    /// What it may hold.
    public let type: ValueType
    /// The comment above it; empty without one.
    public let documentation: String
}

/// One word of an enumeration.
public struct EnumerationCase: Sendable, Equatable {
    /// The word, as it stands in JSON.
    public let name: String
    /// The comment above it; empty without one.
    public let documentation: String
}

/// A named type: always a structure or an enumeration.
public struct TypeDefinition: Sendable, Equatable {
    /// The name, for example `SceneState`.
    public let name: String
    /// Either ``ValueType/structure(_:)`` or ``ValueType/enumeration(_:)``.
    public let type: ValueType
    /// The comment above it; empty without one.
    public let documentation: String
}

/// A method with what it takes and what it replies.
public struct MethodDefinition: Sendable, Equatable {
    /// The name without the interface, for example `GetInfo`.
    public let name: String
    /// The parameters of a call.
    public let parameters: [Field]
    /// The parameters of the reply.
    public let reply: [Field]
    /// The comment above it; empty without one.
    public let documentation: String
}

/// An error that methods of the interface may reply.
public struct ErrorDefinition: Sendable, Equatable {
    /// The name without the interface, for example `InterfaceNotFound`.
    public let name: String
    /// The parameters that go with the error.
    public let parameters: [Field]
    /// The comment above it; empty without one.
    public let documentation: String
}

extension InterfaceDefinition {
    /// How deep types may be nested in one another.
    public static let maximumDepth = 64

    /// Reads an interface definition.
    ///
    /// Total: any text gives a definition or an error. Comments directly above a declaration become
    /// its documentation.
    /// - Throws: What is wrong, with line and column.
    /// Source: varlink.org, "Interface Definition".
    public init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text: text)
        self = try parser.parse()
    }
}

extension InterfaceDefinition {
    /// The name of the interface that every Varlink service has.
    public static let serviceName = "org.varlink.service"

    /// The text of `org.varlink.service` as varlink.org publishes it.
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
