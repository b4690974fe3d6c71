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
    ///   - unknown: The unknown name.
    ///   - candidates: The existing names. If several names are equally similar, the first one is the result.
    ///   - separator: A separator in the candidates, or `nil`. The part of a candidate after its last separator is
    ///     compared as well.
    /// - Returns: `nil` if no name is similar. A name is similar if its edit distance is at most one third of the
    ///   unknown name's length, but the maximum distance is never less than 1 or greater than 3.
    init?(
        to unknown: String, among candidates: some Sequence<String>,
        after separator: Character? = nil
    ) {
        let length = unknown.count
        guard length > 1, length <= Self.maximumLength else { return nil }
        let letters = Array(unknown.lowercased())
        var nearest: (name: String, distance: Int)?
        for candidate in candidates.prefix(Self.maximumCandidates) where candidate != unknown {
            var forms = [candidate]
            if let separator, let separatorIndex = candidate.lastIndex(of: separator) {
                forms.append(String(candidate[candidate.index(after: separatorIndex)...]))
            }
            for form in forms {
                let maximum =
                    nearest.map { $0.distance - 1 }
                    ?? min(Self.maximumDistance, max(1, length / 3))
                if let distance = Self.distance(letters, Array(form.lowercased()), maximum: maximum)
                {
                    nearest = (candidate, distance)
                }
            }
        }
        guard let nearest else { return nil }
        name = nearest.name
    }

    /// Returns the edit distance between two strings.
    ///
    /// An edit inserts, deletes or replaces a character, or swaps two adjacent characters. Each character is edited at
    /// most once (Damerau-Levenshtein distance, optimal string alignment).
    ///
    /// - Returns: `nil` if the distance is greater than `maximum`.
    static func distance(_ a: [Character], _ b: [Character], maximum: Int) -> Int? {
        guard maximum >= 0, abs(a.count - b.count) <= maximum else { return nil }
        let tooFar = maximum + 1
        var beforePrevious: [Int] = []
        var previous = (0...b.count).map { min($0, tooFar) }
        for i in 0..<a.count {
            var row = [Int](repeating: tooFar, count: b.count + 1)
            row[0] = min(i + 1, tooFar)
            // Values farther from the diagonal are all greater than `maximum`.
            let first = max(0, i - maximum)
            for j in first..<max(first, min(b.count, i + maximum + 1)) {
                var steps = min(
                    previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    steps = min(steps, beforePrevious[j - 1] + 1)
                }
                row[j + 1] = min(steps, tooFar)
            }
            beforePrevious = previous
            previous = row
        }
        return previous[b.count] <= maximum ? previous[b.count] : nil
    }
}
