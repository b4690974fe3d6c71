import TerminalText

/// Text that is being edited, with a selection of its characters (grapheme clusters).
struct EditedText {
    /// The text.
    ///
    /// Setting the text applies the restored selection if it fits the text. Otherwise, the caret moves to the end of
    /// the text.
    var text = "" {
        didSet {
            cachedCount = nil
            selection = nil
            if let pendingSelection, fits(pendingSelection) { selection = pendingSelection }
        }
    }

    /// The selected range, or `nil` if the caret is at the end of the text.
    private var selection: Range<Int>?
    /// Whether the last change moved the lower end of the selection rather than the upper end.
    var isLowerEndActive = false
    /// Number of characters, or `nil` if the characters have not been counted since the text changed.
    ///
    /// The number is cached because counting iterates over the entire text.
    private var cachedCount: Int?
    /// The saved selection while the restoration is in progress, or `nil` if there is none.
    private var pendingSelection: Range<Int>?

    var count: Int {
        mutating get {
            if let cachedCount { return cachedCount }
            let count = text.count
            cachedCount = count
            return count
        }
    }

    /// The selected characters.
    ///
    /// An empty range is the position of the caret.
    var selectedRange: Range<Int> {
        mutating get { selection ?? count..<count }
    }

    /// The most recently moved end of the selection.
    var activeEnd: Int {
        mutating get { isLowerEndActive ? selectedRange.lowerBound : selectedRange.upperBound }
    }

    /// Selects characters.
    ///
    /// - Returns: `false` if nothing changed because the range does not fit the text.
    mutating func select(_ range: Range<Int>) -> Bool {
        guard fits(range) else { return false }
        pendingSelection = nil
        selection = range
        isLowerEndActive = false
        return true
    }

    /// Replaces the text or appends to it, and moves the caret to the end.
    mutating func type(_ newText: String, appending: Bool) {
        pendingSelection = nil
        guard appending, !text.isEmpty else {
            text = newText
            return
        }
        // The new text can combine with the last character, but it does not change the preceding characters.
        let count = cachedCount.map { $0 - 1 + (String(text.suffix(1)) + newText).count }
        text += newText
        cachedCount = count
    }

    /// Restores a saved selection.
    ///
    /// If the selection fits the text, it is reapplied each time the text is set, until ``finishRestoration()`` or an
    /// edit discards it (V4).
    mutating func restore(_ range: Range<Int>) {
        pendingSelection = range
        if fits(range) { selection = range }
    }

    mutating func finishRestoration() {
        pendingSelection = nil
    }

    private mutating func fits(_ range: Range<Int>) -> Bool {
        range.lowerBound >= 0 && range.upperBound <= text.utf8.count && range.upperBound <= count
    }

    /// Returns the error for a selection that does not fit the text.
    mutating func outOfRangeError(_ range: Range<Int>) -> OperationError {
        .notPossible(
            "the range \(range.lowerBound) to \(range.upperBound) is outside its text of length \(count)"
        )
    }

    /// Returns the text as a single line, with the caret or with guillemets around the selection.
    ///
    /// If the text is too long, the line contains the part around the caret or around the start of the selection.
    ///
    /// - Parameter columns: The width of the line in columns.
    func line(columns: Int) -> MarkedLine {
        let selectionStart =
            selection.map { text.index(text.startIndex, offsetBy: $0.lowerBound) } ?? text.endIndex
        let selectionEnd =
            selection.map { text.index(selectionStart, offsetBy: $0.count) } ?? text.endIndex
        // The number of scalars is limited because a character can have no width or a very large number of scalars.
        let maximumScalarCount = (columns + 1) * Character.maximumScalarCount
        let selectedText = text[selectionStart..<selectionEnd].beginning(
            scalars: maximumScalarCount)
        return MarkedLine(
            visibleTextBefore(selectionStart, columns, maximumScalarCount),
            markedText: selectedText.isEmpty ? "▏" : "«\(selectedText)»",
            as: selectedText.isEmpty ? .caret : .selection,
            text[selectionEnd...].beginning(scalars: maximumScalarCount))
    }

    /// Returns the text before an index, or only the end of that text if the entire text does not fit on the line.
    private func visibleTextBefore(_ end: String.Index, _ columns: Int, _ maximumScalarCount: Int)
        -> String
    {
        let visiblePrefix = text[...].beginning(scalars: maximumScalarCount)
        let isEntireText = visiblePrefix.endIndex == text.endIndex
        if isEntireText,
            visiblePrefix.reduce(0, { $0 + ($1.terminalCharacter?.terminalColumns ?? 0) })
                <= columns - 2
        {
            return String(text[..<end])
        }
        let before = String(text[..<end].ending(scalars: maximumScalarCount))
        var start = before.endIndex
        var remainingColumns = columns - 4
        while start > before.startIndex {
            let index = before.index(before: start)
            remainingColumns -= before[index].terminalCharacter?.terminalColumns ?? 0
            if remainingColumns < 0 { break }
            start = index
        }
        let isTruncated = start > before.startIndex || before.utf8.count < text[..<end].utf8.count
        return (isTruncated ? "…" : "") + before[start...]
    }
}
