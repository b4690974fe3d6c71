import ControllerKit
import PositionedYAML

extension ControllerDefinition {
    /// Reads a controller; nil if it cannot be understood, which is reported.
    init?(_ entry: PositionedEntry, _ path: String, log: ProblemLog) {
        let definition = entry.value.readMapping(path, log: log) { reader in
            ControllerDefinition(entry, reader)
        }
        guard let definition, let definition else { return nil }
        self = definition
    }

    private init?(_ entry: PositionedEntry, _ reader: MappingReader) {
        let log = reader.log
        let childrenPath = reader.path(of: "children")
        let children = reader.entry("children")?.value.readList(
            childrenPath, expectation: "a list, \"[first, second]\"", log: log
        ) { element, path in
            var child = ControllerReference(child: element, path, log: log)
            child?.path = childrenPath
            return child
        }
        let sides = BarSide.allCases.map { side in
            reader.named(side.rawValue) { entry, path in
                ObjectDefinition(item: entry, path, log: log)
            }
        }
        let segues = reader.named("segues") { entry, path in
            StatedSegue(entry, path, log: log)
        }
        let keys = ["children"] + BarSide.allCases.map(\.rawValue) + ["segues"]
        guard let object = ObjectDefinition(entry, reader, otherKeys: keys) else { return nil }
        self.init(
            object: object, children: children ?? [], leftBarButtonItems: sides[0] ?? [],
            rightBarButtonItems: sides[1] ?? [], segues: segues ?? [])
    }
}

extension ControllerReference {
    /// A child: a name, or a mapping that also names another storyboard.
    fileprivate init?(child node: PositionedNode, _ path: String, log: ProblemLog) {
        guard case .mapping = node.content else {
            guard let name = node.readScalar(path, .string, log: log) else { return nil }
            self.init(name: name, path: path)
            return
        }
        let reference = node.readMapping(path, log: log) { reader in
            ControllerReference(reader, key: "controller")
        }
        guard let reference, let reference else { return nil }
        self = reference
    }

    fileprivate init?(_ reader: MappingReader, key: String) {
        let name = reader.required(key, .string)
        let storyboard = reader.optional("storyboard", .string)
        guard let name else { return nil }
        self.init(storyboard: storyboard, name: name, path: reader.path(of: key))
    }
}

extension StatedSegue {
    fileprivate init?(_ entry: PositionedEntry, _ path: String, log: ProblemLog) {
        let segue = entry.value.readMapping(path, log: log) { reader -> StatedSegue? in
            let kind = reader.required("kind", ScalarFormat<Segue.Kind>.word)
            let destination = ControllerReference(reader, key: "destination")
            guard let kind, let destination else { return nil }
            return StatedSegue(
                name: Positioned(entry.key, at: entry.keyPosition), kind: kind.value,
                destination: destination)
        }
        guard let segue, let segue else { return nil }
        self = segue
    }
}
