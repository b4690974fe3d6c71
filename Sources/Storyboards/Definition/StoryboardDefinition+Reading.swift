import ControllerKit
import ExactText
package import PositionedYAML
import StateRestoration

extension ObjectDefinition {
    /// Reads the keys that controllers and views have in common.
    ///
    /// - Parameter alreadyReadKeys: The keys that have already been read and are not properties.
    init?(_ entry: PositionedEntry, _ reader: MappingReader, alreadyReadKeys: [String]) {
        let className = reader.requiredValue("class", .string)
        let identifier = reader.optionalValue("restorationIdentifier", .restorationIdentifier)
        let views = reader.namedMappings("views", ObjectDefinition.init(view:_:))
        let nonPropertyKeys = ["class", "restorationIdentifier", "views"] + alreadyReadKeys
        let properties = reader.entries.filter { !nonPropertyKeys.contains($0.key) }.compactMap {
            Property($0, reader.path(of: $0.key), reader)
        }
        guard let className else { return nil }
        self.init(
            name: Positioned(entry.key, at: entry.keyPosition), className: className,
            restorationIdentifier: identifier, views: views ?? [], properties: properties,
            nonPropertyKeys: nonPropertyKeys, path: reader.path)
    }

    /// Reads a view and its subviews.
    init?(view entry: PositionedEntry, _ reader: MappingReader) {
        let segueName = reader.optionalValue("segue", .string)
        self.init(entry, reader, alreadyReadKeys: ["segue"])
        self.segueName = segueName
    }

    /// Reads a bar button item, which is a view without subviews.
    init?(item entry: PositionedEntry, _ reader: MappingReader) {
        self.init(view: entry, reader)
        if let innerView = views.first {
            reader.log.report(
                "\(path) is in a bar and cannot contain \(Quotation(innerView.name.value)): "
                    + "remove its views.",
                at: innerView.name.position)
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
            let texts = entry.value.readList(
                path, expectation: "a list of strings", log: reader.log
            ) { element, path in
                element.readScalar(path, .string, log: reader.log)?.value
            }
            self.init(name: name, value: Positioned(.strings(texts ?? []), at: position))
        case .mapping:
            reader.log.report(
                "\(path) is a mapping: write a single value or a list.", at: position)
            return nil
        }
    }

    /// Returns the numbers in a list, or `nil` if the list is empty or contains other values.
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

extension ControllerDefinition {
    /// Reads a controller.
    ///
    /// Reports a problem and returns `nil` if the controller is invalid.
    init?(_ entry: PositionedEntry, _ reader: MappingReader) {
        let log = reader.log
        let childrenPath = reader.path(of: "children")
        let children = reader.entry("children")?.value.readList(
            childrenPath, expectation: "a list, \"[first, second]\"", log: log
        ) { element, path in
            var child = ControllerReference(child: element, path, log: log)
            child?.path = childrenPath
            return child
        }
        var barButtonItems: [BarSide: [ObjectDefinition]] = [:]
        for side in BarSide.allCases {
            barButtonItems[side] = reader.namedMappings(
                side.rawValue, ObjectDefinition.init(item:_:))
        }
        let segues = reader.namedMappings("segues", StoryboardSegueDefinition.init)
        let alreadyReadKeys = ["children"] + BarSide.allCases.map(\.rawValue) + ["segues"]
        guard let object = ObjectDefinition(entry, reader, alreadyReadKeys: alreadyReadKeys) else {
            return nil
        }
        self.init(
            object: object, children: children ?? [], barButtonItems: barButtonItems,
            segues: segues ?? [])
    }
}

extension ControllerReference {
    /// Reads a reference to a child, which is either a name or a mapping that also names another storyboard.
    fileprivate init?(child node: PositionedNode, _ path: String, log: ProblemLog) {
        guard case .mapping = node.content else {
            guard let name = node.readScalar(path, .string, log: log) else { return nil }
            self.init(name: name, path: path)
            return
        }
        let reference = node.readMapping(path, log: log) {
            ControllerReference($0, key: "controller")
        }
        guard let reference else { return nil }
        self = reference
    }

    fileprivate init?(_ reader: MappingReader, key: String) {
        let name = reader.requiredValue(key, .string)
        let storyboardName = reader.optionalValue("storyboard", .string)
        guard let name else { return nil }
        self.init(storyboardName: storyboardName, name: name, path: reader.path(of: key))
    }
}

extension StoryboardSegueDefinition {
    fileprivate init?(_ entry: PositionedEntry, _ reader: MappingReader) {
        let kind = reader.requiredValue("kind", ScalarFormat<Segue.Kind>.enumeration)
        let destination = ControllerReference(reader, key: "destination")
        guard let kind, let destination else { return nil }
        self.init(
            name: Positioned(entry.key, at: entry.keyPosition), kind: kind.value,
            destination: destination)
    }
}

extension StoryboardDefinition {
    /// Reads a storyboard file.
    ///
    /// - Parameters:
    ///   - yaml: The bytes of the file.
    ///   - file: The path of the file, for use in messages.
    /// - Throws: All problems in the file itself, with their positions. Classes and references are checked later, when
    ///   the storyboard is linked.
    package init(yaml: [UInt8], file: String) throws(PositionedErrors) {
        let log = ProblemLog(fileNames: [file])
        let document = try PositionedNode(yaml: yaml, file: file)
        let definition = document.readMapping("", log: log) { reader -> StoryboardDefinition? in
            let name = reader.requiredValue("storyboard", .string)
            let bundleVersion = reader.requiredValue("bundleVersion", .string)
            let initialControllerName = reader.requiredValue("initial", .string)
            if reader.entry("controllers") == nil { _ = reader.requiredEntry("controllers") }
            let controllers = reader.namedMappings("controllers", ControllerDefinition.init)
            guard let name, let bundleVersion, let initialControllerName else { return nil }
            return StoryboardDefinition(
                name: name, bundleVersion: bundleVersion,
                initialControllerName: initialControllerName,
                controllers: controllers ?? [])
        }
        try log.throwReportedProblems()
        guard let definition else {
            throw PositionedErrors(
                "the storyboard is empty: write its name, version and controllers.",
                at: SourcePosition(file: file))
        }
        self = definition
    }
}

extension ScalarFormat where Value == RestorationIdentifier {
    /// The format for restoration identifiers (I5).
    static var restorationIdentifier: Self {
        ScalarFormat("a restoration identifier", formatValue: \.text) {
            scalar throws(ScalarRefusal) in
            let text = try ScalarFormat<String>.string.read(scalar)
            do throws(RestorationIdentifierError) {
                return try RestorationIdentifier(validating: text)
            } catch {
                throw ScalarRefusal(error.description)
            }
        }
    }
}

extension PositionedScalar {
    /// The scalar as the value of a property.
    ///
    /// A quoted value is a string. An unquoted value is a Boolean or a number if possible, and otherwise a string.
    var propertyValue: PropertyValue {
        if isQuoted { return .string(text) }
        if let value = Bool(text) { return .bool(value) }
        if let value = Int(text) { return .integer(value) }
        if let value = Double(text), value.isFinite { return .double(value) }
        return .string(text)
    }
}
