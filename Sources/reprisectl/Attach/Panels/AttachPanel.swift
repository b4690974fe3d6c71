import RepriseControl
import TerminalText
import Varlink

/// Panel that is shown instead of a scene and receives the keys.
protocol AttachPanel {
    /// Hint that is shown in the bar at the bottom.
    var hint: String { get }

    /// Returns the lines that are visible at a given size. The size does not include the bar at the bottom.
    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine]

    /// Handles a key.
    mutating func press(_ key: Key, _ calls: SceneCalls) throws(SceneCalls.CallError)
        -> PanelOutcome

    /// Updates the panel after the scene has changed.
    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.CallError)
}

extension AttachPanel {
    mutating func sceneDidChange(_ calls: SceneCalls) throws(SceneCalls.CallError) {}
}

/// Result of a key press in a panel.
enum PanelOutcome: Equatable {
    case stayOpen
    /// The panel closes, and the scene is shown again.
    case close
    /// The panel closes, and another scene is shown.
    case switchScene(bundleIdentifier: String, sceneName: String)
    /// The scene is rolled back to a generation.
    case rollBack(generation: String)
}

/// Selection of one entry in a list.
struct PanelSelection {
    var selectedIndex: Int
    let entryCount: Int

    /// Handles a key that moves the selection.
    ///
    /// - Returns: Whether the selection has changed.
    mutating func press(_ key: Key, pageLength: Int = 10) -> Bool {
        let previousIndex = selectedIndex
        switch key {
        case .up, .backTab: selectedIndex -= 1
        case .down, .tab: selectedIndex += 1
        case .pageUp: selectedIndex -= pageLength
        case .pageDown: selectedIndex += pageLength
        case .home: selectedIndex = 0
        case .end: selectedIndex = entryCount - 1
        default: break
        }
        selectedIndex = max(0, min(entryCount - 1, selectedIndex))
        return selectedIndex != previousIndex
    }

    /// Returns the range of entries that fit into a number of lines and include the selected entry.
    func visibleRange(_ lines: Int) -> Range<Int> {
        let visibleCount = max(0, min(lines, entryCount))
        let firstIndex = max(0, min(selectedIndex - visibleCount / 2, entryCount - visibleCount))
        return firstIndex..<firstIndex + visibleCount
    }
}

/// Scroll position of content that does not fit on the screen.
struct PanelScroll {
    private var topLine = 0

    /// Scrolls if the user pressed a scroll key.
    mutating func press(_ key: Key) {
        switch key {
        case .text(" "): topLine += 5
        case .backspace: topLine = max(0, topLine - 5)
        default: break
        }
    }

    mutating func reset() { topLine = 0 }

    /// Returns the lines below the scroll position, which is limited so that the last lines stay visible.
    mutating func visibleLines(_ lines: [DrawnLine], height: Int) -> ArraySlice<DrawnLine> {
        topLine = min(topLine, max(0, lines.count - max(1, height)))
        return lines.dropFirst(topLine)
    }
}

extension DrawnLine {
    /// Creates a line in a panel. The line's number is not used.
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

    /// Creates a line whose entire text has a role.
    static func panel(_ text: String, as role: DrawnRole) -> DrawnLine {
        panel(text, [(role, 0..<text.terminalColumns)])
    }

    /// Wraps text between words and creates a line for each part.
    static func panel(wrapping text: String, columns: Int) -> [DrawnLine] {
        let textWidth = max(1, columns - 4)
        var lines: [String] = []
        for word in text.terminalText(columns: 1 << 16).split(separator: " ") {
            if let lastLine = lines.last,
                lastLine.terminalColumns + 1 + String(word).terminalColumns <= textWidth
            {
                lines[lines.count - 1] += " \(word)"
                continue
            }
            // A word that is longer than a line continues on the next line.
            var remainingWord = Substring(word)
            while !remainingWord.isEmpty {
                let part = String(remainingWord).part(from: 0, columns: textWidth)
                lines.append(part.isEmpty ? String(remainingWord.removeFirst()) : part)
                remainingWord = remainingWord.dropFirst(part.count)
            }
        }
        return lines.map { panel("  \($0)") }
    }

    /// Creates a list entry.
    static func entry(_ text: String, isSelected: Bool) -> DrawnLine {
        let line = "  \(isSelected ? "›" : " ") \(text)"
        return isSelected ? panel(line, as: .selection) : panel(line)
    }
}
