/// A check of every object of a scene after application code has run, one slice at a time.
///
/// It finds changes that the code did not invalidate (P20).
struct Recheck {
    /// Objects that this round has not checked yet, in reverse order, with parents first.
    private var waiting: [RestorationNode] = []
    /// Whether application code has run since this round began, so that another round must follow.
    private var isDue = false

    /// Whether every object has been checked since application code last ran.
    var isOver: Bool { waiting.isEmpty && !isDue }

    /// Records that application code has run.
    mutating func markNeedsFullScan() { isDue = true }

    /// Ends the check because a full pass has checked every object.
    mutating func end() { self = Recheck() }

    /// Returns the objects of the next slice.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of objects.
    ///   - root: The node above all other nodes.
    mutating func nextSlice(_ limit: Int, below root: RestorationNode) -> [RestorationNode] {
        if waiting.isEmpty, isDue {
            isDue = false
            waiting = [root]
        }
        var slice: [RestorationNode] = []
        while slice.count < limit, let node = waiting.popLast() {
            if node.notifiesEveryChange { continue }
            waiting += node.links.children.reversed().lazy.filter { $0.isBelow(node) }
            if node !== root { slice.append(node) }
        }
        return slice
    }
}
