extension InterfaceDefinition {
    /// The first parameter of a call that the method's definition does not allow, or nil.
    ///
    /// Wrong is a parameter that the definition lacks, one that is given twice, one that is missing
    /// although it is not nullable, and one of another type, at any depth.
    /// - Returns: The name of the parameter at the top, also when the fault lies inside its value.
    func invalidParameter(in object: [JSONValue.Member], for fields: [Field]) -> String? {
        var seen: Set<String> = []
        for member in object {
            guard seen.insert(member.name).inserted,
                let field = fields.first(where: { $0.name == member.name }),
                isValid(member.value, as: field.type)
            else { return member.name }
        }
        return fields.first { !$0.type.isNullable && !seen.contains($0.name) }?.name
    }

    /// Whether a value is of a type. The depth of the recursion is bounded by that of the value.
    private func isValid(_ value: JSONValue, as type: ValueType) -> Bool {
        switch (type, value) {
        case (.nullable, .null): true
        case (.nullable(let inner), _): isValid(value, as: inner)
        case (.named(let name), _):
            self.type(named: name).map { isValid(value, as: $0.type) } ?? false
        case (.bool, .bool), (.string, .string): true
        case (.int, .number(let text)): JSONValue.wholeNumber(text) != nil
        case (.float, .number): true
        case (.object, let value): value != .null
        case (.enumeration(let cases), .string(let text)): cases.contains { $0.name == text }
        case (.array(let element), .array(let values)):
            values.allSatisfy { isValid($0, as: element) }
        case (.map(let element), .object(let members)):
            members.allSatisfy { isValid($0.value, as: element) }
        case (.structure(let fields), .object(let members)):
            invalidParameter(in: members, for: fields) == nil
        default: false
        }
    }
}

extension ValueType {
    /// Whether null, or nothing at all, is a value of the type.
    public var isNullable: Bool {
        if case .nullable = self { true } else { false }
    }
}
