import RepriseControl

/// Prints differences for a person, each below its scene and its object.
struct DifferenceText {
    private var scene: String?
    private var path: String?

    mutating func print(_ difference: DifferenceDescription) {
        if difference.scene != scene {
            scene = difference.scene
            path = nil
            if difference.path != nil || !Self.isOfWhole(difference) {
                Terminal.print("scene \(difference.scene)")
            }
        }
        if difference.path != path {
            path = difference.path
            if let path, !Self.isOfWhole(difference) { Terminal.print("  \(path)") }
        }
        let whole = difference.path ?? "scene \(difference.scene)"
        let indent = difference.path == nil ? "  " : "    "
        switch difference.kind {
        case .appeared:
            Terminal.print("+ \(whole)\(Self.named(difference.to))", .green)
        case .disappeared:
            Terminal.print("- \(whole)\(Self.named(difference.from))", .red)
        case .unreadable:
            Terminal.print("\(indent)(values that cannot be read differ)")
        default:
            let label = Self.label(difference)
            // A value that is null is none in JSON.
            let isChanged = difference.kind == .changed
            let from = difference.from ?? (isChanged || difference.kind == .removed ? .null : nil)
            let to = difference.to ?? (isChanged || difference.kind == .added ? .null : nil)
            if let from { line("-", indent, label, from, .red) }
            if let to { line("+", indent, label, to, .green) }
        }
    }

    private func line(
        _ sign: String, _ indent: String, _ label: String, _ value: StateJSON,
        _ color: Terminal.Color
    ) {
        Terminal.print("\(sign) \(indent.dropFirst(2))\(label): \(Self.told(value))", color)
    }

    /// Whether it is an object or a scene that came or went, which has a line of its own.
    private static func isOfWhole(_ difference: DifferenceDescription) -> Bool {
        difference.kind == .appeared || difference.kind == .disappeared
    }

    private static func named(_ name: StateJSON?) -> String {
        name.map { "  \($0.line)" } ?? ""
    }

    private static func label(_ difference: DifferenceDescription) -> String {
        switch difference.kind {
        case .restorationClass: "(restoration class)"
        case .storyboardIdentifier: "(identifier in the storyboard)"
        case .bundleVersion: "(bundle version)"
        case .inUse: "(in use)"
        case .class, .storyboard: "(\(difference.kind.rawValue))"
        default: difference.key ?? ""
        }
    }

    private static func told(_ value: StateJSON) -> String {
        if case .object(let fields) = value, fields.count == 1,
            case .integer(let byteCount) = fields["bytes"]
        {
            return "a value of \(byteCount) bytes"
        }
        return value.line
    }
}
