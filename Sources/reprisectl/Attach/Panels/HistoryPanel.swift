import ExactText
import RepriseControl
import TerminalText
import Varlink

/// Panel that shows an earlier rendering of a scene next to its current rendering, and the differences between the two
/// states.
struct HistoryPanel: AttachPanel {
    private var generations: [GenerationDescription] = []
    private var selection = PanelSelection(selectedIndex: 0, entryCount: 0)
    /// Selected generation, or `nil` if the panel does not show it yet.
    private var shownGeneration: GenerationDescription?
    /// Lines of the selected generation's rendering, or an empty array if there is no rendering.
    private var generationLines: [String] = []
    private var currentLines: [String] = []
    private var lineDifference = TextDifference([], [])
    private var scrollPosition = PanelScroll()
    /// Differences between the selected generation and the current state, or `nil` if they are unknown.
    private var differences: [DifferenceText.Line]?
    /// Number of columns that are scrolled out of view at the left of each rendering.
    private var columnOffset = 0
    private var isConfirmingRollback = false
    /// Reason why the selected generation has no rendering, or `nil` if it has a rendering or is not shown.
    private var problem: String?
    private let allowsRollback: Bool

    /// Loads the generations of the application.
    ///
    /// - Parameter allowsRollback: Whether this client may change the scene.
    init(_ calls: SceneCalls, allowsRollback: Bool) throws(SceneCalls.CallError) {
        self.allowsRollback = allowsRollback
        try sceneDidChange(calls)
    }

    var hint: String {
        if generations.isEmpty { return "the history is empty · Escape: back to the scene" }
        if !canRollBack { return "arrows, Space: see more · Escape: back to the scene" }
        return isConfirmingRollback
            ? "roll back to \(selectedGeneration?.name ?? "")? (y/n)"
            : "Enter: roll back · arrows, Space: see more · Escape: back"
    }

    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        defer { lineDifference = TextDifference(generationLines, currentLines) }
        let name = selectedGeneration?.name
        generations = try calls.make(applicationCall: HistoryCall()).generations.reversed()
        selection = PanelSelection(
            selectedIndex: generations.firstIndex { $0.name == name } ?? 0,
            entryCount: generations.count)
        hideUnselectedGeneration()
        currentLines = Self.lines(try calls.make(ShowCall()).text)
        guard let generation = selectedGeneration else { return }
        if shownGeneration == nil { try loadRendering(of: generation, calls) }
        try loadDifferences(from: generation, calls)
    }

    private var canRollBack: Bool { allowsRollback && problem == nil && shownGeneration != nil }

    private var selectedGeneration: GenerationDescription? {
        generations.indices.contains(selection.selectedIndex)
            ? generations[selection.selectedIndex] : nil
    }

    /// Hides the shown generation if it is no longer selected. The user then cannot confirm a rollback to the selected
    /// generation before it is shown.
    private mutating func hideUnselectedGeneration() {
        if selectedGeneration == shownGeneration { return }
        (shownGeneration, isConfirmingRollback) = (nil, false)
        (generationLines, differences, problem) = ([], nil, nil)
        scrollPosition.reset()
    }

    private mutating func loadRendering(
        of generation: GenerationDescription, _ calls: SceneCalls
    ) throws(SceneCalls.CallError) {
        do {
            generationLines = Self.lines(
                try calls.make(ShowCall.with { $0.generation = generation.name }).text)
        } catch {
            guard error.refusal != nil else { throw error }
            problem = error.sentence
        }
        shownGeneration = generation
    }

    /// Loads the differences between a generation and the current state.
    private mutating func loadDifferences(
        from generation: GenerationDescription, _ calls: SceneCalls
    ) throws(SceneCalls.CallError) {
        differences = nil
        do {
            let reply = try calls.make(
                applicationCall: DiffCall.with { $0.from = generation.name })
            differences =
                DifferenceText(reply.differences.filter { $0.scene == calls.sceneName }).lines
        } catch {
            guard error.refusal != nil else { throw error }
            differences = [DifferenceText.Line(text: error.sentence)]
        }
    }

    /// Returns the lines of a rendering without the frame.
    private static func lines(_ text: String) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first?.first == "┌", lines.last?.first == "└" else { return lines }
        return lines.dropFirst().dropLast().map { String($0.dropFirst(2).dropLast(2)) }
    }

    mutating func press(
        _ key: Key, _ calls: SceneCalls
    ) throws(SceneCalls.CallError) -> PanelOutcome {
        if isConfirmingRollback {
            isConfirmingRollback = false
            guard key == .text("y"), let selectedGeneration else { return .stayOpen }
            return .rollBack(generation: selectedGeneration.name)
        }
        if selection.press(key) {
            hideUnselectedGeneration()
            try sceneDidChange(calls)
            return .stayOpen
        }
        switch key {
        case .left: columnOffset = max(0, columnOffset - 8)
        case .right: columnOffset += 8
        case .enter: isConfirmingRollback = canRollBack
        case .escape, .history, .text("q"): return .close
        default: scrollPosition.press(key)
        }
        return .stayOpen
    }

    // MARK: Drawing

    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = selection.visibleRange(max(2, (size.lines - 3) / 4)).map { index in
            let generation = generations[index]
            let columns = [
                generation.name, generation.time, countPhrase(generation.objects, "object"),
                generation.problem ?? generation.reason ?? "",
            ]
            return DrawnLine.entry(
                columns.joined(separator: "  "), isSelected: index == selection.selectedIndex)
        }
        let halfWidth = max(1, (size.columns - 1) / 2)
        let heading = "  then".padded(halfWidth) + "│  now"
        let header =
            [.panel("  Earlier states", as: .bar)] + entries
            + [.panel(""), .panel(heading.padded(size.columns), as: .bar)]
        var lines = problem.map { DrawnLine.panel(wrapping: $0, columns: size.columns) } ?? []
        for number in 0..<max(generationLines.count, currentLines.count) {
            lines.append(
                Self.joinSideBySide(
                    (
                        number < generationLines.count ? generationLines[number] : "",
                        lineDifference.changedColumnsInFirstText[number]
                    ),
                    (
                        number < currentLines.count ? currentLines[number] : "",
                        lineDifference.changedColumnsInSecondText[number]
                    ), halfWidth, columnOffset))
        }
        if let differences, differences.isEmpty, problem == nil {
            lines += [.panel(""), .panel("  the saved state is the same", as: .bar)]
        } else if let differences, !differences.isEmpty {
            lines += [.panel(""), .panel("  - then  + now", as: .bar)]
            lines += differences.map { line in
                line.color == .red
                    ? .panel("  \(line.text)", as: .position) : .panel("  \(line.text)")
            }
        }
        return header + scrollPosition.visibleLines(lines, height: size.lines - header.count)
    }

    /// Joins two lines side by side and marks the columns that differ.
    private static func joinSideBySide(
        _ first: (text: String, changedColumns: Range<Int>?),
        _ second: (text: String, changedColumns: Range<Int>?),
        _ halfWidth: Int, _ columnOffset: Int
    ) -> DrawnLine {
        let texts = [first, second].map { $0.text.part(from: columnOffset, columns: halfWidth) }
        let changedSpans = [first, second].enumerated().compactMap {
            index, side -> (DrawnRole, Range<Int>)? in
            guard let changedColumns = side.changedColumns else { return nil }
            let visibleColumns =
                (changedColumns.lowerBound - columnOffset..<changedColumns.upperBound - columnOffset)
                .clamped(
                    to: 0..<halfWidth)
            let startColumn = index * (halfWidth + 1)
            return visibleColumns.isEmpty
                ? nil
                : (
                    .selection,
                    startColumn + visibleColumns.lowerBound..<startColumn
                        + visibleColumns.upperBound
                )
        }
        return .panel("\(texts[0].padded(halfWidth))│\(texts[1])", changedSpans)
    }
}

/// Columns in which the lines of two renderings differ.
struct TextDifference {
    /// Columns in the first rendering, keyed by line number.
    private(set) var changedColumnsInFirstText: [Int: Range<Int>] = [:]
    /// Columns in the second rendering, keyed by line number.
    private(set) var changedColumnsInSecondText: [Int: Range<Int>] = [:]

    init(_ firstLines: [String], _ secondLines: [String]) {
        let changes = secondLines.difference(from: firstLines)
        for case .remove(let number, let line, _) in changes.removals {
            changedColumnsInFirstText[number] = 0..<max(1, line.terminalColumns)
        }
        for case .insert(let number, let line, _) in changes.insertions {
            changedColumnsInSecondText[number] = 0..<max(1, line.terminalColumns)
        }
        // If the two lines with the same number both changed, only the part between their common beginning and end is
        // marked.
        for number in Set(changedColumnsInFirstText.keys).intersection(
            changedColumnsInSecondText.keys)
        {
            let (a, b) = (Array(firstLines[number]), Array(secondLines[number]))
            let prefixLength = zip(a, b).prefix { $0 == $1 }.count
            let maximumSuffixLength = min(a.count, b.count) - prefixLength
            let suffixLength = zip(a.reversed(), b.reversed()).prefix { $0 == $1 }.prefix(
                maximumSuffixLength
            ).count
            func columns(_ characters: [Character]) -> Range<Int> {
                let columnsBefore = String(characters[..<prefixLength]).terminalColumns
                let changedColumns = String(
                    characters[prefixLength..<characters.count - suffixLength]
                ).terminalColumns
                return columnsBefore..<columnsBefore + max(1, changedColumns)
            }
            (changedColumnsInFirstText[number], changedColumnsInSecondText[number]) = (
                columns(a), columns(b)
            )
        }
    }
}
