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
    private var currentSceneName: String?
    private var currentPath: String?

    init(_ differences: [DifferenceDescription]) {
        for difference in differences { add(difference) }
    }

    private mutating func add(_ difference: DifferenceDescription) {
        if difference.scene != currentSceneName {
            currentSceneName = difference.scene
            currentPath = nil
            if difference.path != nil || !Self.isWholeObject(difference) {
                lines.append(Line(text: "scene \(difference.scene)"))
            }
        }
        if difference.path != currentPath {
            currentPath = difference.path
            if let currentPath, !Self.isWholeObject(difference) {
                lines.append(Line(text: "  \(currentPath)"))
            }
        }
        let subject = difference.path ?? "scene \(difference.scene)"
        let indent = difference.path == nil ? "  " : "    "
        switch difference.kind {
        case .appeared:
            lines.append(Line(text: "+ \(subject)\(Self.nameSuffix(difference.to))", color: .green))
        case .disappeared:
            lines.append(Line(text: "- \(subject)\(Self.nameSuffix(difference.from))", color: .red))
        case .unreadable:
            lines.append(Line(text: "\(indent)(values that cannot be read differ)"))
        default:
            let label = Self.label(difference)
            // A null value is absent in JSON.
            let isChanged = difference.kind == .changed
            let from = difference.from ?? (isChanged || difference.kind == .removed ? .null : nil)
            let to = difference.to ?? (isChanged || difference.kind == .added ? .null : nil)
            if let from { addLine("-", indent, label, from, .red) }
            if let to { addLine("+", indent, label, to, .green) }
            if let from, let to, Self.text(from).utf8.elementsEqual(Self.text(to).utf8) {
                lines.append(Line(text: "\(indent)(the two values are of different types)"))
            }
        }
    }

    private mutating func addLine(
        _ sign: String, _ indent: String, _ label: String, _ value: StateJSON,
        _ color: Terminal.Color
    ) {
        lines.append(
            Line(text: "\(sign) \(indent.dropFirst(2))\(label): \(Self.text(value))", color: color))
    }

    /// Returns whether an entire object or scene has appeared or disappeared. Such a difference is a single line.
    private static func isWholeObject(_ difference: DifferenceDescription) -> Bool {
        difference.kind == .appeared || difference.kind == .disappeared
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
