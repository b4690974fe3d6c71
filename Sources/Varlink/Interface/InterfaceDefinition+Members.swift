/// The type of a field: what JSON value it may hold.
package indirect enum ValueType: Sendable, Equatable {
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
package struct Field: Sendable, Equatable {
    /// The name, as it stands in JSON.
    package let name: String
    /// What it may hold.
    package let type: ValueType
    /// The comment above it; empty without one.
    package let documentation: String
}

/// One word of an enumeration.
package struct EnumerationCase: Sendable, Equatable {
    /// The word, as it stands in JSON.
    package let name: String
    /// The comment above it; empty without one.
    package let documentation: String
}

/// A named type: always a structure or an enumeration.
package struct TypeDefinition: Sendable, Equatable {
    /// The name, for example `SceneState`.
    package let name: String
    /// Either ``ValueType/structure(_:)`` or ``ValueType/enumeration(_:)``.
    package let type: ValueType
    /// The comment above it; empty without one.
    package let documentation: String
}

/// A method with what it takes and what it replies.
package struct MethodDefinition: Sendable, Equatable {
    /// The name without the interface, for example `GetInfo`.
    package let name: String
    /// The parameters of a call.
    package let parameters: [Field]
    /// The parameters of the reply.
    package let reply: [Field]
    /// The comment above it; empty without one.
    package let documentation: String
}

/// An error that methods of the interface may reply.
package struct ErrorDefinition: Sendable, Equatable {
    /// The name without the interface, for example `InterfaceNotFound`.
    package let name: String
    /// The parameters that go with the error.
    package let parameters: [Field]
    /// The comment above it; empty without one.
    package let documentation: String
}
