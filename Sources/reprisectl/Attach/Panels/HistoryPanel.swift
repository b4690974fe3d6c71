import ExactText
import RepriseControl
import TerminalText
import Varlink

/// Panel that shows earlier renderings of a scene next to its current rendering, and the differences between their
/// states.
struct HistoryPanel: AttachPanel {
    private var generations: [GenerationDescription] = []
    private var choice = PanelChoice(index: 0, count: 0)
    /// Lines of the selected generation's rendering, or an empty array if there is no rendering.
    private var then: [String] = []
    private var now: [String] = []
    private var marks = TextDifference([], [])
    private var scroll = PanelScroll()
    private var differences: [DifferenceText.Line] = []
    /// Number of columns that are hidden on the left in both renderings.
    private var shift = 0
    private var isAsking = false
    /// Reason why the selected generation has no rendering, or `nil` if it has one.
    private var problem: String?
    private let mayGoBack: Bool

    /// Loads the generations of the application.
    ///
    /// - Parameter mayGoBack: Whether this client may change the scene.
    init(_ calls: SceneCalls, mayGoBack: Bool) throws(SceneCalls.Failed) {
        self.mayGoBack = mayGoBack
        try load(calls)
    }

    var hint: String {
        if generations.isEmpty { return "the history is empty · Escape: back to the scene" }
        if !canGoBack { return "arrows, Space: see more · Escape: back to the scene" }
        return isAsking
            ? "roll back to \(chosen?.name ?? "")? (y/n)"
            : "Enter: roll back · arrows, Space: see more · Escape: back"
    }

    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.Failed) {
        let name = chosen?.name
        generations = try calls.make(ofApplication: HistoryCall()).generations.reversed()
        choice = PanelChoice(
            index: generations.firstIndex { $0.name == name } ?? 0, count: generations.count)
        now = Self.lines(try calls.make(ShowCall()).text)
        marks = TextDifference(then, now)
    }

    private var canGoBack: Bool { mayGoBack && problem == nil && chosen != nil }

    private var chosen: GenerationDescription? {
        generations.indices.contains(choice.index) ? generations[choice.index] : nil
    }

    private mutating func load(_ calls: SceneCalls) throws(SceneCalls.Failed) {
        defer { marks = TextDifference(then, now) }
        try sceneDidChange(calls)
        guard let name = chosen?.name else { return }
        do {
            then = Self.lines(try calls.make(ShowCall.with { $0.generation = name }).text)
            problem = nil
        } catch {
            guard error.refusal != nil else { throw error }
            (then, problem) = ([], error.sentence)
        }
        do {
            let reply = try calls.make(ofApplication: DiffCall.with { $0.from = name })
            differences = DifferenceText(reply.differences.filter { $0.scene == calls.scene }).lines
        } catch {
            guard error.refusal != nil else { throw error }
            differences = [DifferenceText.Line(text: error.sentence)]
        }
    }

    /// Returns the lines of a rendering without its frame.
    private static func lines(_ text: String) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first?.first == "┌", lines.last?.first == "└" else { return lines }
        return lines.dropFirst().dropLast().map { String($0.dropFirst(2).dropLast(2)) }
    }

    mutating func press(
        _ key: Key, _ calls: SceneCalls
    ) throws(SceneCalls.Failed) -> PanelOutcome {
        if isAsking {
            isAsking = false
            guard key == .text("y"), let chosen else { return .stays }
            return .rollsBack(generation: chosen.name)
        }
        if choice.press(key) {
            scroll.reset()
            try load(calls)
            return .stays
        }
        switch key {
        case .left: shift = max(0, shift - 8)
        case .right: shift += 8
        case .enter: isAsking = canGoBack
        case .escape, .history, .text("q"): return .ends
        default: scroll.press(key)
        }
        return .stays
    }

    // MARK: Drawing

    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = choice.seen(max(2, (size.lines - 3) / 4)).map { index in
            let generation = generations[index]
            let columns = [
                generation.name, generation.time, count(generation.objects, "object"),
                generation.problem ?? generation.reason ?? "",
            ]
            return DrawnLine.entry(columns.joined(separator: "  "), isChosen: index == choice.index)
        }
        let half = max(1, (size.columns - 1) / 2)
        let heading = "  then".padded(half) + "│  now"
        let above =
            [.panel("  Earlier states", as: .bar)] + entries
            + [.panel(""), .panel(heading.padded(size.columns), as: .bar)]
        var lines = problem.map { DrawnLine.panel(wrapping: $0, columns: size.columns) } ?? []
        for number in 0..<max(then.count, now.count) {
            lines.append(
                Self.pair(
                    (number < then.count ? then[number] : "", marks.first[number]),
                    (number < now.count ? now[number] : "", marks.second[number]), half, shift))
        }
        if differences.isEmpty, problem == nil, chosen != nil {
            lines += [.panel(""), .panel("  the saved state is the same", as: .bar)]
        } else if !differences.isEmpty {
            lines += [.panel(""), .panel("  - then  + now", as: .bar)]
            lines += differences.map { line in
                line.color == .red
                    ? .panel("  \(line.text)", as: .position) : .panel("  \(line.text)")
            }
        }
        return above + scroll.seen(lines, height: size.lines - above.count)
    }

    /// Returns two lines next to each other, with marks on the columns that differ.
    private static func pair(
        _ first: (text: String, mark: Range<Int>?), _ second: (text: String, mark: Range<Int>?),
        _ half: Int, _ shift: Int
    ) -> DrawnLine {
        let texts = [first, second].map { $0.text.part(from: shift, columns: half) }
        let marks = [first, second].enumerated().compactMap {
            place, side -> (DrawnRole, Range<Int>)? in
            guard let mark = side.mark else { return nil }
            let seen = (mark.lowerBound - shift..<mark.upperBound - shift).clamped(to: 0..<half)
            let start = place * (half + 1)
            return seen.isEmpty
                ? nil : (.selection, start + seen.lowerBound..<start + seen.upperBound)
        }
        return .panel("\(texts[0].padded(half))│\(texts[1])", marks)
    }
}

/// Columns in which the lines of two renderings differ.
struct TextDifference {
    /// Columns of the first rendering, keyed by line number.
    private(set) var first: [Int: Range<Int>] = [:]
    /// Columns of the second rendering, keyed by line number.
    private(set) var second: [Int: Range<Int>] = [:]

    init(_ one: [String], _ other: [String]) {
        let changes = other.difference(from: one)
        for case .remove(let number, let line, _) in changes.removals {
            first[number] = 0..<max(1, line.terminalColumns)
        }
        for case .insert(let number, let line, _) in changes.insertions {
            second[number] = 0..<max(1, line.terminalColumns)
        }
        // If both lines with the same number differ, only the part between their common beginning and end is marked.
        for number in Set(first.keys).intersection(second.keys) {
            let (a, b) = (Array(one[number]), Array(other[number]))
            let start = zip(a, b).prefix { $0 == $1 }.count
            let maximum = min(a.count, b.count) - start
            let end = zip(a.reversed(), b.reversed()).prefix { $0 == $1 }.prefix(maximum).count
            func columns(_ characters: [Character]) -> Range<Int> {
                let before = String(characters[..<start]).terminalColumns
                let within = String(characters[start..<characters.count - end]).terminalColumns
                return before..<before + max(1, within)
            }
            (first[number], second[number]) = (columns(a), columns(b))
        }
    }
}
