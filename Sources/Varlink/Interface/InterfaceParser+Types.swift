extension InterfaceParser {
    /// A structure in parentheses.
    mutating func structure(
        depth: Int
    ) throws(InterfaceSyntaxError) -> [Field] {
        let offset = token.offset
        guard case .structure(let fields) = try composite(depth: depth) else {
            throw error(
                .unexpected(found: "an enumeration", expected: "a structure with typed fields"),
                at: offset)
        }
        return fields
    }

    /// `( … )`: a structure when its first name has a colon or it is empty, else an enumeration.
    mutating func composite(depth: Int) throws(InterfaceSyntaxError) -> ValueType {
        guard depth <= InterfaceDefinition.maximumDepth else {
            throw error(.tooDeep, at: token.offset)
        }
        try expect(symbol: "(")
        var fields: [Field] = []
        var cases: [EnumerationCase] = []
        var names: Set<String> = []
        if token.kind == .symbol(")") {
            advance()
            return .structure([])
        }
        while true {
            let documentation = token.documentation
            let offset = token.offset
            let name = try word("a field's name", InterfaceNames.isField) { .badFieldName($0) }
            guard names.insert(name).inserted else { throw error(.duplicate(name), at: offset) }
            if token.kind == .symbol(":"), cases.isEmpty {
                advance()
                fields.append(
                    .init(name: name, type: try type(depth: depth), documentation: documentation))
            } else if fields.isEmpty {
                cases.append(.init(name: name, documentation: documentation))
            } else {
                throw unexpected("\":\" and a type")
            }
            if token.kind == .symbol(")") { break }
            guard token.kind == .symbol(",") else { throw unexpected("\",\" or \")\"") }
            advance()
        }
        advance()
        return cases.isEmpty ? .structure(fields) : .enumeration(cases)
    }

    private mutating func type(
        depth: Int, mayBeNullable: Bool = true
    ) throws(InterfaceSyntaxError) -> ValueType {
        guard depth <= InterfaceDefinition.maximumDepth else {
            throw error(.tooDeep, at: token.offset)
        }
        switch token.kind {
        case .symbol("?") where mayBeNullable:
            advance()
            return .nullable(try type(depth: depth + 1, mayBeNullable: false))
        case .symbol("[]"):
            advance()
            return .array(try type(depth: depth + 1))
        case .symbol("[string]"):
            advance()
            return .map(try type(depth: depth + 1))
        case .symbol("("):
            return try composite(depth: depth + 1)
        case .word(let word):
            let offset = token.offset
            advance()
            switch word {
            case "bool": return .bool
            case "int": return .int
            case "float": return .float
            case "string": return .string
            case "object": return .object
            default:
                guard InterfaceNames.isType(word) else {
                    throw error(.unknownType(word), at: offset)
                }
                references.append((word, offset))
                return .named(word)
            }
        default: throw unexpected("a type")
        }
    }
}
