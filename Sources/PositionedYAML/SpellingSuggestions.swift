/// Suggestions for misspelled words.
package enum SpellingSuggestions {
    private static let maximumLetterCount = 64

    /// Returns the most similar known word, or `nil` if no known word is similar enough.
    ///
    /// Case is ignored. A word is similar enough if it differs from the misspelled word by at most one edit for every
    /// three letters, or by one edit if the misspelled word is shorter. An edit inserts, deletes or replaces a letter,
    /// or swaps two adjacent letters. If several words are equally similar, the first word is returned.
    package static func closestWord(to misspelledWord: String, among knownWords: [String])
        -> String?
    {
        let letters = Array(misspelledWord.lowercased().unicodeScalars)
        guard !letters.isEmpty, letters.count <= maximumLetterCount else { return nil }
        var bestMatch: (word: String, editDistance: Int)?
        for word in knownWords where word.unicodeScalars.count <= maximumLetterCount {
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

    private static func editDistance(
        _ misspelledLetters: [Unicode.Scalar], _ knownLetters: [Unicode.Scalar]
    ) -> Int {
        guard !knownLetters.isEmpty else { return misspelledLetters.count }
        var secondPreviousRow: [Int] = []
        var previousRow = Array(0...knownLetters.count)
        for (row, misspelledLetter) in misspelledLetters.enumerated() {
            var currentRow = [row + 1]
            for (column, knownLetter) in knownLetters.enumerated() {
                var editDistance = min(previousRow[column + 1], currentRow[column]) + 1
                editDistance = min(
                    editDistance, previousRow[column] + (misspelledLetter == knownLetter ? 0 : 1))
                if row > 0, column > 0, misspelledLetter == knownLetters[column - 1],
                    misspelledLetters[row - 1] == knownLetter
                {
                    editDistance = min(editDistance, secondPreviousRow[column - 1] + 1)
                }
                currentRow.append(editDistance)
            }
            secondPreviousRow = previousRow
            previousRow = currentRow
        }
        return previousRow[knownLetters.count]
    }
}
