extension InterfaceDefinition {
    /// How deep types may be nested in one another.
    package static let maximumDepth = 64

    /// Reads an interface definition.
    ///
    /// Total: any bytes give a definition or an error. Comments directly above a declaration become
    /// its documentation.
    /// - Parameter bytes: The text in UTF-8.
    /// - Throws: What is wrong, with line and column.
    /// Source: varlink.org, "Interface Definition".
    package init(parsing bytes: [UInt8]) throws(InterfaceSyntaxError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let valid = Self.validPrefix(of: bytes)
            let line = bytes[..<valid].count { $0 == UInt8(ascii: "\n") } + 1
            let start = (bytes[..<valid].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            throw InterfaceSyntaxError(reason: .notUTF8, line: line, column: valid - start + 1)
        }
        try self.init(parsing: text)
    }

    /// Reads an interface definition from text.
    /// - Throws: What is wrong, with line and column.
    package init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = InterfaceParser(text: text)
        self = try parser.parse()
    }

    /// The number of bytes before the first one that is not UTF-8.
    private static func validPrefix(of bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            count += UTF8.width(scalar)
        }
        return count
    }
}
