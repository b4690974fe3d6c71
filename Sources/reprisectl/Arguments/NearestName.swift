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
    ///   - given: The unknown name.
    ///   - candidates: The existing names. If several names are equally similar, the first one is the result.
    ///   - separator: A separator in the candidates, or `nil`. The part of a candidate after its last separator is
    ///     compared as well.
    /// - Returns: `nil` if no name is similar. The maximum edit distance of a similar name is a third of the length of
    ///   the unknown name, but at least 1 and at most 3.
    init?(
        to given: String, among candidates: some Sequence<String>,
        after separator: Character? = nil
    ) {
        let length = given.count
        guard length > 1, length <= Self.maximumLength else { return nil }
        let wanted = Array(given.lowercased())
        var nearest: (name: String, distance: Int)?
        for candidate in candidates.prefix(Self.maximumCandidates) where candidate != given {
            var forms = [candidate]
            if let separator, let place = candidate.lastIndex(of: separator) {
                forms.append(String(candidate[candidate.index(after: place)...]))
            }
            for form in forms {
                let maximum =
                    nearest.map { $0.distance - 1 }
                    ?? min(Self.maximumDistance, max(1, length / 3))
                if let distance = Self.distance(wanted, Array(form.lowercased()), maximum: maximum)
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
    /// most once (Damerau and Levenshtein, optimal string alignment).
    ///
    /// - Returns: `nil` if the distance is greater than `maximum`.
    static func distance(_ a: [Character], _ b: [Character], maximum: Int) -> Int? {
        guard maximum >= 0, abs(a.count - b.count) <= maximum else { return nil }
        let far = maximum + 1
        var before: [Int] = []
        var last = (0...b.count).map { min($0, far) }
        for i in 0..<a.count {
            var row = [Int](repeating: far, count: b.count + 1)
            row[0] = min(i + 1, far)
            // Values farther from the diagonal are all greater than `maximum`.
            let first = max(0, i - maximum)
            for j in first..<max(first, min(b.count, i + maximum + 1)) {
                var steps = min(
                    last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    steps = min(steps, before[j - 1] + 1)
                }
                row[j + 1] = min(steps, far)
            }
            before = last
            last = row
        }
        return last[b.count] <= maximum ? last[b.count] : nil
    }
}
