import PositionedYAML

/// Converts a tree to text, with one line for each key, element and value, including its position.
enum NodeDump {
    static func dump(_ node: PositionedNode) -> String {
        lines(node).joined(separator: "\n")
    }

    private static func lines(_ node: PositionedNode) -> [String] {
        let place = "\(node.position.line):\(node.position.column)"
        switch node.content {
        case .scalar(let scalar):
            let kind = scalar.isQuoted ? "quoted" : "plain"
            return ["\(place) \(kind) \(scalar.text.debugDescription)"]
        case .sequence(let elements):
            return ["\(place) list of \(elements.count)"]
                + elements.flatMap { lines($0).map { "  " + $0 } }
        case .mapping(let entries):
            return ["\(place) mapping of \(entries.count)"]
                + entries.flatMap { entry in
                    let key = entry.key.debugDescription
                    return ["  \(entry.keyPosition.line):\(entry.keyPosition.column) key \(key)"]
                        + lines(entry.value).map { "    " + $0 }
                }
        }
    }
}
