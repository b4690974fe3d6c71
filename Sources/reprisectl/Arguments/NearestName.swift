import ExactText

/// The nearest to a name that there is none of, among those that there are.
struct NearestName {
    /// The most names that are looked at.
    static let maximumCandidates = 10_000
    /// The most characters of a name that is looked for.
    private static let maximumLength = 1_024
    /// The most steps between two names that are near.
    private static let maximumDistance = 3

    /// The name.
    let name: String

    /// - Parameters:
    ///   - given: The name that there is none of.
    ///   - candidates: Those that there are; the first of those that are equally near is it.
    ///   - separator: Behind the last one of these a name may also begin; nil: only as a whole.
    /// - Returns: nil if none is near: at most a third of the characters differ, and at most three.
    init?(
        to given: String, among candidates: some Sequence<String>,
        behind separator: Character? = nil
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
                let most =
                    nearest.map { $0.distance - 1 }
                    ?? min(Self.maximumDistance, max(1, length / 3))
                if let distance = Self.distance(wanted, Array(form.lowercased()), most: most) {
                    nearest = (candidate, distance)
                }
            }
        }
        guard let nearest else { return nil }
        name = nearest.name
    }

    /// How many characters are to be put in, left out, replaced, or exchanged with the next one to
    /// make one text of another, none of them twice (Damerau and Levenshtein, optimal string
    /// alignment).
    ///
    /// - Returns: nil if it is more than `most`.
    static func distance(_ a: [Character], _ b: [Character], most: Int) -> Int? {
        guard most >= 0, abs(a.count - b.count) <= most else { return nil }
        let far = most + 1
        var before: [Int] = []
        var last = (0...b.count).map { min($0, far) }
        for i in 0..<a.count {
            var row = [Int](repeating: far, count: b.count + 1)
            row[0] = min(i + 1, far)
            // Farther from the diagonal everything is more than `most`.
            let first = max(0, i - most)
            for j in first..<max(first, min(b.count, i + most + 1)) {
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
        return last[b.count] <= most ? last[b.count] : nil
    }
}
