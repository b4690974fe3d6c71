import TerminalText

/// A text, and which of its characters (grapheme clusters) are selected.
struct EditedText {
    /// Setting it puts the caret behind it; while a state is restored, its selection where it fits.
    var text = "" {
        didSet {
            knownCount = nil
            selection = nil
            if let restored, fits(restored) { selection = restored }
        }
    }

    /// The range that was selected explicitly; nil if the caret stands behind the text.
    private var selection: Range<Int>?
    /// Whether the lower end of the selection is the one that was moved last.
    var isLowerEndMoved = false
    /// How many characters the text has, once somebody asked: counting goes over all of it.
    private var knownCount: Int?
    /// The range that was selected when the state was saved, until everything is restored.
    private var restored: Range<Int>?

    var count: Int {
        mutating get {
            if let knownCount { return knownCount }
            let count = text.count
            knownCount = count
            return count
        }
    }

    /// The selected characters; an empty range is the caret.
    var selectedRange: Range<Int> {
        mutating get { selection ?? count..<count }
    }

    /// The end of the selection that was moved last.
    var movedEnd: Int {
        mutating get { isLowerEndMoved ? selectedRange.lowerBound : selectedRange.upperBound }
    }

    /// Selects characters.
    ///
    /// - Returns: false, and nothing changed, if the range does not fit the text.
    mutating func select(_ range: Range<Int>) -> Bool {
        guard fits(range) else { return false }
        restored = nil
        selection = range
        isLowerEndMoved = false
        return true
    }

    /// Replaces the text, or writes behind it, and puts the caret behind it.
    mutating func type(_ new: String, appending: Bool) {
        restored = nil
        guard appending, !text.isEmpty else {
            text = new
            return
        }
        // Typed text may join the last character, but changes none before it.
        let count = knownCount.map { $0 - 1 + (String(text.suffix(1)) + new).count }
        text += new
        knownCount = count
    }

    /// Takes back what was selected when the state was saved. If it does not fit yet it waits for
    /// another text, until ``endRestoring()`` drops it (V4).
    mutating func restore(_ range: Range<Int>) {
        restored = range
        if fits(range) { selection = range }
    }

    mutating func endRestoring() {
        restored = nil
    }

    private mutating func fits(_ range: Range<Int>) -> Bool {
        range.lowerBound >= 0 && range.upperBound <= text.utf8.count && range.upperBound <= count
    }

    /// Reason for which a selection does not fit.
    mutating func misfit(_ range: Range<Int>) -> OperationError {
        .notPossible(
            "characters \(range.lowerBound) to \(range.upperBound) are not in it: it has \(count)")
    }

    /// The text on one line, with the caret, or the selection in guillemets. Of a text that is too
    /// long it is the part around the caret, or around where the selection begins.
    ///
    /// - Parameter columns: the width of the line.
    func line(columns: Int) -> MarkedLine {
        let lower =
            selection.map { text.index(text.startIndex, offsetBy: $0.lowerBound) } ?? text.endIndex
        let upper = selection.map { text.index(lower, offsetBy: $0.count) } ?? text.endIndex
        // More is not looked at: some characters have no width, or very many scalars.
        let most = (columns + 1) * Character.mostScalars
        let selected = text[lower..<upper].beginning(scalars: most)
        return MarkedLine(
            before(lower, columns, most), marked: selected.isEmpty ? "▏" : "«\(selected)»",
            as: selected.isEmpty ? .caret : .selection, text[upper...].beginning(scalars: most))
    }

    /// What is seen before a place: all if the text fits the line, else as much as there is room for.
    private func before(_ end: String.Index, _ columns: Int, _ most: Int) -> String {
        let seen = text[...].beginning(scalars: most)
        let isAll = seen.endIndex == text.endIndex
        if isAll, seen.reduce(0, { $0 + ($1.drawn?.terminalColumns ?? 0) }) <= columns - 2 {
            return String(text[..<end])
        }
        let before = String(text[..<end].ending(scalars: most))
        var start = before.endIndex
        var room = columns - 4
        while start > before.startIndex {
            let index = before.index(before: start)
            room -= before[index].drawn?.terminalColumns ?? 0
            if room < 0 { break }
            start = index
        }
        let isCut = start > before.startIndex || before.utf8.count < text[..<end].utf8.count
        return (isCut ? "…" : "") + before[start...]
    }
}
