/// Which of a container's children is chosen: one always is, unless there are none.
struct ChildChoice {
    private weak var chosen: ViewController?
    /// Where the chosen one stands, or will stand once there are as many.
    private(set) var index = 0

    /// The chosen child.
    func child(of container: ViewController) -> ViewController? {
        chosen?.parent === container ? chosen : nil
    }

    /// Chooses the child at a place; one of which there is none yet waits for it.
    mutating func choose(_ index: Int, of container: ViewController) {
        self.index = max(index, 0)
        let children = container.children
        if !children.isEmpty { self.index = min(self.index, children.count - 1) }
        chosen = children.isEmpty ? nil : children[self.index]
    }

    /// Children came, went or changed places: the chosen one stays so. If it is gone, the one that
    /// stands at its place now is chosen, or the last.
    mutating func update(of container: ViewController) {
        let children = container.children
        if let index = children.firstIndex(where: { $0 === chosen }) {
            self.index = index
        } else if !children.isEmpty {
            choose(index, of: container)
        }
    }
}
