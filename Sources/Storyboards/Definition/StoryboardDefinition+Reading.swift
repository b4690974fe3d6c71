package import PositionedYAML

extension StoryboardDefinition {
    /// Reads a storyboard file.
    ///
    /// - Parameters:
    ///   - yaml: the file's bytes.
    ///   - file: its path, for sentences.
    /// - Throws: everything that is wrong with the file by itself, each with line and column.
    ///   Whether its classes and references exist is found out when it is linked.
    package init(yaml: [UInt8], file: String) throws(PositionedErrors) {
        let log = ProblemLog(files: [file])
        let document = try PositionedNode(yaml: yaml, file: file)
        let definition = document.readMapping("", log: log) { reader -> StoryboardDefinition? in
            let name = reader.required("storyboard", .string)
            let version = reader.required("bundleVersion", .string)
            let initial = reader.required("initial", .string)
            if reader.entry("controllers") == nil { _ = reader.requiredEntry("controllers") }
            let controllers = reader.named("controllers") { entry, path in
                ControllerDefinition(entry, path, log: log)
            }
            guard let name, let version, let initial else { return nil }
            return StoryboardDefinition(
                name: name, bundleVersion: version, initial: initial,
                controllers: controllers ?? [])
        }
        try log.throwIfAny()
        guard let definition, let definition else {
            throw PositionedErrors([
                PositionedError(
                    "the storyboard states nothing: write its name, version and controllers.",
                    at: SourcePosition(file: file))
            ])
        }
        self = definition
    }
}
