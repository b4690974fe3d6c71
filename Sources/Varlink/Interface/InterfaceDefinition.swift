/// A Varlink interface: its name and the types, methods and errors that its definition declares.
///
/// Made from text by ``init(parsing:)``; the text is kept unchanged, because
/// `GetInterfaceDescription` answers it. Source: varlink.org, "Interface Definition".
package struct InterfaceDefinition: Sendable, Equatable {
    /// The interface's name in reverse-domain form, for example `org.varlink.service`.
    package let name: String

    /// The comment above the `interface` line, without `#`, lines joined by newlines; empty without
    /// one.
    package let documentation: String

    /// The text that was parsed, byte for byte.
    package let text: String

    /// The named types, in the order of the text.
    package let types: [TypeDefinition]

    /// The methods, in the order of the text.
    package let methods: [MethodDefinition]

    /// The errors, in the order of the text.
    package let errors: [ErrorDefinition]

    private let typesByName: [String: TypeDefinition]
    private let methodsByName: [String: MethodDefinition]

    init(
        name: String, documentation: String, text: String, types: [TypeDefinition],
        methods: [MethodDefinition], errors: [ErrorDefinition]
    ) {
        self.name = name
        self.documentation = documentation
        self.text = text
        self.types = types
        self.methods = methods
        self.errors = errors
        typesByName = Dictionary(
            types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        methodsByName = Dictionary(
            methods.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The method with this name (`GetInfo`, not `org.varlink.service.GetInfo`), or nil.
    package func method(named name: String) -> MethodDefinition? {
        methodsByName[name]
    }

    /// The named type with this name, or nil.
    package func type(named name: String) -> TypeDefinition? {
        typesByName[name]
    }

    /// The error with this name (without the interface's name), or nil.
    package func error(named name: String) -> ErrorDefinition? {
        errors.first { $0.name == name }
    }
}
