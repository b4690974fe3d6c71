import ExactText

/// Rules for names in generated Swift code.
enum SwiftName {
    /// Returns the identifier for a field or a case. Keywords are written in backquotes, and reserved names end with
    /// `_`.
    static func identifier(_ name: String) -> String {
        if reservedNames.contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Returns the argument label for a name. Most keywords are allowed as labels.
    static func label(_ name: String) -> String {
        ["inout", "let", "var"].contains(name) || reservedNames.contains(name)
            ? identifier(name) : name
    }

    /// Returns the identifier for a method or an error: `getInfo` for `GetInfo`, and `urlOf` for `URLOf`.
    static func memberIdentifier(_ name: String) -> String {
        let letters = Array(name)
        var uppercaseLetterCount = letters.prefix(while: \.isUppercase).count
        // The last of several capital letters begins the next word.
        if uppercaseLetterCount > 1, uppercaseLetterCount < letters.count,
            letters[uppercaseLetterCount].isLowercase
        {
            uppercaseLetterCount -= 1
        }
        return identifier(
            name.prefix(uppercaseLetterCount).lowercased() + name.dropFirst(uppercaseLetterCount))
    }

    /// Returns a name that begins with a capital letter.
    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Names that have a special meaning after a dot, even in backquotes.
    private static let reservedNames: Set<String> = ["self", "Self", "Type", "Protocol"]

    /// Words that are not allowed as names without backquotes.
    private static let keywords: Set<String> = [
        "Any", "actor", "as", "associatedtype", "async", "await", "borrowing", "break", "case",
        "catch", "class", "consuming", "continue", "default", "defer", "deinit", "do", "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "init", "inout", "internal", "is", "let", "macro", "nil", "nonisolated",
        "operator", "package", "precedencegroup", "private", "protocol", "public", "repeat",
        "rethrows", "return", "some", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Names from the standard library and from Varlink that generated code uses.
    static let namesInGeneratedCode: Set<String> = [
        "Array", "Bool", "Boxed", "CallContext", "CallFailure", "CaseIterable", "CodingKey",
        "Dictionary", "Double", "Equatable", "Error", "Int", "InterfaceDefinition",
        "InterfaceDispatcher", "InterfaceError", "InterfaceSyntaxError", "JSONMembers",
        "JSONMessage", "JSONNames", "JSONReadable", "JSONReader", "JSONReadingError",
        "JSONWritable", "JSONWriter", "MethodCall", "MethodRequest", "MethodTraits", "NoError",
        "Optional",
        "RawJSON", "Refusal", "Replies", "ReplySender", "Reply", "Self", "Sendable", "Set",
        "String", "Type",
        "Protocol", "UInt8", "VarlinkConnection", "VarlinkError",
    ]
}
