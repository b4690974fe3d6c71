/// Compares the classes of found objects with the recorded ones (R4, R5), each pair once.
struct ClassComparison {
    private struct Pair: Hashable {
        let type: ObjectIdentifier
        let token: UInt32
    }

    private let classes: ClassRegistry
    private let names: NameTable
    private var known: [Pair: ClassRegistry.Match] = [:]
    private var last: (pair: Pair, match: ClassRegistry.Match)?

    init(_ classes: ClassRegistry, names: NameTable) {
        self.classes = classes
        self.names = names
    }

    /// How an object's class stands to the one that is recorded under a name's number.
    mutating func match(_ object: any StateRestoring, token: UInt32) -> ClassRegistry.Match {
        let type = type(of: object)
        let pair = Pair(type: ObjectIdentifier(type), token: token)
        if let last, last.pair == pair { return last.match }
        let match = known[pair] ?? classes.match(type, to: names.text(of: token) ?? "")
        known[pair] = match
        last = (pair, match)
        return match
    }
}
