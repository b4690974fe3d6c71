/// Remembers records before a command, and tells after the pass of its turn whether one of them
/// changed (P21).
///
/// The objects are those that it was made with, the scene itself, and all that the command marks.
package struct RecordWitness {
    private let records: SceneRecords
    private let markedCount: Int
    private var nodes: [(node: RestorationNode, fingerprint: UInt64, wasMarked: Bool)] = []

    /// Before the command.
    package init(_ scene: Scene, _ objects: [any StateRestoring]) {
        records = scene.records
        markedCount = records.request.marked.count
        for node in [records.root] + objects.map(\.restoration) {
            add(node, wasMarked: node.marks.isMarked)
        }
    }

    /// After the command, and before the pass.
    ///
    /// - Returns: whether the command marked anything, or may have: what another command of its turn
    ///   had marked before cannot be marked again.
    package mutating func noteMarked() -> Bool {
        let wasMarked = nodes.contains(where: \.wasMarked)
        let marked = records.request.marked.dropFirst(markedCount)
        for node in marked { add(node, wasMarked: false) }
        return wasMarked || !marked.isEmpty
    }

    private mutating func add(_ node: RestorationNode, wasMarked: Bool) {
        nodes.append((node, node.record.fingerprint, wasMarked))
    }

    /// After the pass: whether a record of the objects has other values than before.
    ///
    /// - Parameters:
    ///   - object: the one that does not count.
    ///   - isOwn: whether those do not count either that another command of the turn had changed
    ///     before.
    package func isAnythingChanged(
        but object: (any StateRestoring)? = nil, isOwn: Bool = false
    ) -> Bool {
        nodes.contains { node, fingerprint, wasMarked in
            node !== object?.restoration && !(isOwn && wasMarked)
                && node.record.fingerprint != fingerprint
        }
    }

    /// Whether it is about the object at a restoration path.
    ///
    /// - Parameter object: the only one that counts; nil: all do.
    package func covers(_ path: String, alone object: (any StateRestoring)? = nil) -> Bool {
        nodes.contains { node, _, _ in
            (object == nil || object?.restoration === node)
                && records.path(of: node).description.utf8.elementsEqual(path.utf8)
        }
    }
}
