/// The roots of a full pass that only references lead to (P7), and who has which root's identifier.
struct OrphanRoots {
    /// What becomes of an orphan that wants its identifier as its path.
    enum Claim {
        case granted
        /// Another root has it (I3).
        case taken(by: RestorationNode)
        /// The object that had it before may still be reached, and keeps it then (I3).
        case wait
    }

    /// The orphans that were granted a path in this pass, in order.
    private(set) var visited: [RestorationNode] = []
    /// Those of them that nothing was found above.
    private var unplaced: Set<ObjectIdentifier> = []
    private var holders: [RestorationIdentifier: RestorationNode] = [:]
    private var earlier: [RestorationIdentifier: RestorationNode] = [:]
    private let epoch: UInt64

    /// No roots.
    init() {
        epoch = 0
    }

    /// - Parameters:
    ///   - earlier: what the pass before recorded.
    ///   - reached: what this pass has recorded so far.
    ///   - scene: the record above all roots.
    ///   - epoch: this pass.
    init(
        earlier: [RestorationNode], reached: [RestorationNode], below scene: RecordNumber,
        epoch: UInt64
    ) {
        self.epoch = epoch
        for node in reached where node.parentNumber == scene {
            if let identifier = node.recordedIdentifier { holders[identifier] = node }
        }
        for node in earlier where node.parentNumber == scene {
            if let identifier = node.recordedIdentifier { self.earlier[identifier] = node }
        }
    }

    /// An orphan wants its identifier as its path.
    ///
    /// - Parameter maySupplant: whether the object that had the path before does not come any more.
    mutating func claim(
        _ identifier: RestorationIdentifier, for node: RestorationNode, maySupplant: Bool
    ) -> Claim {
        if let holder = holders[identifier], holder !== node { return .taken(by: holder) }
        if !maySupplant, let before = earlier[identifier], before !== node,
            before.object != nil, before.identifier == identifier, before.epoch != epoch,
            before.leftOutEpoch != epoch
        {
            return .wait
        }
        holders[identifier] = node
        visited.append(node)
        unplaced.insert(ObjectIdentifier(node))
        return .granted
    }

    /// An orphan was found to lie below another record, and is a root no more.
    ///
    /// - Returns: false if the node is no orphan without a place.
    mutating func remove(_ node: RestorationNode) -> Bool {
        unplaced.remove(ObjectIdentifier(node)) != nil
    }
}
