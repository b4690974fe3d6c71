/// Parser for one interface definition. It handles arbitrary text and limits its recursion depth.
struct InterfaceParser {
    private var scanner: InterfaceScanner
    private(set) var token: InterfaceScanner.Token
    private let text: String
    private var memberNames: Set<String> = []
    var typeReferences: [(name: String, offset: Int)] = []

    init(text: String) {
        self.text = text
        scanner = InterfaceScanner(bytes: Array(text.utf8))
        token = scanner.next()
    }

    mutating func parse() throws(InterfaceSyntaxError) -> InterfaceDefinition {
        let documentation = token.documentation
        try expect(word: "interface")
        let name = try parseWord("the interface's name", InterfaceNames.isInterface) {
            .badInterfaceName($0)
        }
        var types: [TypeDefinition] = []
        var methods: [MethodDefinition] = []
        var errors: [ErrorDefinition] = []
        repeat {
            let documentation = token.documentation
            guard token.startsLine, case .word(let keyword) = token.kind else {
                throw unexpectedTokenError("\"type\", \"method\" or \"error\" on a line of its own")
            }
            switch keyword {
            case "type":
                types.append(
                    .init(
                        name: try parseMemberName(), type: try parseComposite(depth: 1),
                        documentation: documentation))
            case "method":
                let name = try parseMemberName()
                let parameters = try parseStructure(depth: 1)
                try expect(symbol: "->")
                let reply = try parseStructure(depth: 1)
                methods.append(
                    .init(
                        name: name, parameters: parameters, reply: reply,
                        documentation: documentation))
            case "error":
                errors.append(
                    .init(
                        name: try parseMemberName(), parameters: try parseStructure(depth: 1),
                        documentation: documentation))
            default: throw unexpectedTokenError("\"type\", \"method\" or \"error\"")
            }
        } while token.kind != .end
        let declaredTypeNames = Set(types.map(\.name))
        for reference in typeReferences where !declaredTypeNames.contains(reference.name) {
            throw error(.unknownType(reference.name), at: reference.offset)
        }
        return InterfaceDefinition(
            name: name, documentation: documentation, text: text, types: types, methods: methods,
            errors: errors)
    }

    private mutating func parseMemberName() throws(InterfaceSyntaxError) -> String {
        advance()
        let offset = token.offset
        let name = try parseWord("a name", InterfaceNames.isType) { .badName($0) }
        guard memberNames.insert(name).inserted else { throw error(.duplicate(name), at: offset) }
        return name
    }

    mutating func advance() {
        token = scanner.next()
    }

    mutating func expect(word: String) throws(InterfaceSyntaxError) {
        guard token.kind == .word(word) else { throw unexpectedTokenError("\"\(word)\"") }
        advance()
    }

    mutating func expect(symbol: String) throws(InterfaceSyntaxError) {
        guard token.kind == .symbol(symbol) else { throw unexpectedTokenError("\"\(symbol)\"") }
        advance()
    }

    mutating func parseWord(
        _ what: String, _ isValid: (String) -> Bool,
        otherwise reason: (String) -> InterfaceSyntaxError.Reason
    ) throws(InterfaceSyntaxError) -> String {
        guard case .word(let word) = token.kind else { throw unexpectedTokenError(what) }
        guard isValid(word) else { throw error(reason(word), at: token.offset) }
        advance()
        return word
    }

    func unexpectedTokenError(_ expected: String) -> InterfaceSyntaxError {
        let found =
            switch token.kind {
            case .word(let text), .symbol(let text): "\"\(text)\""
            case .end: "the end of the text"
            }
        return error(.unexpected(found: found, expected: expected), at: token.offset)
    }

    func error(
        _ reason: InterfaceSyntaxError.Reason, at offset: Int
    ) -> InterfaceSyntaxError {
        let position = scanner.position(of: offset)
        return InterfaceSyntaxError(reason: reason, line: position.line, column: position.column)
    }
}

extension InterfaceParser {
    /// Parses a structure in parentheses.
    mutating func parseStructure(
        depth: Int
    ) throws(InterfaceSyntaxError) -> [Field] {
        let offset = token.offset
        guard case .structure(let fields) = try parseComposite(depth: depth) else {
            throw error(
                .unexpected(found: "an enumeration", expected: "a structure with typed fields"),
                at: offset)
        }
        return fields
    }

    /// Parses a structure or an enumeration in parentheses.
    ///
    /// The type is a structure if the parentheses are empty or a colon follows the first name. Otherwise, it is an
    /// enumeration.
    mutating func parseComposite(depth: Int) throws(InterfaceSyntaxError) -> ValueType {
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
            let name = try parseWord("a field's name", InterfaceNames.isField) { .badFieldName($0) }
            guard names.insert(name).inserted else { throw error(.duplicate(name), at: offset) }
            if token.kind == .symbol(":"), cases.isEmpty {
                advance()
                fields.append(
                    .init(
                        name: name, type: try parseType(depth: depth), documentation: documentation)
                )
            } else if fields.isEmpty {
                cases.append(.init(name: name, documentation: documentation))
            } else {
                throw unexpectedTokenError("\":\" and a type")
            }
            if token.kind == .symbol(")") { break }
            guard token.kind == .symbol(",") else { throw unexpectedTokenError("\",\" or \")\"") }
            advance()
        }
        advance()
        return cases.isEmpty ? .structure(fields) : .enumeration(cases)
    }

    private mutating func parseType(
        depth: Int, mayBeNullable: Bool = true
    ) throws(InterfaceSyntaxError) -> ValueType {
        guard depth <= InterfaceDefinition.maximumDepth else {
            throw error(.tooDeep, at: token.offset)
        }
        switch token.kind {
        case .symbol("?") where mayBeNullable:
            advance()
            return .nullable(try parseType(depth: depth + 1, mayBeNullable: false))
        case .symbol("[]"):
            advance()
            return .array(try parseType(depth: depth + 1))
        case .symbol("[string]"):
            advance()
            return .map(try parseType(depth: depth + 1))
        case .symbol("("):
            return try parseComposite(depth: depth + 1)
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
                typeReferences.append((word, offset))
                return .named(word)
            }
        default: throw unexpectedTokenError("a type")
        }
    }
}
