import ControllerKit
package import PositionedYAML
import StateRestoration

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
                ObjectDefinition(entry, path, hasChildren: true, log: log)
            }
            guard let name, let version, let initial else { return nil }
            return StoryboardDefinition(
                name: name.value, bundleVersion: version, initial: initial,
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

extension ObjectDefinition {
    fileprivate init?(
        _ entry: PositionedEntry, _ path: String, hasChildren: Bool, log: ProblemLog
    ) {
        let definition = entry.value.readMapping(path, log: log) { reader -> ObjectDefinition? in
            let className = reader.required("class", .string)
            let identifier = reader.optional("restorationIdentifier", .restorationIdentifier)
            let children = hasChildren ? reader.list("children", of: .string) ?? [] : []
            let views = reader.named("views") { entry, path in
                ObjectDefinition(entry, path, hasChildren: false, log: log)
            }
            let fixed =
                ["class", "restorationIdentifier", "views"]
                + (hasChildren ? ["children"] : [])
            let properties = reader.entries.filter { !fixed.contains($0.key) }.compactMap {
                Property($0, reader.path(of: $0.key), reader)
            }
            guard let className else { return nil }
            return ObjectDefinition(
                name: Positioned(entry.key, at: entry.keyPosition), className: className,
                restorationIdentifier: identifier, children: children, views: views ?? [],
                properties: properties, path: path)
        }
        guard let definition, let definition else { return nil }
        self = definition
    }
}

extension ObjectDefinition.Property {
    fileprivate init?(_ entry: PositionedEntry, _ path: String, _ reader: MappingReader) {
        _ = reader.entry(entry.key)
        let name = Positioned(entry.key, at: entry.keyPosition)
        let position = entry.value.position
        switch entry.value.content {
        case .scalar(let scalar):
            self.init(name: name, value: Positioned(scalar.propertyValue, at: position))
        case .sequence(let elements):
            if let numbers = Self.numbers(elements) {
                self.init(name: name, value: Positioned(.numbers(numbers), at: position))
                return
            }
            let texts = entry.value.readList(path, expectation: "a list of texts", log: reader.log)
            { element, path in
                element.readScalar(path, .string, log: reader.log)?.value
            }
            self.init(name: name, value: Positioned(.strings(texts ?? []), at: position))
        case .mapping:
            reader.log.report(
                "\(path) is a mapping: write a single value or a list.", at: position)
            return nil
        }
    }

    /// The numbers of a list that holds nothing else; nil: it is empty, or holds something else.
    private static func numbers(_ elements: [PositionedNode]) -> [Double]? {
        var numbers: [Double] = []
        for element in elements {
            guard case .scalar(let scalar) = element.content else { return nil }
            switch scalar.propertyValue {
            case .integer(let value): numbers.append(Double(value))
            case .double(let value): numbers.append(value)
            default: return nil
            }
        }
        return numbers.isEmpty ? nil : numbers
    }
}
