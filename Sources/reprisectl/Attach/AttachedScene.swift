import RepriseControl

/// A scene as a terminal client knows it: what is drawn, and which of what a person can point at has the
/// focus. Pure: replies and keys come in, operations go out.
struct AttachedScene {
    /// Something that a person does, as a call of the interface.
    enum Operation: Equatable {
        case insert(String, path: String)
        case edit(TextAction, path: String)
        case tap(path: String, row: Int?)
        case choose(path: String, index: Int)
        case scroll(path: String, line: Int)
        case changeEditing(path: String, isOn: Bool)
        case move(path: String, from: Int, to: Int)
        case delete(path: String, row: Int)
        case back(path: String)
        /// Takes away what was presented last; if nothing is, goes back.
        case leave
    }

    /// What a key leads to.
    enum Outcome: Equatable {
        case nothing
        /// The focus is another.
        case moved
        case operation(Operation)
        /// It cannot be done here: a sentence.
        case refused(String)
    }

    /// An object, or one of its elements.
    struct Focus: Equatable {
        var path: String
        var index: Int?
    }

    private(set) var application = ""
    private(set) var scene = ""
    private(set) var launchReason = ""
    private(set) var lines: [DrawnLine] = []
    private(set) var elements: [DrawnElement] = []
    var focus: Focus?

    // MARK: Replies

    mutating func take(_ reply: AttachCall.Reply) {
        if let application = reply.application {
            (self.application, scene) = (application, reply.scene ?? "")
            lines = []
        }
        if let launchReason = reply.launchReason { self.launchReason = launchReason }
        while lines.count < reply.height { lines.append(.with { $0.number = lines.count }) }
        lines.removeLast(lines.count - reply.height)
        for line in reply.lines where lines.indices.contains(line.number) {
            lines[line.number] = line
        }
        guard let elements = reply.elements else { return }
        self.elements = elements
        keepFocus()
    }

    /// Gives the focus to something else if what had it is gone.
    private mutating func keepFocus() {
        if focused != nil { return }
        if let focus, focus.index != nil {
            // A row that is gone leaves it to the nearest that is there.
            let others = elements.filter { $0.path == focus.path && $0.index != nil }
            let wanted = focus.index ?? 0
            let nearest = others.min {
                abs(($0.index ?? 0) - wanted) < abs(($1.index ?? 0) - wanted)
            }
            if let nearest { return set(nearest) }
        }
        focus = nil
        // Where a person would begin: with what can be typed into, or chosen from.
        let first = stops.first { [.field, .text, .row].contains($0.kind) } ?? stops.first
        if let first { set(first) }
    }

    // MARK: Focus

    /// The element that has the focus; nil if there is none.
    var focused: DrawnElement? {
        guard let focus else { return nil }
        return elements.first {
            $0.path == focus.path && $0.index == focus.index && $0.canHaveFocus
        }
    }

    /// What the focus goes through: of rows and choices of one object the chosen one, or the first.
    private var stops: [DrawnElement] {
        var stops: [DrawnElement] = []
        let ordered = elements.filter(\.canHaveFocus).sorted {
            ($0.line, $0.column) < ($1.line, $1.column)
        }
        for element in ordered {
            guard element.index != nil,
                let place = stops.firstIndex(where: {
                    $0.path == element.path && $0.index != nil
                })
            else {
                stops.append(element)
                continue
            }
            if element.chosen == true, stops[place].chosen != true { stops[place] = element }
        }
        return stops
    }

    private mutating func set(_ element: DrawnElement) {
        focus = Focus(path: element.path, index: element.index)
    }

    private mutating func moveFocus(by offset: Int) -> Outcome {
        let stops = stops
        guard !stops.isEmpty else { return .nothing }
        let place = stops.firstIndex { $0.path == focus?.path }
        set(stops[((place ?? 0) + offset + stops.count) % stops.count])
        return .moved
    }

    /// Moves the focus to the nearest stop above or below.
    private mutating func moveFocus(from element: DrawnElement, down: Bool) -> Outcome {
        let others = stops.filter { other in
            other.path != element.path
                && (down
                    ? other.line >= element.line + element.lines
                    : other.line + other.lines <= element.line)
        }
        let nearest = others.min { one, other in
            let distances = [one, other].map {
                (abs($0.line - element.line), abs($0.column - element.column))
            }
            return distances[0] < distances[1]
        }
        guard let nearest else { return .nothing }
        set(nearest)
        return .moved
    }

    /// Gives the focus to the next element in whose text something stands.
    mutating func find(_ text: String) -> Bool {
        let ordered = elements.filter(\.canHaveFocus).sorted {
            ($0.line, $0.column) < ($1.line, $1.column)
        }
        let wanted = text.lowercased()
        let found = ordered.first { element in
            element.path.lowercased().contains(wanted)
                || lines.indices.contains(element.line)
                    && lines[element.line].text.lowercased().contains(wanted)
        }
        if let found { set(found) }
        return found != nil
    }

    // MARK: Keys

    mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .tab: return moveFocus(by: 1)
        case .backTab: return moveFocus(by: -1)
        case .escape: return .operation(.leave)
        case .click(let line, let column): return click(line, column)
        case .wheel(let line, let column, let offset): return wheel(line, column, offset)
        default: break
        }
        guard let element = focused else { return .nothing }
        return switch element.kind {
        case .field, .text: type(key, in: element)
        case .value: slide(key, element)
        case .row: press(key, row: element)
        case .choice: press(key, choice: element)
        case .button, .back: press(key, button: element)
        case .list, .scroll: .nothing
        }
    }

    private static let edits: [Key: TextAction] = [
        .left: .moveLeft, .right: .moveRight, .home: .moveToBeginningOfLine,
        .end: .moveToEndOfLine, .top: .moveToBeginningOfDocument,
        .bottom: .moveToEndOfDocument, .wordLeft: .moveWordLeft, .wordRight: .moveWordRight,
        .backspace: .deleteBackward, .delete: .deleteForward,
        .control("a"): .moveToBeginningOfLine, .control("e"): .moveToEndOfLine,
        .control("b"): .moveLeft, .control("f"): .moveRight, .control("d"): .deleteForward,
        .control("k"): .deleteToEndOfLine, .control("u"): .deleteToBeginningOfLine,
        .control("w"): .deleteWordBackward,
    ]

    private mutating func type(_ key: Key, in element: DrawnElement) -> Outcome {
        let isField = element.kind == .field
        switch key {
        case .text(let text), .paste(let text): return .operation(.insert(text, path: element.path))
        case .enter where isField: return moveFocus(from: element, down: true)
        case .enter: return .operation(.insert("\n", path: element.path))
        case .up where isField: return moveFocus(from: element, down: false)
        case .down where isField: return moveFocus(from: element, down: true)
        case .up: return .operation(.edit(.moveUp, path: element.path))
        case .down: return .operation(.edit(.moveDown, path: element.path))
        default:
            guard let edit = Self.edits[key] else { return .nothing }
            return .operation(.edit(edit, path: element.path))
        }
    }

    private mutating func slide(_ key: Key, _ element: DrawnElement) -> Outcome {
        switch key {
        case .left, .right, .home, .end:
            guard let edit = Self.edits[key] else { return .nothing }
            return .operation(.edit(edit, path: element.path))
        case .up: return moveFocus(from: element, down: false)
        case .down: return moveFocus(from: element, down: true)
        default: return .nothing
        }
    }

    private mutating func press(_ key: Key, button element: DrawnElement) -> Outcome {
        switch key {
        case .enter, .text(" "):
            return element.kind == .back
                ? .operation(.back(path: element.path))
                : .operation(.tap(path: element.path, row: nil))
        case .up: return moveFocus(from: element, down: false)
        case .down: return moveFocus(from: element, down: true)
        case .left: return moveFocus(by: -1)
        case .right: return moveFocus(by: 1)
        default: return .nothing
        }
    }

    private mutating func press(_ key: Key, choice element: DrawnElement) -> Outcome {
        let index = element.index ?? 0
        let others = elements.filter { $0.path == element.path && $0.index != nil }.compactMap(
            \.index)
        switch key {
        case .enter, .text(" "): return .operation(.choose(path: element.path, index: index))
        case .left, .right:
            let next = key == .left ? index - 1 : index + 1
            guard others.contains(next) else { return .nothing }
            focus?.index = next
            return .operation(.choose(path: element.path, index: next))
        case .up: return moveFocus(from: element, down: false)
        case .down: return moveFocus(from: element, down: true)
        default: return .nothing
        }
    }

    private mutating func press(_ key: Key, row element: DrawnElement) -> Outcome {
        let index = element.index ?? 0
        let rows = elements.filter { $0.path == element.path && $0.kind == .row }
        let seen = rows.compactMap(\.index)
        let list = elements.first { $0.path == element.path && $0.kind == .list }
        let isEditing = list?.editing == true
        switch key {
        case .enter, .text(" "): return .operation(.tap(path: element.path, row: index))
        case .up, .down:
            let below = key == .down
            let beside = rows.filter { below ? $0.line > element.line : $0.line < element.line }
            let next = beside.min { one, other in
                (abs(one.line - element.line), abs(one.column - element.column))
                    < (abs(other.line - element.line), abs(other.column - element.column))
            }
            if let next {
                set(next)
                return .moved
            }
            // The lines beyond what is seen are scrolled to; at the end the focus goes on.
            if let list, isPartSeen(list), below || (seen.min() ?? 0) > 0 {
                let perLine = max(1, rows.filter { $0.line == element.line }.count)
                let first = (seen.min() ?? 0) / perLine
                focus?.index = below ? index + perLine : max(0, index - perLine)
                return .operation(.scroll(path: element.path, line: below ? first + 1 : first - 1))
            }
            return moveFocus(from: element, down: below)
        case .pageUp, .pageDown:
            let count = max(1, seen.count - 1)
            let first = seen.min() ?? 0
            return .operation(
                .scroll(
                    path: element.path,
                    line: max(0, key == .pageDown ? first + count : first - count)))
        case .left, .right:
            let next = rows.first {
                $0.line == element.line && $0.index == (key == .left ? index - 1 : index + 1)
            }
            guard let next else { return .nothing }
            set(next)
            return .moved
        case .text("e"):
            return .operation(.changeEditing(path: element.path, isOn: !isEditing))
        case .delete, .text("d"):
            guard isEditing else {
                return .refused("press e first: rows are deleted in the edit mode")
            }
            return .operation(.delete(path: element.path, row: index))
        case .moveUp, .text("K"):
            guard index > 0 else { return .nothing }
            focus?.index = index - 1
            return .operation(.move(path: element.path, from: index, to: index - 1))
        case .moveDown, .text("J"):
            focus?.index = index + 1
            return .operation(.move(path: element.path, from: index, to: index + 1))
        default: return .nothing
        }
    }

    /// Whether a line below a list tells that there is more of it.
    private func isPartSeen(_ list: DrawnElement) -> Bool {
        lines[max(0, list.line)..<min(lines.count, list.line + list.lines)].contains {
            $0.spans.contains { $0.role == .position }
        }
    }

    // MARK: Mouse

    private mutating func click(_ line: Int, _ column: Int) -> Outcome {
        guard let element = elements.first(where: { $0.contains(line, column) && $0.canHaveFocus })
        else { return .nothing }
        set(element)
        return switch element.kind {
        case .button: .operation(.tap(path: element.path, row: nil))
        case .row: .operation(.tap(path: element.path, row: element.index))
        case .choice: .operation(.choose(path: element.path, index: element.index ?? 0))
        case .back: .operation(.back(path: element.path))
        case .field, .text, .value, .list, .scroll: .moved
        }
    }

    private func wheel(_ line: Int, _ column: Int, _ offset: Int) -> Outcome {
        let list = elements.first { $0.kind == .list && $0.contains(line, column) }
        guard let list else { return .nothing }
        let first = elements.filter { $0.path == list.path }.compactMap(\.index).min() ?? 0
        return .operation(.scroll(path: list.path, line: max(0, first + offset)))
    }
}

extension DrawnElement {
    /// Whether the focus may come to it.
    fileprivate var canHaveFocus: Bool { enabled && kind != .list && kind != .scroll }

    func contains(_ line: Int, _ column: Int) -> Bool {
        self.line..<self.line + lines ~= line && self.column..<self.column + columns ~= column
    }
}
