/// Suggestions for misspelled words.
package enum SpellingSuggestions {
    private static let maximumLength = 64

    /// Returns the most similar known word, or `nil` if no known word is similar enough.
    ///
    /// Case is ignored. One edit is allowed for every three letters of the misspelled word, and at least one in total.
    /// An edit inserts, deletes or replaces a letter, or swaps two adjacent letters. If several words are equally
    /// similar, the first one is returned.
    package static func closest(to written: String, among known: [String]) -> String? {
        let letters = Array(written.lowercased().unicodeScalars)
        guard !letters.isEmpty, letters.count <= maximumLength else { return nil }
        var best: (word: String, edits: Int)?
        for word in known where word.unicodeScalars.count <= maximumLength {
            let edits = edits(letters, Array(word.lowercased().unicodeScalars))
            if edits <= max(1, letters.count / 3), edits < best?.edits ?? .max {
                best = (word, edits)
            }
        }
        return best?.word
    }

    /// Returns a remedy for an unknown word: a question that suggests the most similar known word.
    ///
    /// - Parameter otherwise: The remedy if no known word is similar.
    package static func remedy(
        for written: String, among known: [String], otherwise: @autoclosure () -> String
    ) -> String {
        closest(to: written, among: known).map { "did you mean \(Quotation($0))?" } ?? otherwise()
    }

    private static func edits(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !right.isEmpty else { return left.count }
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var edits = min(previous[column + 1], current[column]) + 1
                edits = min(edits, previous[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    edits = min(edits, beforePrevious[column - 1] + 1)
                }
                current.append(edits)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
