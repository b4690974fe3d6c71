import ExactText
import RepriseControl
import TerminalText
import Varlink

/// Rendering and focus of a scene in the terminal client.
///
/// The type is a pure state machine: replies and keys are its input, and operations are its output.
struct AttachedScene {
    /// User action that corresponds to a call in the control interface.
    enum Operation: Equatable {
        case insert(String, path: String)
        /// Edits text. If `extends` is `true`, the action extends the selection.
        case edit(TextAction, extends: Bool = false, path: String)
        case tap(path: String, row: Int?)
        case choose(path: String, index: Int)
        case scroll(path: String, x: Double, y: Double)
        case zoom(path: String, scale: Double)
        case load(path: String, address: String)
        case setEditing(path: String, isOn: Bool)
        case move(path: String, from: Int, to: Int)
        case delete(path: String, row: Int)
        /// Restores the row that was deleted last.
        case undoDelete(path: String)
        case back(path: String)
        case forward(path: String)
        /// Dismisses the topmost presented controller. If no controller is presented, goes back.
        case dismissOrGoBack
    }

    /// Result of a key press.
    enum Outcome: Equatable {
        case nothing
        /// The focus has moved.
        case moved
        case operation(Operation)
        /// The user must confirm the deletion of the row with the given text.
        case deletionRequested(text: String, path: String, row: Int)
        /// The user must type the address of a page.
        case addressRequired(path: String)
        /// The key has no effect. The associated value is the reason.
        case refused(String)
    }

    /// Object or element that has the focus.
    struct Focus: Equatable {
        var path: String
        var elementIndex: Int?
    }

    private(set) var bundleIdentifier = ""
    private(set) var sceneName = ""
    private(set) var launchReason = ""
    private(set) var lines: [DrawnLine] = []
    private(set) var elements: [DrawnElement] = []
    var focus: Focus?
    /// Paths of the lists that have visible rows.
    private var listsWithRows: Set<ExactString> = []
    /// Element on which the mouse button is pressed, or `nil` if it is not pressed on an element.
    private var pressedElement: Focus?

    // MARK: Replies

    /// Applies a reply. Parts of the rendering whose positions or sizes are out of range are ignored.
    mutating func apply(_ reply: AttachCall.Reply) {
        if let bundleIdentifier = reply.application {
            (self.bundleIdentifier, sceneName) = (bundleIdentifier, reply.scene ?? "")
            lines = []
        }
        if let launchReason = reply.launchReason { self.launchReason = launchReason }
        let height = min(max(0, reply.height), positionRange.upperBound)
        while lines.count < height { lines.append(.with { $0.number = lines.count }) }
        lines.removeLast(lines.count - height)
        for var line in reply.lines where lines.indices.contains(line.number) {
            line.spans.removeAll { !$0.isInRange }
            lines[line.number] = line
        }
        guard let elements = reply.elements?.filter(\.isInRange) else { return }
        self.elements = elements
        listsWithRows = Set(elements.lazy.filter { $0.kind == .row }.map { ExactString($0.path) })
        repairFocus()
    }

    /// Moves the focus to another element if the focused element has disappeared.
    private mutating func repairFocus() {
        if focusedElement != nil { return }
        if let focus {
            // If the focused row has disappeared, the nearest existing row gets the focus. If the list was
            // empty and now has rows, the nearest row gets the focus.
            let siblingElements = elements.filter { $0.path == focus.path && $0.index != nil }
            let lostIndex = focus.elementIndex ?? 0
            let nearestElement = siblingElements.min {
                abs(($0.index ?? 0) - lostIndex) < abs(($1.index ?? 0) - lostIndex)
            }
            if let nearestElement { return setFocus(nearestElement) }
            // If the list has become empty, the list itself gets the focus.
            let list = list(at: focus.path)
            if let list, canHaveFocus(list) { return setFocus(list) }
        }
        focus = nil
        // Otherwise, the first text input or row gets the focus, because it is a likely starting point.
        let firstElement =
            focusStops.first { [.field, .text, .row].contains($0.kind) } ?? focusStops.first
        if let firstElement { setFocus(firstElement) }
    }

    // MARK: Focus

    /// Focused element, or `nil` if no element has the focus.
    var focusedElement: DrawnElement? {
        guard let focus else { return nil }
        return elements.first {
            $0.path == focus.path && $0.index == focus.elementIndex && canHaveFocus($0)
        }
    }

    /// Returns whether an element can have the focus. A list can have the focus only if it has no visible rows.
    private func canHaveFocus(_ element: DrawnElement) -> Bool {
        element.enabled
            && (element.kind != .list || !listsWithRows.contains(ExactString(element.path)))
    }

    /// Elements that can have the focus, in reading order.
    private var reachableElements: [DrawnElement] {
        elements.filter(canHaveFocus).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    /// Elements between which Tab moves the focus.
    ///
    /// If an object has several rows or choices, only the chosen element is included. If no element is chosen, the
    /// first element is included.
    private var focusStops: [DrawnElement] {
        var focusStops: [DrawnElement] = []
        for element in reachableElements {
            guard element.index != nil,
                let index = focusStops.firstIndex(where: {
                    $0.path == element.path && $0.index != nil
                })
            else {
                focusStops.append(element)
                continue
            }
            if element.chosen == true, focusStops[index].chosen != true {
                focusStops[index] = element
            }
        }
        return focusStops
    }

    /// Returns whether the screen shows an element of the object at a path, or of one of its descendants.
    func shows(_ path: String) -> Bool { elements.contains { $0.path.isAtOrBelow(path) } }

    private mutating func setFocus(_ element: DrawnElement) {
        focus = Focus(path: element.path, elementIndex: element.index)
    }

    private mutating func moveFocus(by offset: Int) -> Outcome {
        let focusStops = focusStops
        guard !focusStops.isEmpty else { return .nothing }
        let index = focusStops.firstIndex { $0.path == focus?.path }
        setFocus(focusStops[((index ?? 0) + offset + focusStops.count) % focusStops.count])
        return .moved
    }

    /// Moves the focus to the nearest stop above or below an element.
    private mutating func moveFocus(from element: DrawnElement, down: Bool) -> Outcome {
        let candidateStops = focusStops.filter { stop in
            stop.path != element.path
                && (down
                    ? stop.line >= element.line + element.lines
                    : stop.line + stop.lines <= element.line)
        }
        let nearestElement = candidateStops.min { left, right in
            let distances = [left, right].map {
                (abs($0.line - element.line), abs($0.column - element.column))
            }
            return distances[0] < distances[1]
        }
        guard let nearestElement else { return .nothing }
        setFocus(nearestElement)
        return .moved
    }

    /// Moves the focus to the next element whose text or path contains the given text.
    ///
    /// The search starts after the focused element and wraps around at the last element.
    ///
    /// - Returns: Whether an element contains the text.
    mutating func find(_ text: String) -> Bool {
        let orderedElements = reachableElements
        let focusedElement = focusedElement
        let start = (orderedElements.firstIndex { $0 == focusedElement } ?? -1) + 1
        let searchText = text.lowercased()
        let matchingElement = (orderedElements[start...] + orderedElements[..<start]).first {
            element in
            element.path.lowercased().contains(searchText)
                || lines[clamped: element.line..<element.line + element.lines].contains {
                    $0.text.part(from: element.column, columns: element.columns).lowercased()
                        .contains(searchText)
                }
        }
        if let matchingElement { setFocus(matchingElement) }
        return matchingElement != nil
    }

    // MARK: Keys

    mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .tab: return moveFocus(by: 1)
        case .backTab: return moveFocus(by: -1)
        case .escape: return handleEscape()
        case .click(let line, let column): return click(line, column)
        case .release(let line, let column): return release(line, column)
        case .wheel(let line, let column, let offset): return turnWheel(line, column, offset)
        default: break
        }
        guard let element = focusedElement else { return .nothing }
        if key == .pasteTooLong {
            return .refused("the pasted text was ignored: it is longer than 256 KiB")
        }
        if case .paste = key, element.kind != .field, element.kind != .text {
            return .refused("the pasted text was ignored: no text has the focus")
        }
        return switch element.kind {
        case .field, .text: type(key, in: element)
        case .value: adjustSlider(key, element)
        case .row: press(key, row: element)
        case .choice: press(key, choice: element)
        case .button, .back: press(key, button: element)
        case .list: press(key, emptyList: element)
        case .scroll, .page: scroll(key, element)
        }
    }

    private static let editActions: [Key: TextAction] = [
        .left: .moveLeft, .right: .moveRight, .home: .moveToBeginningOfLine,
        .end: .moveToEndOfLine, .top: .moveToBeginningOfDocument,
        .bottom: .moveToEndOfDocument, .wordLeft: .moveWordLeft, .wordRight: .moveWordRight,
        .backspace: .deleteBackward, .delete: .deleteForward,
        .control("a"): .moveToBeginningOfLine, .control("e"): .moveToEndOfLine,
        .control("b"): .moveLeft, .control("f"): .moveRight, .control("d"): .deleteForward,
        .control("k"): .deleteToEndOfLine, .control("u"): .deleteToBeginningOfLine,
        .control("w"): .deleteWordBackward, .pageUp: .pageUp, .pageDown: .pageDown,
    ]

    private static let selectionActions: [Key: TextAction] = [
        .shiftLeft: .moveLeft, .shiftRight: .moveRight, .shiftUp: .moveUp, .shiftDown: .moveDown,
        .shiftHome: .moveToBeginningOfLine, .shiftEnd: .moveToEndOfLine,
        .shiftTop: .moveToBeginningOfDocument, .shiftBottom: .moveToEndOfDocument,
        .shiftWordLeft: .moveWordLeft, .shiftWordRight: .moveWordRight,
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
        case .pageUp where isField, .pageDown where isField: return .nothing
        default:
            if let move = Self.selectionActions[key] {
                return .operation(.edit(move, extends: true, path: element.path))
            }
            guard let edit = Self.editActions[key] else { return .nothing }
            return .operation(.edit(edit, path: element.path))
        }
    }

    private mutating func adjustSlider(_ key: Key, _ element: DrawnElement) -> Outcome {
        switch key {
        case .left, .right, .home, .end:
            guard let edit = Self.editActions[key] else { return .nothing }
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
        let siblingIndexes = elements.filter { $0.path == element.path && $0.index != nil }
            .compactMap(
                \.index)
        switch key {
        case .enter, .text(" "): return .operation(.choose(path: element.path, index: index))
        case .left, .right:
            let nextIndex = key == .left ? index - 1 : index + 1
            guard siblingIndexes.contains(nextIndex) else { return .nothing }
            focus?.elementIndex = nextIndex
            return .operation(.choose(path: element.path, index: nextIndex))
        case .up: return moveFocus(from: element, down: false)
        case .down: return moveFocus(from: element, down: true)
        default: return .nothing
        }
    }

    private mutating func press(_ key: Key, row element: DrawnElement) -> Outcome {
        let index = element.index ?? 0
        let rows = elements.filter { $0.path == element.path && $0.kind == .row }
        switch key {
        case .enter, .text(" "): return .operation(.tap(path: element.path, row: index))
        case .up, .down, .left, .right, .home, .end, .pageUp, .pageDown:
            return moveFocus(key, from: element, in: rows)
        case .text("e"):
            let isEditing = list(at: element.path)?.editing == true
            return .operation(.setEditing(path: element.path, isOn: !isEditing))
        case .delete, .text("d"):
            guard list(at: element.path)?.editing == true else {
                return .refused("press e first: rows can be deleted only in edit mode")
            }
            return .deletionRequested(
                text: rowText(path: element.path, row: index) ?? "", path: element.path, row: index)
        case .text("u"): return undoDeletion(in: element.path)
        case .shiftUp, .text("K"):
            guard index > 0 else { return .refused("this row is the first one") }
            focus?.elementIndex = index - 1
            return .operation(.move(path: element.path, from: index, to: index - 1))
        case .shiftDown, .text("J"):
            guard
                rows.contains(where: { $0.index == index + 1 })
                    || list(at: element.path).map(hasHiddenRows) == true
            else {
                return .refused("this row is the last one")
            }
            focus?.elementIndex = index + 1
            return .operation(.move(path: element.path, from: index, to: index + 1))
        default: return .nothing
        }
    }

    /// Moves the focus from a row to another row or out of the list.
    private mutating func moveFocus(
        _ key: Key, from element: DrawnElement, in rows: [DrawnElement]
    ) -> Outcome {
        let index = element.index ?? 0
        switch key {
        case .home: return moveFocus(to: 0, of: element.path, in: rows)
        case .end: return moveFocus(to: lastRowIndex(of: element.path), of: element.path, in: rows)
        case .pageUp, .pageDown:
            let lineCount = max(1, Set(rows.map(\.line)).count - 1)
            let offset = lineCount * elementCountPerLine(of: element.path)
            let targetIndex =
                key == .pageUp
                ? max(0, index - offset)
                : min(lastRowIndex(of: element.path), index + offset)
            return moveFocus(to: targetIndex, of: element.path, in: rows)
        case .left, .right:
            let nextRow = rows.first {
                $0.line == element.line && $0.index == (key == .left ? index - 1 : index + 1)
            }
            guard let nextRow else { return .nothing }
            setFocus(nextRow)
            return .moved
        default: return moveFocus(from: element, in: rows, down: key == .down)
        }
    }

    /// Moves the focus to the nearest row below or above, or scrolls the list if it has hidden rows in that direction.
    ///
    /// At the end of the list, the focus moves to the next element.
    private mutating func moveFocus(
        from element: DrawnElement, in rows: [DrawnElement], down: Bool
    ) -> Outcome {
        let nextRow = rows.filter { down ? $0.line > element.line : $0.line < element.line }
            .min { left, right in
                (abs(left.line - element.line), abs(left.column - element.column))
                    < (abs(right.line - element.line), abs(right.column - element.column))
            }
        if let nextRow {
            setFocus(nextRow)
            return .moved
        }
        let indexes = rows.compactMap(\.index)
        guard let list = list(at: element.path), hasHiddenRows(list),
            down
                ? (indexes.max() ?? 0) < lastRowIndex(of: element.path) : (indexes.min() ?? 0) > 0
        else {
            return moveFocus(from: element, down: down)
        }
        let index = element.index ?? 0
        let elementsPerLine = elementCountPerLine(of: element.path)
        focus?.elementIndex = down ? index + elementsPerLine : max(0, index - elementsPerLine)
        return scroll(element.path, by: down ? 1 : -1)
    }

    /// Moves the focus to a row, and scrolls the list if the row is not visible.
    private mutating func moveFocus(
        to index: Int, of path: String, in rows: [DrawnElement]
    ) -> Outcome {
        if let row = rows.first(where: { $0.index == index }) {
            setFocus(row)
            return .moved
        }
        let elementsPerLine = elementCountPerLine(of: path)
        let lastLine = (rows.compactMap(\.index).max() ?? 0) / elementsPerLine
        let firstLine = (rows.compactMap(\.index).min() ?? 0) / elementsPerLine
        let line = index / elementsPerLine
        focus?.elementIndex = index
        return scroll(path, by: line < firstLine ? line - firstLine : line - lastLine)
    }

    /// Returns the index of the last row of a list.
    private func lastRowIndex(of path: String) -> Int {
        max(0, (list(at: path)?.rows ?? 0) - 1)
    }

    private func list(at path: String) -> DrawnElement? {
        elements.first { $0.path == path && $0.kind == .list }
    }

    /// Returns whether a list has more rows than it shows. In that case, one of its lines shows the scroll position.
    private func hasHiddenRows(_ list: DrawnElement) -> Bool {
        lines[clamped: list.line..<list.line + list.lines].contains {
            $0.spans.contains { $0.role == .position }
        }
    }

    /// Returns the number of elements in each line of a list.
    private func elementCountPerLine(of path: String) -> Int {
        let lines = elements.filter { $0.path == path && $0.index != nil }.map(\.line)
        return max(1, Dictionary(grouping: lines) { $0 }.values.map(\.count).max() ?? 1)
    }

    /// Scrolls a list by a number of lines.
    private func scroll(_ path: String, by lines: Int) -> Outcome {
        let firstVisibleIndex = elements.filter { $0.path == path }.compactMap(\.index).min() ?? 0
        let line = firstVisibleIndex / elementCountPerLine(of: path) + lines
        return .operation(.scroll(path: path, x: 0, y: Double(max(0, line))))
    }

    private mutating func press(_ key: Key, emptyList element: DrawnElement) -> Outcome {
        switch key {
        case .text("e"):
            .operation(.setEditing(path: element.path, isOn: element.editing != true))
        case .text("u"): undoDeletion(in: element.path)
        case .up: moveFocus(from: element, down: false)
        case .down: moveFocus(from: element, down: true)
        default: .nothing
        }
    }

    /// Handles a key press in scrollable content.
    private func scroll(_ key: Key, _ element: DrawnElement) -> Outcome {
        let (path, view) = (element.path, element.view ?? DrawnPlace(x: 0, y: 0, scale: 1, step: 1))
        // The element also contains a line that shows the scroll position and, for a web page, the address and a
        // separator line. Scrolling by a page keeps one line visible.
        let pageLineCount = Double(max(1, element.lines - (element.kind == .page ? 4 : 2)))
        func outcomeOfScrolling(x: Double, y: Double) -> Outcome {
            .operation(.scroll(path: path, x: view.x + x * view.step, y: view.y + y * view.step))
        }
        let isPage = element.kind == .page
        switch key {
        case .up: return outcomeOfScrolling(x: 0, y: -1)
        case .down: return outcomeOfScrolling(x: 0, y: 1)
        case .left: return outcomeOfScrolling(x: -1, y: 0)
        case .right: return outcomeOfScrolling(x: 1, y: 0)
        case .pageUp: return outcomeOfScrolling(x: 0, y: -pageLineCount)
        case .pageDown, .text(" "): return outcomeOfScrolling(x: 0, y: pageLineCount)
        // The daemon limits the offset to the size of the content.
        case .home: return .operation(.scroll(path: path, x: view.x, y: -1_000_000))
        case .end: return .operation(.scroll(path: path, x: view.x, y: 1_000_000))
        case .text("+"): return .operation(.zoom(path: path, scale: view.scale * 1.25))
        case .text("-"): return .operation(.zoom(path: path, scale: view.scale / 1.25))
        case .text("0"): return .operation(.zoom(path: path, scale: 1))
        case .enter where isPage: return .addressRequired(path: path)
        case .text("["), .backspace, .wordLeft:
            return isPage ? .operation(.back(path: path)) : .nothing
        case .text("]"), .wordRight: return isPage ? .operation(.forward(path: path)) : .nothing
        default: return .nothing
        }
    }

    /// Whether a list is in edit mode.
    var isEditing: Bool { elements.contains { $0.kind == .list && $0.editing == true } }

    /// Leaves the edit mode of a list. If no list is in edit mode, dismisses a controller or goes back.
    private func handleEscape() -> Outcome {
        let list =
            elements.first { $0.kind == .list && $0.editing == true && $0.path == focus?.path }
            ?? elements.first { $0.kind == .list && $0.editing == true }
        if let list { return .operation(.setEditing(path: list.path, isOn: false)) }
        return .operation(.dismissOrGoBack)
    }

    /// Returns whether the row that was last deleted from a list can be restored.
    func canUndoDeletion(in path: String) -> Bool { list(at: path)?.undoable == true }

    private func undoDeletion(in path: String) -> Outcome {
        guard canUndoDeletion(in: path) else {
            return .refused("there is no deleted row to restore")
        }
        return .operation(.undoDelete(path: path))
    }

    /// Maximum width of a row's title in a question, in columns.
    private static let maximumRowTextColumns = 24

    /// Returns the title of a row, shortened and without its marks and its detail text, or `nil` if the row is not on
    /// the screen.
    func rowText(path: String, row: Int) -> String? {
        let element = elements.first { $0.path == path && $0.index == row && $0.kind == .row }
        guard let element, lines.indices.contains(element.line) else { return nil }
        let text = lines[element.line].text.part(from: element.column, columns: element.columns)
        let rowMarks: Set<Character> = ["⊖", "○", "●", "›", "≡", " "]
        var rowText = text.drop { rowMarks.contains($0) }
        while let lastCharacter = rowText.last, rowMarks.contains(lastCharacter) {
            rowText.removeLast()
        }
        // Spaces separate the text from the detail at the right edge.
        let title = String(rowText).split(separator: "  ").first.map(String.init) ?? ""
        let maximumColumns = Self.maximumRowTextColumns
        return title.terminalColumns <= maximumColumns
            ? title : title.part(from: 0, columns: maximumColumns - 1) + "…"
    }

    /// Returns the size at which the screen shows the object that an operation edits or scrolls, or `nil` if the
    /// operation does not depend on that size.
    func drawnSize(for operation: Operation) -> DrawnSize? {
        let targetPath: String
        switch operation {
        case .edit(_, _, let path), .scroll(let path, _, _): targetPath = path
        default: return nil
        }
        return elements.first { $0.path == targetPath && $0.view != nil }.map {
            DrawnSize(columns: min($0.columns, 4096), lines: min($0.lines, 4096))
        }
    }

    // MARK: Mouse

    /// Returns the innermost element at a position.
    private func element(atLine line: Int, column: Int) -> DrawnElement? {
        elements.first { $0.contains(line: line, column: column) && canHaveFocus($0) }
    }

    private mutating func click(_ line: Int, _ column: Int) -> Outcome {
        pressedElement = nil
        guard let element = element(atLine: line, column: column) else { return .nothing }
        setFocus(element)
        pressedElement = focus
        return .moved
    }

    /// Handles the release of the mouse button.
    ///
    /// A release on the pressed element taps that element. A row can be dragged to the position of another row.
    private mutating func release(_ line: Int, _ column: Int) -> Outcome {
        defer { pressedElement = nil }
        guard let pressedElement, let element = element(atLine: line, column: column),
            element.path == pressedElement.path
        else {
            return .nothing
        }
        guard element.index == pressedElement.elementIndex else {
            guard element.kind == .row, let from = pressedElement.elementIndex,
                let to = element.index
            else {
                return .nothing
            }
            guard list(at: element.path)?.editing == true else {
                return .refused("press e first: rows can be moved only in edit mode")
            }
            focus?.elementIndex = to
            return .operation(.move(path: element.path, from: from, to: to))
        }
        return switch element.kind {
        case .button: .operation(.tap(path: element.path, row: nil))
        case .row: .operation(.tap(path: element.path, row: element.index))
        case .choice: .operation(.choose(path: element.path, index: element.index ?? 0))
        case .back: .operation(.back(path: element.path))
        case .field, .text, .value, .list, .scroll, .page: .moved
        }
    }

    private func turnWheel(_ line: Int, _ column: Int, _ offset: Int) -> Outcome {
        let target = elements.first {
            [.list, .scroll, .page, .text].contains($0.kind)
                && $0.contains(line: line, column: column)
        }
        guard let target else { return .nothing }
        if let view = target.view {
            return .operation(
                .scroll(path: target.path, x: view.x, y: view.y + Double(offset) * view.step))
        }
        return scroll(target.path, by: offset)
    }
}

extension [DrawnLine] {
    /// Lines in the range, clamped to the bounds of the array.
    fileprivate subscript(clamped range: Range<Int>) -> ArraySlice<DrawnLine> {
        self[range.clamped(to: indices)]
    }
}

/// Range of the positions and sizes in a rendering, in lines or columns. A daemon never sends others.
private let positionRange = 0...1 << 20

/// Range of the indexes and numbers of rows.
private let rowRange = 0...1 << 53

extension DrawnSpan {
    /// Whether the span's position and size are in range.
    fileprivate var isInRange: Bool {
        [column, columns].allSatisfy(positionRange.contains)
    }
}

extension DrawnElement {
    /// Whether the element's position, size and numbers of rows are in range.
    fileprivate var isInRange: Bool {
        [line, lines, column, columns].allSatisfy(positionRange.contains)
            && [index, rows].compactMap(\.self).allSatisfy(rowRange.contains)
    }

    /// Returns whether the element contains a position.
    func contains(line: Int, column: Int) -> Bool {
        self.line..<self.line + lines ~= line && self.column..<self.column + columns ~= column
    }
}
