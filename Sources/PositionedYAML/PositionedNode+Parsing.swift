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
            throw PositionedErrors([
                PositionedError(
                    "the document is empty: write at least one key and its value.",
                    at: SourcePosition(file: file))
            ])
        }
        self = root
    }

    /// Parses one YAML document, or nothing: an empty file or one of comments only gives nil.
    ///
    /// - Throws: As ``init(yaml:file:)``.
    package static func ifPresent(
        yaml: [UInt8], file: String
    ) throws(PositionedErrors) -> PositionedNode? {
        let source: YAMLText
        do {
            source = try YAMLText(yaml, file: file)
        } catch {
            throw PositionedErrors([error])
        }
        var mask = DuplicateKeyMask(source.text)
        while true {
            do {
                return try compose(mask, file: file)
            } catch {
                switch error {
                case .duplicate(let name, let line, let column):
                    guard mask.hide(name, line: line, column: column) else {
                        let position = SourcePosition(file: file, line: line, column: column)
                        throw PositionedErrors([.duplicate(name, at: position, first: nil)])
                    }
                case .errors(let errors):
                    throw errors
                }
            }
        }
    }

    private enum Obstacle: Error {
        case duplicate(String, line: Int, column: Int)
        case errors(PositionedErrors)
    }

    private static func compose(
        _ mask: DuplicateKeyMask, file: String
    ) throws(Obstacle) -> PositionedNode? {
        do {
            // The encoding is given because the default one reads the environment. The basic
            // resolver leaves scalars alone and spares the regular expressions of the other one.
            let parser = try Parser(yaml: mask.text, resolver: .basic, encoding: .utf8)
            guard let root = try parser.nextRoot() else { return nil }
            if let second = try parser.nextRoot() {
                let mark = second.mark
                let position = SourcePosition(
                    file: file, line: mark?.line ?? 1, column: mark?.column ?? 1)
                throw PositionedErrors([
                    PositionedError(
                        "a second document begins here and only one is read: "
                            + "take it out, and the \"---\" before it.", at: position)
                ])
            }
            // Anchors are held weakly by their nodes: the parser must outlive the conversion.
            return try withExtendedLifetime(parser) {
                try NodeConversion.convert(root, mask: mask, file: file)
            }
        } catch let error as YamlError {
            if case .duplicatedKeysInMapping(let names, let context) = error {
                let mark = context.mark
                throw .duplicate(names.first ?? "", line: mark.line, column: mark.column)
            }
            throw .errors(PositionedErrors([PositionedError(error, file: file)]))
        } catch let errors as PositionedErrors {
            throw .errors(errors)
        } catch {
            throw .errors(
                PositionedErrors([
                    PositionedError(
                        "the file could not be parsed (\(error)): correct it.",
                        at: SourcePosition(file: file))
                ]))
        }
    }
}
