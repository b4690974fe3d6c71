import ExactText
import RepriseControl

/// Differences as lines of text, grouped by scene and object.
struct DifferenceText {
    /// Line of the output. A line that shows an addition or a removal has a color.
    struct Line {
        var text: String
        var color: Terminal.Color?
    }

    private(set) var lines: [Line] = []
    private var scene: String?
    private var path: String?

    init(_ differences: [DifferenceDescription]) {
        for difference in differences { add(difference) }
    }

    private mutating func add(_ difference: DifferenceDescription) {
        // An entire object or scene that has appeared or disappeared is a single line.
        let isWholeObject = difference.kind == .appeared || difference.kind == .disappeared
        if difference.scene != scene {
            (scene, path) = (difference.scene, nil)
            if difference.path != nil || !isWholeObject { add("scene \(difference.scene)") }
        }
        if difference.path != path {
            path = difference.path
            if let path, !isWholeObject { add("  \(path)") }
        }
        let subject = difference.path ?? "scene \(difference.scene)"
        let indent = difference.path == nil ? "" : "  "
        switch difference.kind {
        case .appeared: add("+ \(subject)\(Self.nameSuffix(difference.to))", .green)
        case .disappeared: add("- \(subject)\(Self.nameSuffix(difference.from))", .red)
        case .unreadable: add("  \(indent)(values that cannot be read differ)")
        default:
            let label = Self.label(difference)
            // A null value is absent in JSON.
            let isChanged = difference.kind == .changed
            let from = difference.from ?? (isChanged || difference.kind == .removed ? .null : nil)
            let to = difference.to ?? (isChanged || difference.kind == .added ? .null : nil)
            if let from { add("- \(indent)\(label): \(Self.text(from))", .red) }
            if let to { add("+ \(indent)\(label): \(Self.text(to))", .green) }
            if let from, let to, Self.text(from).utf8.elementsEqual(Self.text(to).utf8) {
                add("  \(indent)(the two values are of different types)")
            }
        }
    }

    private mutating func add(_ text: String, _ color: Terminal.Color? = nil) {
        lines.append(Line(text: text, color: color))
    }

    private static func nameSuffix(_ name: StateJSON?) -> String {
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

    private static func text(_ value: StateJSON) -> String {
        if case .object(let fields) = value, fields.count == 1,
            case .integer(let byteCount) = fields["bytes"]
        {
            return "a value of \(byteCount) bytes"
        }
        return value.line
    }
}
