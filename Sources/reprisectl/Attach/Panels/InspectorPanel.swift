import ExactText
import RepriseControl
import TerminalText
import Varlink

/// Panel that lists every object in a scene, shows how each object was found, and explains why the object is or is not
/// preserved.
struct InspectorPanel: AttachPanel {
    let hint = "Up, Down: choose · Left, Right: sideways · Space: scroll · Escape: back"
    private var objects: [TreeObject] = []
    /// Steps that found the objects during the last launch, keyed by path.
    private var findingSteps: [ExactString: FindingStep] = [:]
    private var selection = PanelSelection(selectedIndex: 0, entryCount: 0)
    /// Explanation and values of the selected object.
    private var explanationLines: [String] = []
    private var scrollPosition = PanelScroll()
    /// Number of columns of the object list that are scrolled out of view at the left.
    private var columnOffset = 0

    /// Loads the objects in the scene.
    ///
    /// - Parameter path: Path of the initially selected object.
    init(_ calls: SceneCalls, at path: String?) throws(SceneCalls.CallError) {
        try loadObjects(calls, at: path)
    }

    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        try loadObjects(calls, at: selectedObject?.path)
    }

    private var selectedObject: TreeObject? {
        objects.indices.contains(selection.selectedIndex) ? objects[selection.selectedIndex] : nil
    }

    private mutating func loadObjects(
        _ calls: SceneCalls, at path: String?
    ) throws(SceneCalls.CallError) {
        let report = try calls.make(ReportCall.with { $0.all = true })
        findingSteps = Dictionary(report.found.map { (ExactString($0.path), $0.foundBy) }) {
            first, _ in
            first
        }
        objects = try calls.make(TreeCall()).objects
        selection = PanelSelection(
            selectedIndex: objects.firstIndex { $0.path == path } ?? 0, entryCount: objects.count)
        try loadExplanation(calls)
    }

    private mutating func loadExplanation(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        explanationLines = []
        guard let path = selectedObject?.path else { return }
        do {
            let explanation = try calls.make(ExplainCall.with { $0.path = path })
            explanationLines = explanation.story
            let values = try calls.make(GetCall.with { $0.path = path }).values ?? [:]
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                explanationLines.append("\(key): \(value.singleLineText)")
            }
        } catch {
            // The object has disappeared since the daemon returned the tree.
            guard error.refusal != nil else { throw error }
            explanationLines = [error.sentence]
        }
    }

    mutating func press(
        _ key: Key, _ calls: SceneCalls
    ) throws(SceneCalls.CallError) -> PanelOutcome {
        if selection.press(key) {
            scrollPosition.reset()
            try loadExplanation(calls)
            return .stayOpen
        }
        switch key {
        case .left: columnOffset = max(0, columnOffset - 8)
        case .right: columnOffset = min(columnOffset + 8, maximumEntryWidth)
        case .escape, .inspector, .text("q"): return .close
        default: scrollPosition.press(key)
        }
        return .stayOpen
    }

    /// Text of each object in the list, with aligned columns.
    private var entryTexts: [String] {
        let widths = (
            objects.map(\.path.terminalColumns).max() ?? 0,
            objects.map(\.class.terminalColumns).max() ?? 0
        )
        return objects.map { object in
            let detailText = object.preserved ? findingSteps[object.path]?.phrase : object.reason
            return (object.preserved ? "preserved      " : "not preserved  ")
                + object.path.padded(widths.0) + "  " + object.class.padded(widths.1) + "  "
                + (detailText ?? "")
        }
    }

    private var maximumEntryWidth: Int { entryTexts.map(\.terminalColumns).max() ?? 0 }

    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let texts = entryTexts
        // The marks before the entries occupy four columns.
        let width = max(1, size.columns - 4)
        columnOffset = min(columnOffset, max(0, (texts.map(\.terminalColumns).max() ?? 0) - width))
        let entries = selection.visibleRange(max(3, (size.lines - 3) / 2)).map { index in
            let object = objects[index]
            var line = DrawnLine.entry(
                texts[index].part(from: columnOffset, columns: width),
                isSelected: index == selection.selectedIndex)
            if !object.preserved, index != selection.selectedIndex {
                line.spans = [.with { ($0.role, $0.columns) = (.position, size.columns) }]
            }
            return line
        }
        let pathLines = DrawnLine.panel(wrapping: selectedObject?.path ?? "", columns: size.columns)
        let header =
            [.panel("  Objects", as: .bar)] + entries + [.panel("")]
            + pathLines.map { .panel($0.text, as: .bar) }
        let details = explanationLines.flatMap {
            DrawnLine.panel(wrapping: $0, columns: size.columns)
        }
        return header + scrollPosition.visibleLines(details, height: size.lines - header.count)
    }
}
