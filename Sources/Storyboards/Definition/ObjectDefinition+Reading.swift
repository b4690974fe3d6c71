import ControllerKit
import PositionedYAML

extension ObjectDefinition {
    /// Reads what a controller has in common with views.
    ///
    /// - Parameter otherKeys: the keys that were read before and are no properties.
    init?(_ entry: PositionedEntry, _ reader: MappingReader, otherKeys: [String]) {
        let log = reader.log
        let className = reader.required("class", .string)
        let identifier = reader.optional("restorationIdentifier", .restorationIdentifier)
        let views = reader.named("views") { entry, path in
            ObjectDefinition(view: entry, path, log: log)
        }
        let fixed = ["class", "restorationIdentifier", "views"] + otherKeys
        let properties = reader.entries.filter { !fixed.contains($0.key) }.compactMap {
            Property($0, reader.path(of: $0.key), reader)
        }
        guard let className else { return nil }
        self.init(
            name: Positioned(entry.key, at: entry.keyPosition), className: className,
            restorationIdentifier: identifier, views: views ?? [], properties: properties,
            fixedKeys: fixed, path: reader.path)
    }

    /// Reads a view, with the views in it.
    init?(view entry: PositionedEntry, _ path: String, log: ProblemLog) {
        let definition = entry.value.readMapping(path, log: log) { reader -> ObjectDefinition? in
            let segue = reader.optional("segue", .string)
            var view = ObjectDefinition(entry, reader, otherKeys: ["segue"])
            view?.segue = segue
            return view
        }
        guard let definition, let definition else { return nil }
        self = definition
    }

    /// Reads a bar button item: a view in which no others lie.
    init?(item entry: PositionedEntry, _ path: String, log: ProblemLog) {
        self.init(view: entry, path, log: log)
        if let inner = views.first {
            log.report(
                "\(path) stands in a bar and has no room for \(Quotation(inner.name.value)): "
                    + "take its views out.",
                at: inner.name.position)
        }
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
