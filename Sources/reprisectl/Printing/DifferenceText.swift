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
    private var currentScene: String?
    private var currentPath: String?

    init(_ differences: [DifferenceDescription]) {
        for difference in differences { add(difference) }
    }

    private mutating func add(_ difference: DifferenceDescription) {
        // An entire object or scene that has appeared or disappeared takes up a single line.
        let isWholeObject = difference.kind == .appeared || difference.kind == .disappeared
        if difference.scene != currentScene {
            (currentScene, currentPath) = (difference.scene, nil)
            if difference.path != nil || !isWholeObject { add("scene \(difference.scene)") }
        }
        if difference.path != currentPath {
            currentPath = difference.path
            if let currentPath, !isWholeObject { add("  \(currentPath)") }
        }
        let subject = difference.path ?? "scene \(difference.scene)"
        let indent = difference.path == nil ? "" : "  "
        switch difference.kind {
        case .appeared: add("+ \(subject)\(Self.nameSuffix(difference.to))", .green)
        case .disappeared: add("- \(subject)\(Self.nameSuffix(difference.from))", .red)
        case .unreadable: add("  \(indent)(values that cannot be read differ)")
        default:
            let label = Self.valueLabel(difference)
            // A null value is absent in JSON.
            let isChanged = difference.kind == .changed
            let oldValue =
                difference.from ?? (isChanged || difference.kind == .removed ? .null : nil)
            let newValue = difference.to ?? (isChanged || difference.kind == .added ? .null : nil)
            if let oldValue { add("- \(indent)\(label): \(Self.valueText(oldValue))", .red) }
            if let newValue { add("+ \(indent)\(label): \(Self.valueText(newValue))", .green) }
            if let oldValue, let newValue,
                Self.valueText(oldValue).utf8.elementsEqual(Self.valueText(newValue).utf8)
            {
                add("  \(indent)(the two values are of different types)")
            }
        }
    }

    private mutating func add(_ text: String, _ color: Terminal.Color? = nil) {
        lines.append(Line(text: text, color: color))
    }

    private static func nameSuffix(_ name: StateJSON?) -> String {
        name.map { "  \($0.singleLineText)" } ?? ""
    }

    private static func valueLabel(_ difference: DifferenceDescription) -> String {
        switch difference.kind {
        case .restorationClass: "(restoration class)"
        case .storyboardIdentifier: "(identifier in the storyboard)"
        case .bundleVersion: "(bundle version)"
        case .inUse: "(in use)"
        case .class, .storyboard: "(\(difference.kind.rawValue))"
        default: difference.key ?? ""
        }
    }

    private static func valueText(_ value: StateJSON) -> String {
        if case .object(let fields) = value, fields.count == 1,
            case .integer(let byteCount) = fields["bytes"]
        {
            return "a value of \(byteCount) bytes"
        }
        return value.singleLineText
    }
}
