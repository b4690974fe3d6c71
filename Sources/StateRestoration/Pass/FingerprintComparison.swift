/// Fingerprints of records, captured before a command runs and compared after the turn's pass (P21).
///
/// The fingerprints cover the given objects, the scene itself, and every object that the command marks.
package struct FingerprintComparison {
    private let records: SceneRecords
    /// Number of objects that had been marked before the command.
    private let markedNodeCount: Int
    private var nodes: [(node: RestorationNode, fingerprint: UInt64, wasMarked: Bool)] = []

    /// Captures fingerprints before a command runs.
    package init(_ scene: Scene, _ objects: [any StateRestoring]) {
        records = scene.records
        markedNodeCount = records.request.markedNodes.count
        nodes.reserveCapacity(objects.count + 3)
        add(records.root, wasMarked: records.root.passState.isMarked)
        for object in objects {
            let node = object.restoration
            add(node, wasMarked: node.passState.isMarked)
        }
    }

    /// Adds the objects that the command marked.
    ///
    /// Call this method after the command has run and before the pass.
    ///
    /// - Returns: `true` if the command marked an object, or if a covered object had already been marked before the
    ///   command. In the latter case, it is unknown whether the command changed the object.
    package mutating func addMarkedNodes() -> Bool {
        let wasMarked = nodes.contains(where: \.wasMarked)
        let markedNodes = records.request.markedNodes.dropFirst(markedNodeCount)
        for node in markedNodes { add(node, wasMarked: false) }
        return wasMarked || !markedNodes.isEmpty
    }

    private mutating func add(_ node: RestorationNode, wasMarked: Bool) {
        nodes.append((node, node.record.fingerprint, wasMarked))
    }

    /// Returns whether the pass changed the record of any object that the fingerprints cover.
    ///
    /// - Parameters:
    ///   - object: An object to ignore.
    ///   - ignoresMarkedObjects: Whether to ignore objects that had already been marked before the command.
    package func hasChanges(
        excluding object: (any StateRestoring)? = nil, ignoresMarkedObjects: Bool = false
    ) -> Bool {
        nodes.contains { node, fingerprint, wasMarked in
            node !== object?.restoration && !(ignoresMarkedObjects && wasMarked)
                && node.record.fingerprint != fingerprint
        }
    }

    /// Returns whether the fingerprints cover the object at a restoration path.
    ///
    /// - Parameter object: The only object to consider, or `nil` to consider all objects.
    package func covers(_ path: String, only object: (any StateRestoring)? = nil) -> Bool {
        nodes.contains { node, _, _ in
            (object == nil || object?.restoration === node)
                && records.path(of: node).description.utf8.elementsEqual(path.utf8)
        }
    }
}
