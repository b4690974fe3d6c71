import Yams

extension PositionedNode {
    /// Parses one YAML document that has content.
    ///
    /// - Parameters:
    ///   - yaml: The bytes of the file, at most ``YAMLLimits/size``.
    ///   - file: The name of the file for positions.
    /// - Throws: What is wrong with the text: an empty document, several documents, a syntax error,
    ///   bad UTF-8, duplicate keys (at the second one), aliases, tags, a nesting too deep.
    package init(yaml: [UInt8], file: String) throws(PositionedErrors) {
        guard let root = try Self.ifPresent(yaml: yaml, file: file) else {
            throw PositionedErrors(
                "the document is empty: write at least one key and its value.",
                at: SourcePosition(file: file))
        }
        self = root
    }

    /// Parses one YAML document, or nothing: an empty file or one of comments only gives nil.
    ///
    /// - Throws: As ``init(yaml:file:)``.
    package static func ifPresent(
        yaml: [UInt8], file: String
    ) throws(PositionedErrors) -> PositionedNode? {
        var mask: DuplicateKeyMask
        do throws(PositionedError) {
            mask = DuplicateKeyMask(try YAMLText(yaml, file: file).text)
        } catch {
            throw PositionedErrors([error])
        }
        while true {
            do {
                return try compose(mask, file: file)
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let (name, mark) = (names.first ?? "", context.mark)
                guard mask.hide(name, line: mark.line, column: mark.column) else {
                    let position = SourcePosition(file: file, line: mark.line, column: mark.column)
                    throw PositionedErrors([.duplicate(name, at: position, first: nil)])
                }
            } catch let error as YamlError {
                throw PositionedErrors([PositionedError(error, file: file)])
            } catch let errors as PositionedErrors {
                throw errors
            } catch {
                throw PositionedErrors(
                    "the file could not be parsed (\(error)): correct it.",
                    at: SourcePosition(file: file))
            }
        }
    }

    private static func compose(_ mask: DuplicateKeyMask, file: String) throws -> PositionedNode? {
        // The encoding is given because the default one reads the environment. The basic resolver
        // leaves scalars alone and spares the regular expressions of the other one.
        let parser = try Parser(yaml: mask.text, resolver: .basic, encoding: .utf8)
        guard let root = try parser.nextRoot() else { return nil }
        if let second = try parser.nextRoot() {
            throw PositionedErrors(
                "a second document begins here and only one is read: "
                    + "take it out, and the \"---\" before it.",
                at: SourcePosition(second, in: file))
        }
        // Anchors are held weakly by their nodes: the parser must outlive the conversion.
        return try withExtendedLifetime(parser) {
            try NodeConversion.convert(root, mask: mask, file: file)
        }
    }
}
