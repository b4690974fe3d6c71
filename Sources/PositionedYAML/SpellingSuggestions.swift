/// Suggestions for misspelled words.
package enum SpellingSuggestions {
    private static let maximumLength = 64

    /// Returns the most similar known word, or `nil` if no known word is similar enough.
    ///
    /// Case is ignored. One edit is allowed for every three letters of the misspelled word, and at least one in total.
    /// An edit inserts, deletes or replaces a letter, or swaps two adjacent letters. If several words are equally
    /// similar, the first one is returned.
    package static func closestWord(to misspelledWord: String, among knownWords: [String])
        -> String?
    {
        let letters = Array(misspelledWord.lowercased().unicodeScalars)
        guard !letters.isEmpty, letters.count <= maximumLength else { return nil }
        var bestMatch: (word: String, editDistance: Int)?
        for word in knownWords where word.unicodeScalars.count <= maximumLength {
            let editDistance = editDistance(letters, Array(word.lowercased().unicodeScalars))
            if editDistance <= max(1, letters.count / 3),
                editDistance < bestMatch?.editDistance ?? .max
            {
                bestMatch = (word, editDistance)
            }
        }
        return bestMatch?.word
    }

    /// Returns a remedy for an unknown word: a question that suggests the most similar known word.
    ///
    /// - Parameter otherwise: The remedy if no known word is similar.
    package static func remedy(
        for misspelledWord: String, among knownWords: [String], otherwise: @autoclosure () -> String
    ) -> String {
        closestWord(to: misspelledWord, among: knownWords).map { "did you mean \(Quotation($0))?" }
            ?? otherwise()
    }

    private static func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !right.isEmpty else { return left.count }
        var secondPreviousRow: [Int] = []
        var previousRow = Array(0...right.count)
        for (row, leftLetter) in left.enumerated() {
            var currentRow = [row + 1]
            for (column, rightLetter) in right.enumerated() {
                var editDistance = min(previousRow[column + 1], currentRow[column]) + 1
                editDistance = min(
                    editDistance, previousRow[column] + (leftLetter == rightLetter ? 0 : 1))
                if row > 0, column > 0, leftLetter == right[column - 1],
                    left[row - 1] == rightLetter
                {
                    editDistance = min(editDistance, secondPreviousRow[column - 1] + 1)
                }
                currentRow.append(editDistance)
            }
            secondPreviousRow = previousRow
            previousRow = currentRow
        }
        return previousRow[right.count]
    }
}
