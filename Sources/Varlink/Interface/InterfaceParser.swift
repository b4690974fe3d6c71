/// Parser for one interface definition. It limits its recursion depth, so that any text is safe to parse.
struct InterfaceParser {
    private var scanner: InterfaceScanner
    private(set) var currentToken: InterfaceScanner.Token
    private let text: String
    private var declaredNames: Set<String> = []
    var typeReferences: [(name: String, offset: Int)] = []

    init(text: String) {
        self.text = text
        scanner = InterfaceScanner(bytes: Array(text.utf8))
        currentToken = scanner.next()
    }

    mutating func parse() throws(InterfaceSyntaxError) -> InterfaceDefinition {
        let documentation = currentToken.documentation
        try expect(word: "interface")
        let name = try parseWord("the interface's name", InterfaceNameRules.isInterfaceName) {
            .badInterfaceName($0)
        }
        var types: [TypeDefinition] = []
        var methods: [MethodDefinition] = []
        var errors: [ErrorDefinition] = []
        repeat {
            let documentation = currentToken.documentation
            guard currentToken.startsLine, case .word(let keyword) = currentToken.kind else {
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
        } while currentToken.kind != .endOfText
        let declaredTypeNames = Set(types.map(\.name))
        for reference in typeReferences where !declaredTypeNames.contains(reference.name) {
            throw syntaxError(.unknownType(reference.name), at: reference.offset)
        }
        return InterfaceDefinition(
            name: name, documentation: documentation, text: text, types: types, methods: methods,
            errors: errors)
    }

    private mutating func parseMemberName() throws(InterfaceSyntaxError) -> String {
        advance()
        let offset = currentToken.offset
        let name = try parseWord("a name", InterfaceNameRules.isTypeName) { .badName($0) }
        guard declaredNames.insert(name).inserted else {
            throw syntaxError(.duplicate(name), at: offset)
        }
        return name
    }

    mutating func advance() {
        currentToken = scanner.next()
    }

    mutating func expect(word: String) throws(InterfaceSyntaxError) {
        guard currentToken.kind == .word(word) else { throw unexpectedTokenError("\"\(word)\"") }
        advance()
    }

    mutating func expect(symbol: String) throws(InterfaceSyntaxError) {
        guard currentToken.kind == .symbol(symbol) else {
            throw unexpectedTokenError("\"\(symbol)\"")
        }
        advance()
    }

    mutating func parseWord(
        _ expectation: String, _ isValid: (String) -> Bool,
        otherwise reason: (String) -> InterfaceSyntaxError.Reason
    ) throws(InterfaceSyntaxError) -> String {
        guard case .word(let word) = currentToken.kind else {
            throw unexpectedTokenError(expectation)
        }
        guard isValid(word) else { throw syntaxError(reason(word), at: currentToken.offset) }
        advance()
        return word
    }

    func unexpectedTokenError(_ expectedText: String) -> InterfaceSyntaxError {
        let foundText =
            switch currentToken.kind {
            case .word(let text), .symbol(let text): "\"\(text)\""
            case .endOfText: "the end of the text"
            }
        return syntaxError(
            .unexpected(found: foundText, expected: expectedText), at: currentToken.offset)
    }

    func syntaxError(
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
        let offset = currentToken.offset
        guard case .structure(let fields) = try parseComposite(depth: depth) else {
            throw syntaxError(
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
            throw syntaxError(.tooDeep, at: currentToken.offset)
        }
        try expect(symbol: "(")
        var fields: [Field] = []
        var cases: [EnumerationCase] = []
        var names: Set<String> = []
        if currentToken.kind == .symbol(")") {
            advance()
            return .structure([])
        }
        while true {
            let documentation = currentToken.documentation
            let offset = currentToken.offset
            let name = try parseWord("a field's name", InterfaceNameRules.isFieldName) {
                .badFieldName($0)
            }
            guard names.insert(name).inserted else {
                throw syntaxError(.duplicate(name), at: offset)
            }
            if currentToken.kind == .symbol(":"), cases.isEmpty {
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
            if currentToken.kind == .symbol(")") { break }
            guard currentToken.kind == .symbol(",") else {
                throw unexpectedTokenError("\",\" or \")\"")
            }
            advance()
        }
        advance()
        return cases.isEmpty ? .structure(fields) : .enumeration(cases)
    }

    private mutating func parseType(
        depth: Int, mayBeNullable: Bool = true
    ) throws(InterfaceSyntaxError) -> ValueType {
        guard depth <= InterfaceDefinition.maximumDepth else {
            throw syntaxError(.tooDeep, at: currentToken.offset)
        }
        switch currentToken.kind {
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
            let offset = currentToken.offset
            advance()
            switch word {
            case "bool": return .bool
            case "int": return .int
            case "float": return .float
            case "string": return .string
            case "object": return .object
            default:
                guard InterfaceNameRules.isTypeName(word) else {
                    throw syntaxError(.unknownType(word), at: offset)
                }
                typeReferences.append((word, offset))
                return .named(word)
            }
        default: throw unexpectedTokenError("a type")
        }
    }
}
