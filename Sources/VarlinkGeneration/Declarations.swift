import ExactText
import Varlink

/// Structure to generate.
struct Structure {
    let name: String
    let documentation: String
    let properties: [Property]
    /// Declarations for the anonymous structures and enumerations in the fields.
    let nestedDeclarations: [Declaration]
    /// Handwritten protocols to which the structure conforms.
    let conformances: [String]
}

/// Enumeration to generate.
struct Enumeration {
    let name: String
    let documentation: String
    let cases: [EnumerationCase]
}

/// Type to generate.
enum Declaration {
    case structure(Structure)
    case enumeration(Enumeration)
}

/// Property to generate in a structure.
struct Property {
    let field: Field
    /// Swift type as written inside the structure.
    let type: String
    /// Swift type as written outside the enumeration that represents the interface.
    let qualifiedType: String
    /// Initial value of the property.
    let initialValue: String
    /// Whether the value needs indirect storage, because it can contain another instance of the same structure.
    let isBoxed: Bool

    var identifier: String { SwiftName.identifier(field.name) }
    var isRequired: Bool { !field.type.isNullable }

    /// Argument label for the property.
    var label: String { SwiftName.label(field.name) }

    /// Initializer parameter. Its default value is `nil` if the field is nullable.
    var parameter: String { "\(label): \(type)\(isRequired ? "" : " = nil")" }

    /// Parameter for a function outside the enumeration that represents the interface.
    var qualifiedParameter: String { "\(label): \(qualifiedType)\(isRequired ? "" : " = nil")" }

    /// Argument that passes the parameter with the same name.
    var argument: String { "\(label): \(identifier)" }
}

/// Names and types of the Swift declarations for one interface.
struct Declarations {
    let definition: InterfaceDefinition
    let options: GenerationOptions
    /// Swift names of the declared types and of the structures for method parameters.
    private var declaredTypeNames: Set<String> = []

    init(_ definition: InterfaceDefinition, _ options: GenerationOptions) throws(GenerationError) {
        self.definition = definition
        self.options = options
        for name in options.typeNames.keys where definition.type(named: name) == nil {
            throw .unknownType(name: name)
        }
        let names =
            definition.types.map { name(of: $0.name) }
            + definition.methods.map { callTypeName($0) }
        var reservedNames =
            options.declaresTypesAtTopLevel
            ? SwiftName.namesInGeneratedCode.union(interfaceNames) : interfaceNames
        if options.objectType != "RawJSON" { reservedNames.insert(options.objectType) }
        for name in names {
            guard !reservedNames.contains(name), declaredTypeNames.insert(name).inserted else {
                throw .repeated(name: name)
            }
        }
        for type in definition.types
        where containsDirectly(type.type, type.name, onlyRequired: true) {
            throw .infinitelyRecursive(type: type.name)
        }
    }

    // MARK: Names

    /// Prefix for the names of the client, the protocol and the other declarations.
    var namePrefix: String {
        if let namePrefix = options.namePrefix { return namePrefix }
        let lastComponent = definition.name.split(separator: ".").last ?? ""
        return lastComponent.split(separator: "-").map { SwiftName.capitalized(String($0)) }
            .joined()
    }

    /// Names of the generated declarations that stand for the interface as a whole.
    private var interfaceNames: Set<String> {
        Set(
            ["Interface", "Error", "Method", "Methods", "Dispatcher", "Client"].map {
                namePrefix + $0
            })
    }

    /// Returns the name of a type in the standard library or the `Varlink` module. If a declared type has the same
    /// name, the returned name is qualified with its module.
    func libraryName(_ name: String) -> String {
        guard declaredTypeNames.contains(name) else { return name }
        let standardTypeNames: Set<String> = [
            "Bool", "CaseIterable", "Double", "Equatable", "Int", "Sendable", "String",
        ]
        return (standardTypeNames.contains(name) ? "Swift." : "Varlink.") + name
    }

    /// Returns the Swift name of a declared type.
    func name(of type: String) -> String {
        options.typeNames[type] ?? SwiftName.identifier(type)
    }

    /// Returns the name of the structure that contains a method's parameters.
    func callTypeName(_ method: MethodDefinition) -> String { "\(method.name)Call" }

    /// Returns a name for use outside the interface's own types.
    func qualifiedName(_ name: String) -> String {
        options.declaresTypesAtTopLevel ? name : "\(namePrefix)Interface.\(name)"
    }

    // MARK: Types

    /// Returns a structure with the given fields.
    ///
    /// - Parameters:
    ///   - kind: Kind of the structure, which determines its handwritten protocols, or `nil` if it conforms to no
    ///     handwritten protocol.
    ///   - qualifiedTypeName: Name of the structure as written outside the enumeration that represents the
    ///     interface.
    ///   - usesQualifiedNames: Whether the structure is declared outside this enumeration.
    func structure(
        _ name: String, _ fields: [Field], _ documentation: String,
        _ kind: GenerationOptions.Conformance.Kind?, qualifiedTypeName: String,
        usesQualifiedNames: Bool = false
    ) -> Structure {
        var nestedDeclarations: [Declaration] = []
        let properties = fields.map { field in
            let nestedName = nestedName(of: field)
            let declaration = anonymousDeclaration(
                field.type, nestedName, field,
                qualifiedTypeName: "\(qualifiedTypeName).\(nestedName)",
                usesQualifiedNames)
            if let declaration { nestedDeclarations.append(declaration) }
            return Property(
                field: field,
                type: swiftType(field.type, nestedName, usesQualifiedNames: usesQualifiedNames),
                qualifiedType: swiftType(
                    field.type, "\(qualifiedTypeName).\(nestedName)", usesQualifiedNames: true),
                initialValue: initialValue(field.type),
                isBoxed: definition.types.contains {
                    self.name(of: $0.name) == name
                        && containsDirectly(field.type, $0.name, onlyRequired: false)
                })
        }
        let conformances = options.conformances.filter { conformance in
            conformance.kind == kind
                && conformance.fields.allSatisfy { name, type in
                    fields.contains { $0.name == name && varlinkNotation($0.type) == type }
                }
        }
        return Structure(
            name: name, documentation: documentation, properties: properties,
            nestedDeclarations: nestedDeclarations,
            conformances: conformances.map(\.name))
    }

    private func anonymousDeclaration(
        _ type: ValueType, _ name: String, _ field: Field, qualifiedTypeName: String,
        _ usesQualifiedNames: Bool
    ) -> Declaration? {
        let documentation =
            field.documentation.isEmpty ? "Value of `\(field.name)`." : field.documentation
        switch type {
        case .structure(let fields):
            return .structure(
                structure(
                    name, fields, documentation, nil,
                    qualifiedTypeName: qualifiedTypeName,
                    usesQualifiedNames: usesQualifiedNames))
        case .enumeration(let cases):
            return .enumeration(Enumeration(name: name, documentation: documentation, cases: cases))
        case .array(let innerType), .map(let innerType), .nullable(let innerType):
            return anonymousDeclaration(
                innerType, name, field, qualifiedTypeName: qualifiedTypeName,
                usesQualifiedNames)
        case .bool, .int, .float, .string, .object, .named: return nil
        }
    }

    /// Returns the type name for an anonymous structure or enumeration.
    private func nestedName(of field: Field) -> String {
        let name = SwiftName.capitalized(field.name)
        return declaredTypeNames.contains(name) || SwiftName.namesInGeneratedCode.contains(name)
            ? name + "Value" : name
    }

    private func swiftType(_ type: ValueType, _ nestedName: String, usesQualifiedNames: Bool)
        -> String
    {
        func innerType(_ type: ValueType) -> String {
            swiftType(type, nestedName, usesQualifiedNames: usesQualifiedNames)
        }
        func libraryName(_ name: String) -> String {
            usesQualifiedNames ? name : self.libraryName(name)
        }
        return switch type {
        case .bool: libraryName("Bool")
        case .int: libraryName("Int")
        case .float: libraryName("Double")
        case .string: libraryName("String")
        case .object:
            options.objectType == "RawJSON" ? libraryName("RawJSON") : options.objectType
        case .named(let name):
            usesQualifiedNames ? qualifiedName(self.name(of: name)) : self.name(of: name)
        case .structure, .enumeration: nestedName
        case .array(let elementType): "[\(innerType(elementType))]"
        case .map(let elementType): "[\(libraryName("String")): \(innerType(elementType))]"
        case .nullable(let wrappedType): "\(innerType(wrappedType))?"
        }
    }

    private func initialValue(_ type: ValueType) -> String {
        switch type {
        case .bool: "false"
        case .int, .float: "0"
        case .string: "\"\""
        case .object, .structure: ".init()"
        case .named(let name): definition.type(named: name).map { initialValue($0.type) } ?? ""
        case .enumeration(let cases): cases.first.map { ".\(SwiftName.identifier($0.name))" } ?? ""
        case .array: "[]"
        case .map: "[:]"
        case .nullable: "nil"
        }
    }

    /// Returns whether a value of the given type can directly contain a value of a named type.
    ///
    /// Elements of arrays and maps do not count.
    ///
    /// - Parameter onlyRequired: Whether nullable fields are ignored.
    private func containsDirectly(
        _ type: ValueType, _ name: String, onlyRequired: Bool, _ visitedTypeNames: Set<String> = []
    ) -> Bool {
        switch type {
        case .bool, .int, .float, .string, .object, .enumeration, .array, .map: return false
        case .nullable(let wrappedType):
            return !onlyRequired
                && containsDirectly(wrappedType, name, onlyRequired: onlyRequired, visitedTypeNames)
        case .structure(let fields):
            return fields.contains {
                containsDirectly($0.type, name, onlyRequired: onlyRequired, visitedTypeNames)
            }
        case .named(let typeName):
            if typeName == name { return true }
            guard !visitedTypeNames.contains(typeName),
                let definedType = definition.type(named: typeName)
            else {
                return false
            }
            return containsDirectly(
                definedType.type, name, onlyRequired: onlyRequired,
                visitedTypeNames.union([typeName]))
        }
    }

    /// Returns a type in Varlink notation.
    private func varlinkNotation(_ type: ValueType) -> String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name): name
        case .structure, .enumeration: "()"
        case .array(let elementType): "[]\(varlinkNotation(elementType))"
        case .map(let elementType): "[string]\(varlinkNotation(elementType))"
        case .nullable(let wrappedType): "?\(varlinkNotation(wrappedType))"
        }
    }
}
