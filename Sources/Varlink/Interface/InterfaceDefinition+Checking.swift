extension InterfaceDefinition {
    /// Returns the name of the first parameter that the method's definition does not allow, or `nil` if all parameters
    /// are valid.
    ///
    /// A parameter is invalid if the definition does not declare it, if the object contains it twice, or if it has the
    /// wrong type at any depth. A missing parameter is invalid unless its type is nullable.
    /// - Returns: The name of the top-level parameter, even if the error is inside its value.
    func invalidParameterName(in object: [JSONValue.Member], for fields: [Field]) -> String? {
        var seenNames: Set<String> = []
        for member in object {
            guard seenNames.insert(member.name).inserted,
                let field = fields.first(where: { $0.name == member.name }),
                isValid(member.value, as: field.type)
            else { return member.name }
        }
        return fields.first { !$0.type.isNullable && !seenNames.contains($0.name) }?.name
    }

    /// Returns whether a value matches a type. The nesting of the value limits the depth of the recursion.
    private func isValid(_ value: JSONValue, as type: ValueType) -> Bool {
        switch (type, value) {
        case (.nullable, .null): true
        case (.nullable(let wrappedType), _): isValid(value, as: wrappedType)
        case (.named(let name), _):
            self.type(named: name).map { isValid(value, as: $0.type) } ?? false
        case (.bool, .bool), (.string, .string): true
        case (.int, .number(let text)): JSONValue.integerValue(text) != nil
        case (.float, .number(let text)): JSONValue.isRepresentableAsDouble(text)
        case (.object, let value): value != .null
        case (.enumeration(let cases), .string(let text)): cases.contains { $0.name == text }
        case (.array(let elementType), .array(let values)):
            values.allSatisfy { isValid($0, as: elementType) }
        case (.map(let elementType), .object(let members)):
            members.allSatisfy { isValid($0.value, as: elementType) }
        case (.structure(let fields), .object(let members)):
            invalidParameterName(in: members, for: fields) == nil
        default: false
        }
    }
}

extension ValueType {
    /// Whether the type allows null and absent values.
    public var isNullable: Bool {
        if case .nullable = self { true } else { false }
    }
}
