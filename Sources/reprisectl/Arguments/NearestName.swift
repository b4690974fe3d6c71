import ExactText

/// Existing name that is most similar to an unknown name.
struct NearestName {
    /// Maximum number of names that are compared.
    static let maximumCandidates = 10_000
    /// Maximum number of characters in the unknown name.
    private static let maximumLength = 1_024
    /// Maximum edit distance between two similar names.
    private static let maximumDistance = 3

    /// The most similar name.
    let name: String

    /// Finds the existing name that is most similar to an unknown name.
    ///
    /// - Parameters:
    ///   - unknownName: The unknown name.
    ///   - candidates: The existing names. If several names are equally similar, the first one is the result.
    ///   - separator: A character that separates the parts of a candidate, or `nil`. The last part of each candidate
    ///     is compared in addition to the whole candidate.
    /// - Returns: `nil` if no name is similar. A name is similar if its edit distance is at most one third of the
    ///   unknown name's length, but the maximum distance is never less than 1 or greater than 3.
    init?(
        to unknownName: String, among candidates: some Sequence<String>,
        after separator: Character? = nil
    ) {
        let letterCount = unknownName.count
        guard letterCount > 1, letterCount <= Self.maximumLength else { return nil }
        let letters = Array(unknownName.lowercased())
        var nearestCandidate: (name: String, distance: Int)?
        for candidate in candidates.prefix(Self.maximumCandidates) where candidate != unknownName {
            var comparedTexts = [candidate]
            if let separator, let separatorIndex = candidate.lastIndex(of: separator) {
                comparedTexts.append(String(candidate[candidate.index(after: separatorIndex)...]))
            }
            for comparedText in comparedTexts {
                let currentMaximum =
                    nearestCandidate.map { $0.distance - 1 }
                    ?? min(Self.maximumDistance, max(1, letterCount / 3))
                if let distance = Self.distance(
                    letters, Array(comparedText.lowercased()), maximum: currentMaximum)
                {
                    nearestCandidate = (candidate, distance)
                }
            }
        }
        guard let nearestCandidate else { return nil }
        name = nearestCandidate.name
    }

    /// Returns the edit distance between two strings.
    ///
    /// An edit inserts, deletes or replaces a character, or swaps two adjacent characters. Each character is edited at
    /// most once (Damerau-Levenshtein distance, optimal string alignment).
    ///
    /// - Returns: `nil` if the distance is greater than `maximum`.
    static func distance(
        _ unknownLetters: [Character], _ candidateLetters: [Character], maximum: Int
    ) -> Int? {
        guard maximum >= 0, abs(unknownLetters.count - candidateLetters.count) <= maximum else {
            return nil
        }
        let excessDistance = maximum + 1
        var secondPreviousRow: [Int] = []
        var previousRow = (0...candidateLetters.count).map { min($0, excessDistance) }
        for i in 0..<unknownLetters.count {
            var currentRow = [Int](repeating: excessDistance, count: candidateLetters.count + 1)
            currentRow[0] = min(i + 1, excessDistance)
            // Values farther from the diagonal are all greater than `maximum`.
            let firstColumn = max(0, i - maximum)
            for j in firstColumn..<max(firstColumn, min(candidateLetters.count, i + maximum + 1)) {
                var editCount = min(
                    previousRow[j] + (unknownLetters[i] == candidateLetters[j] ? 0 : 1),
                    previousRow[j + 1] + 1, currentRow[j] + 1)
                if i > 0, j > 0, unknownLetters[i] == candidateLetters[j - 1],
                    unknownLetters[i - 1] == candidateLetters[j]
                {
                    editCount = min(editCount, secondPreviousRow[j - 1] + 1)
                }
                currentRow[j + 1] = min(editCount, excessDistance)
            }
            secondPreviousRow = previousRow
            previousRow = currentRow
        }
        return previousRow[candidateLetters.count] <= maximum
            ? previousRow[candidateLetters.count] : nil
    }
}
