/// A cached comparison of the classes of live objects with recorded classes (R4, R5).
struct ClassComparison {
    private struct Pair: Hashable {
        let type: ObjectIdentifier
        let tokenNumber: UInt32
    }

    private let classes: ClassRegistry
    private let names: NameTable
    private var knownMatches: [Pair: ClassRegistry.Match] = [:]
    private var lastMatch: (pair: Pair, match: ClassRegistry.Match)?

    init(_ classes: ClassRegistry, names: NameTable) {
        self.classes = classes
        self.names = names
    }

    /// Compares an object's class with the recorded class whose name has the given number.
    mutating func match(_ object: any StateRestoring, tokenNumber: UInt32) -> ClassRegistry.Match {
        let type = type(of: object)
        let pair = Pair(type: ObjectIdentifier(type), tokenNumber: tokenNumber)
        if let lastMatch, lastMatch.pair == pair { return lastMatch.match }
        let match = knownMatches[pair] ?? classes.match(type, to: names.text(of: tokenNumber) ?? "")
        knownMatches[pair] = match
        lastMatch = (pair, match)
        return match
    }
}
