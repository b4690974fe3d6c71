/// Looks at every object of a scene once more after code of the application has run, a slice at a
/// time: what that code changed and did not invalidate is found all the same (P20).
struct Recheck {
    /// Objects of this round that were not looked at yet, the next one last. What lies below them
    /// follows them.
    private var waiting: [RestorationNode] = []
    /// Whether code has run since the round began, so that another one has to follow.
    private var isDue = false

    /// Whether every object was looked at since code ran last.
    var isOver: Bool { waiting.isEmpty && !isDue }

    /// Code of the application has run.
    mutating func noteCodeRan() { isDue = true }

    /// Every object was looked at: a full pass has.
    mutating func end() { self = Recheck() }

    /// The objects of the next slice.
    ///
    /// - Parameters:
    ///   - limit: how many there are at most.
    ///   - root: the node that all others lie below.
    mutating func takeSlice(_ limit: Int, below root: RestorationNode) -> [RestorationNode] {
        if waiting.isEmpty, isDue {
            isDue = false
            waiting = [root]
        }
        var slice: [RestorationNode] = []
        while slice.count < limit, let node = waiting.popLast() {
            if node.tellsEveryChange { continue }
            waiting += node.links.children.reversed().lazy.filter { $0.isBelow(node) }
            if node !== root { slice.append(node) }
        }
        return slice
    }
}
