/// A scan of all objects in a scene, one slice at a time, after application code has run.
///
/// The scan finds objects that the code has changed but not invalidated (P20).
struct MissedInvalidationScan {
    /// Objects that the current scan has not checked yet. The last object is checked next.
    private var pendingNodes: [RestorationNode] = []
    /// Whether another scan is needed because application code has run since the current scan began.
    private var isFullScanDue = false

    /// Whether every object has been checked since application code last ran.
    var isComplete: Bool { pendingNodes.isEmpty && !isFullScanDue }

    /// Records that application code has run.
    mutating func markNeedsFullScan() { isFullScanDue = true }

    /// Ends the scan, because a full pass has checked every object.
    mutating func end() { self = MissedInvalidationScan() }

    /// Returns the objects in the next slice.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of objects.
    ///   - root: The node above all other nodes.
    mutating func nextSlice(_ limit: Int, below root: RestorationNode) -> [RestorationNode] {
        if pendingNodes.isEmpty, isFullScanDue {
            isFullScanDue = false
            pendingNodes = [root]
        }
        var slice: [RestorationNode] = []
        while slice.count < limit, let node = pendingNodes.popLast() {
            if node.invalidatesEveryChange { continue }
            pendingNodes += node.links.children.reversed().lazy.filter { $0.isDirectlyBelow(node) }
            if node !== root { slice.append(node) }
        }
        return slice
    }
}
