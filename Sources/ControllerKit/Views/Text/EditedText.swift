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

    /// Selects characters.
    ///
    /// - Returns: false, and nothing changed, if the range does not fit the text.
    mutating func select(_ range: Range<Int>) -> Bool {
        guard fits(range) else { return false }
        restored = nil
        selection = range
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
    mutating func line(columns: Int) -> String {
        let range = selectedRange
        let lower = text.index(text.startIndex, offsetBy: range.lowerBound)
        let upper = text.index(lower, offsetBy: range.count)
        let start = fits(columns: columns - 2) ? text.startIndex : start(before: lower, columns - 4)
        let before = (start == text.startIndex ? "" : "…") + text[start..<lower]
        let selected = text[lower..<upper].prefix(columns + 1)
        return before + (selected.isEmpty ? "▏" : "«\(selected)»")
            + text[upper...].prefix(columns + 1)
    }

    private func fits(columns limit: Int) -> Bool {
        var columns = 0
        for character in text {
            columns += character.drawn?.terminalColumns ?? 0
            if columns > limit { return false }
        }
        return true
    }

    /// As far before a place as there is room for.
    private func start(before end: String.Index, _ limit: Int) -> String.Index {
        var start = end
        var columns = 0
        while start > text.startIndex {
            let index = text.index(before: start)
            columns += text[index].drawn?.terminalColumns ?? 0
            if columns > limit { break }
            start = index
        }
        return start
    }
}
