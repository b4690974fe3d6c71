import RepriseControl
import TerminalText

/// Something that is shown in the place of a scene, and takes the keys meanwhile.
protocol AttachPanel {
    /// What stands at the foot.
    var hint: String { get }

    /// What is shown of it on a terminal of a size, the bar at the foot not counted.
    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine]

    /// Takes a key.
    mutating func press(_ key: Key, _ calls: SceneCalls) throws(SceneCalls.Failed) -> PanelOutcome

    /// The scene looks otherwise than before.
    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.Failed)
}

extension AttachPanel {
    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.Failed) {}
}

/// What a key in a panel leads to.
enum PanelOutcome: Equatable {
    case stays
    /// The scene is shown again.
    case ends
    /// Another scene is.
    case goes(application: String, scene: String)
    /// The scene goes back to an earlier state.
    case rollsBack(generation: String)
}

/// Which entry of a list is chosen.
struct PanelChoice {
    var index: Int
    let count: Int

    /// Takes a key that chooses.
    ///
    /// - Returns: whether another entry is chosen.
    mutating func press(_ key: Key, page: Int = 10) -> Bool {
        let before = index
        switch key {
        case .up, .backTab: index -= 1
        case .down, .tab: index += 1
        case .pageUp: index -= page
        case .pageDown: index += page
        case .home: index = 0
        case .end: index = count - 1
        default: break
        }
        index = max(0, min(count - 1, index))
        return index != before
    }

    /// So many of the entries, the chosen one among them.
    func seen(_ lines: Int) -> Range<Int> {
        let most = max(0, min(lines, count))
        let first = max(0, min(index - most / 2, count - most))
        return first..<first + most
    }
}

/// How far a person has scrolled what does not fit.
struct PanelScroll {
    private var top = 0

    /// Takes a key that scrolls.
    mutating func press(_ key: Key) {
        switch key {
        case .text(" "): top += 5
        case .backspace: top = max(0, top - 5)
        default: break
        }
    }

    mutating func reset() { top = 0 }

    /// So many of the lines, up to the last one.
    mutating func seen(_ lines: [DrawnLine], height: Int) -> ArraySlice<DrawnLine> {
        top = min(top, max(0, lines.count - max(1, height)))
        return lines.dropFirst(top)
    }
}

extension DrawnLine {
    /// A line of a panel. Its number is that of its place among others, which nobody asks for.
    static func panel(_ text: String, _ roles: [(DrawnRole, Range<Int>)] = []) -> DrawnLine {
        .with {
            $0.text = text
            $0.spans = roles.map { role, columns in
                .with {
                    ($0.role, $0.column, $0.columns) = (role, columns.lowerBound, columns.count)
                }
            }
        }
    }

    /// A line that wholly has a role.
    static func panel(_ text: String, as role: DrawnRole) -> DrawnLine {
        panel(text, [(role, 0..<text.terminalColumns)])
    }

    /// A text that may need several lines, broken between words.
    static func panel(wrapping text: String, columns: Int) -> [DrawnLine] {
        let room = max(1, columns - 4)
        var lines: [String] = []
        for word in text.drawn(columns: 1 << 16).split(separator: " ") {
            if let last = lines.last,
                last.terminalColumns + 1 + String(word).terminalColumns <= room
            {
                lines[lines.count - 1] += " \(word)"
                continue
            }
            // A word that is longer than a line goes on in the next one.
            var rest = Substring(word)
            while !rest.isEmpty {
                let part = String(rest).part(from: 0, columns: room)
                lines.append(part.isEmpty ? String(rest.removeFirst()) : part)
                rest = rest.dropFirst(part.count)
            }
        }
        return lines.map { panel("  \($0)") }
    }

    /// An entry of a list.
    static func entry(_ text: String, isChosen: Bool) -> DrawnLine {
        let line = "  \(isChosen ? "›" : " ") \(text)"
        return isChosen ? panel(line, as: .selection) : panel(line)
    }
}
